package dockerfile

import (
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
)

// A Pos is a place between two characters of a Dockerfile. Line and Column are
// 1-based; columns count UTF-16 code units, as SARIF and editors do (SARIF 2.1.0,
// 3.14.17), and a byte order mark not at all. The zero Pos is unknown.
type Pos struct{ Line, Column int }

// Before reports whether p stands before q.
func (p Pos) Before(q Pos) bool { return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column }

// A Range is what stands between two places: nothing, if they are the same.
type Range struct{ Start, End Pos }

// IsZero reports whether the range is unknown.
func (r Range) IsZero() bool { return r.Start.Line == 0 }

// A Layout says where the parts of an instruction stand. What it can't tell for
// certain is the zero Range.
type Layout struct {
	in     *Instr
	escape rune
	joined string  // the instruction as one line, as BuildKit joins it
	parts  []piece // of joined; nil if it could not be taken apart
	args   int     // where the arguments start in joined
	flags  []string
	at     []int // where each flag starts in joined
}

// A piece is a part of an instruction that stands on one line of the file.
type piece struct {
	start  int // in joined
	line   int
	before string // what stands before it on the line
	text   string
}

// Layout takes an instruction of f apart.
func (f *File) Layout(in *Instr) *Layout {
	l := &Layout{in: in, escape: f.escape}
	l.join()
	if l.joined != in.line {
		l.parts = nil // it was read otherwise: nothing is certain
		return l
	}
	l.split()
	return l
}

// join joins the lines of the instruction (buildkit, parser.Parse).
func (l *Layout) join() {
	var b strings.Builder
	for i, line := range strings.Split(l.in.Text, "\n") {
		if i > 0 && idle(line) {
			continue
		}
		text, more := continued(line, byte(l.escape))
		before := ""
		if i == 0 {
			trimmed := strings.TrimLeftFunc(text, unicode.IsSpace)
			before, text = text[:len(text)-len(trimmed)], trimmed
		}
		l.parts = append(l.parts, piece{b.Len(), l.in.Span.Start + i, before, text})
		b.WriteString(text)
		if !more {
			break
		}
	}
	l.joined = b.String()
}

// continued takes the character off a line that continues it on the next one.
func continued(line string, escape byte) (text string, more bool) {
	t := strings.TrimRight(line, " \t")
	n := len(t) - 1
	if n < 0 || t[n] != escape || n > 0 && t[n-1] == escape {
		return line, false
	}
	return t[:n], true
}

var flagWord = regexp.MustCompile(`^\s+(--[^\s"'\\]*)(\s|$)`)

// split finds the flags and where the arguments start. A flag with quotes ends it:
// what follows is not certain then.
func (l *Layout) split() {
	i := len(l.in.Cmd)
	for len(l.flags) < len(l.in.Flags) {
		m := flagWord.FindStringSubmatchIndex(l.joined[i:])
		if m == nil {
			l.parts = nil
			return
		}
		l.flags, l.at = append(l.flags, l.joined[i+m[2]:i+m[3]]), append(l.at, i+m[2])
		i += m[3]
	}
	l.args = i + len(l.joined[i:]) - len(strings.TrimLeftFunc(l.joined[i:], unicode.IsSpace))
}

// Known reports whether the instruction could be taken apart at all.
func (l *Layout) Known() bool { return l.parts != nil }

// Command returns the arguments as one line, continuations joined, and where they
// start in what Between counts.
func (l *Layout) Command() (text string, offset int) {
	if l.parts == nil {
		return "", 0
	}
	return strings.TrimRightFunc(l.joined[l.args:], unicode.IsSpace), l.args
}

// Between is what stands from one offset of the joined line to another.
func (l *Layout) Between(from, to int) Range {
	if l.parts == nil || from < 0 || from > to || to > len(l.joined) {
		return Range{}
	}
	return Range{l.pos(from, false), l.pos(to, from < to)}
}

// pos finds an offset. Where two lines meet it is on the first of them if it ends
// something, or else on the second.
func (l *Layout) pos(offset int, ends bool) Pos {
	i := sort.Search(len(l.parts), func(i int) bool {
		return l.parts[i].start > offset || ends && l.parts[i].start == offset
	}) - 1
	p := l.parts[max(i, 0)]
	return Pos{p.line, 1 + units(p.before) + units(p.text[:min(offset-p.start, len(p.text))])}
}

// units is the length of a text in UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// Keyword is the name of the instruction.
func (l *Layout) Keyword() Range { return l.Between(0, len(l.in.Cmd)) }

// Args is all that follows the flags.
func (l *Layout) Args() Range {
	text, at := l.Command()
	if text == "" {
		return Range{}
	}
	return l.Between(at, at+len(text))
}

// Flag is the first flag of that name, with its value: "--network".
func (l *Layout) Flag(name string) Range {
	for i, f := range l.flags {
		if n, _, _ := strings.Cut(f, "="); n == name && l.parts != nil {
			return l.Between(l.at[i], l.at[i]+len(f))
		}
	}
	return Range{}
}

// FlagGap is the first flag of that name and the space between it and what follows:
// without it, the instruction does not have the flag.
func (l *Layout) FlagGap(name string) Range {
	for i, f := range l.flags {
		if n, _, _ := strings.Cut(f, "="); n == name && l.parts != nil {
			end := l.at[i] + len(f)
			rest := l.joined[end:]
			end += len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
			return Range{l.pos(l.at[i], false), l.pos(end, false)}
		}
	}
	return Range{}
}

// Front is where a further flag can be put.
func (l *Layout) Front() Range {
	if len(l.at) > 0 {
		return l.Between(l.at[0], l.at[0])
	}
	return l.Between(l.args, l.args)
}

// PairGap is what to take out of an ENV, LABEL or ARG that has several pairs so that
// the last one of that name is gone; zero if it is the only one.
func (l *Layout) PairGap(name string) Range {
	words := l.words()
	text, at := l.Command()
	for i := len(words) - 1; i >= 0 && len(words) > 1; i-- {
		key, _, ok := strings.Cut(text[words[i].from:words[i].to], "=")
		switch {
		case !ok && l.in.Cmd != "ARG":
			return Range{}
		case strings.Trim(key, `"'`) != name:
		case i == 0:
			return Range{l.pos(at, false), l.pos(at+words[1].from, false)}
		default:
			return Range{l.pos(at+words[i-1].to, true), l.pos(at+words[i].to, true)}
		}
	}
	return Range{}
}

// Pair is the assignment of that name in an ENV, LABEL or ARG, the last one if
// there are several. The form with a space between name and value has one pair.
func (l *Layout) Pair(name string) Range {
	words := l.words()
	if len(words) == 0 {
		return Range{}
	}
	text, at := l.Command()
	if first := text[words[0].from:words[0].to]; l.in.Cmd != "ARG" && !strings.Contains(first, "=") {
		if strings.Trim(first, `"'`) == name {
			return l.Between(at, at+len(text))
		}
		return Range{}
	}
	for i := len(words) - 1; i >= 0; i-- {
		key, _, _ := strings.Cut(text[words[i].from:words[i].to], "=")
		if strings.Trim(key, `"'`) == name {
			return l.Between(at+words[i].from, at+words[i].to)
		}
	}
	return Range{}
}

// Words are the words of the arguments, quotes kept together, in their order.
func (l *Layout) Words() []Range {
	_, at := l.Command()
	var out []Range
	for _, w := range l.words() {
		out = append(out, l.Between(at+w.from, at+w.to))
	}
	return out
}

type stretch struct{ from, to int }

// words splits the arguments (buildkit, parser.parseWords).
func (l *Layout) words() []stretch {
	text, _ := l.Command()
	var out []stretch
	start, quote := -1, rune(0)
	skip := false
	for i, r := range text {
		switch {
		case skip:
			skip = false
			continue
		case start < 0 && unicode.IsSpace(r):
			continue
		case start < 0:
			start = i
		case quote == 0 && unicode.IsSpace(r):
			out = append(out, stretch{start, i})
			start = -1
			continue
		}
		switch {
		case r == l.escape && quote != '\'':
			skip = true
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case r == quote:
			quote = 0
		}
	}
	if start >= 0 {
		out = append(out, stretch{start, len(text)})
	}
	return out
}

// Mention is where the arguments, or else the body of a heredoc, first name a text
// as a whole word: a path that does not go on, say.
func (l *Layout) Mention(text string) Range {
	command, at := l.Command()
	if i := mention(command, text); i >= 0 {
		return l.Between(at+i, at+i+len(text))
	}
	for _, h := range l.in.Heredocs {
		for n, line := range strings.Split(h.Body, "\n") {
			if i := mention(line, text); i >= 0 {
				r := l.Body(h, n+1)
				r.Start.Column += units(line[:i])
				r.End.Column = r.Start.Column + units(text)
				return r
			}
		}
	}
	return Range{}
}

func mention(in, text string) int {
	if text == "" {
		return -1
	}
	for from := 0; ; {
		i := strings.Index(in[from:], text)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(text)
		if (i == 0 || !partOfWord(in[i-1])) && (end == len(in) || !partOfWord(in[end])) {
			return i
		}
		from = i + 1
	}
}

func partOfWord(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == '/' || c >= utf8Start || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))
}

// utf8Start is the first byte that is no ASCII character.
const utf8Start = 0x80

// Body is a line of a heredoc, 1-based, without the tabs that <<- removes.
func (l *Layout) Body(h Heredoc, line int) Range {
	lines := strings.Split(strings.TrimSuffix(h.Body, "\n"), "\n")
	raw := strings.Split(l.in.Text, "\n")
	at := h.Line + line - 1 - l.in.Span.Start
	if line < 1 || line > len(lines) || at < 0 || at >= len(raw) || !strings.HasSuffix(raw[at], lines[line-1]) {
		return Range{}
	}
	start := 1 + units(strings.TrimSuffix(raw[at], lines[line-1]))
	return Range{Pos{h.Line + line - 1, start}, Pos{h.Line + line - 1, start + units(lines[line-1])}}
}

// Find returns the instruction that has the given span; nil if f has none.
func (f *File) Find(s Span) *Instr {
	for _, in := range f.Globals {
		if in.Span == s {
			return in
		}
	}
	for _, st := range f.Stages {
		if st.From.Span == s {
			return st.From
		}
		i := sort.Search(len(st.Instrs), func(i int) bool { return st.Instrs[i].Span.Start >= s.Start })
		if i < len(st.Instrs) && st.Instrs[i].Span == s {
			return st.Instrs[i]
		}
	}
	return nil
}
