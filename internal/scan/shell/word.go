package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Word is one argument of a command, as far as it is known.
type Word struct {
	Text  string // of a known word; else the source text, for messages
	Known bool
	Any   bool // unknown, and may be any number of arguments: "$@"
	Loose bool // known, but the container's environment or arguments can change it
}

// Known returns words that are known.
func Known(texts ...string) []Word {
	var out []Word
	for _, t := range texts {
		out = append(out, Word{Text: t, Known: true})
	}
	return out
}

// Source joins words for a message.
func Source(words []Word) string {
	var out []string
	for _, w := range words {
		out = append(out, w.Text)
	}
	return strings.Join(out, " ")
}

// maxText is the length over which a word is taken as unknown, so that words
// made of words stay small.
const maxText = 4096

// A Scope is what the words of a script may refer to.
type Scope struct {
	// Var returns a variable's value: one word, or several for an array.
	Var  func(name string) (value []Word, set bool)
	Args []Word // "$@"
	Zero Word   // "$0"
	// Open means that a variable which is not set here may be set when the
	// script runs.
	Open bool
	// Subst returns what a command substitution prints; nil if none is known.
	Subst func(*syntax.CmdSubst) Word
}

// Expand returns the arguments that the words of a command become (POSIX XCU
// 2.6). File names are not expanded.
func (s *Scope) Expand(words ...*syntax.Word) []Word {
	var out []Word
	for _, w := range words {
		f := fields{}
		s.parts(&f, w.Parts, false)
		out = append(out, f.end()...)
	}
	return out
}

// Value returns what a word becomes where it is not split: in an assignment, a
// redirection, a test.
func (s *Scope) Value(w *syntax.Word) Word {
	if w == nil {
		return Word{Known: true}
	}
	f := fields{}
	s.parts(&f, w.Parts, true)
	return join(f.end())
}

func (s *Scope) parts(f *fields, parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			s.literal(f, p, quoted)
		case *syntax.SglQuoted:
			if p.Dollar && strings.Contains(p.Value, `\`) {
				f.unknown(print(p), false)
			} else {
				f.add(Word{Text: p.Value, Known: true})
			}
		case *syntax.DblQuoted:
			s.quoted(f, p)
		case *syntax.ParamExp:
			words, split := s.param(p)
			if quoted && (p.Param != nil && p.Param.Value == "*" || subscript(p) == "*") {
				words = []Word{join(words)}
			}
			f.expansion(words, quoted, split)
		case *syntax.CmdSubst:
			f.expansion([]Word{s.subst(p)}, quoted, true)
		default:
			f.unknown(print(p), false)
		}
	}
}

func (s *Scope) quoted(f *fields, q *syntax.DblQuoted) {
	f.add(Word{Known: true}) // "" is a word
	for _, p := range q.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			f.add(Word{Text: unescape(l.Value, "$`\"\\\n"), Known: true})
			continue
		}
		if e, ok := p.(*syntax.ParamExp); ok && isAll(e) {
			words, _ := s.param(e)
			f.list(words, len(q.Parts) == 1)
			continue
		}
		s.parts(f, []syntax.WordPart{p}, true)
	}
}

func (s *Scope) literal(f *fields, l *syntax.Lit, quoted bool) {
	if !quoted && strings.Contains(l.Value, "{") && strings.ContainsAny(l.Value, ",.") {
		f.unknown(l.Value, true) // a brace expansion
		return
	}
	f.add(Word{Text: unescape(l.Value, ""), Known: true})
}

func (s *Scope) subst(c *syntax.CmdSubst) Word {
	if s.Subst != nil {
		if w := s.Subst(c); w.Known {
			return w
		}
	}
	return Word{Text: print(c)}
}

// unescape removes backslashes: before any character, or only before those of set.
func unescape(text, set string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (set == "" || strings.IndexByte(set, text[i+1]) >= 0) {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// print returns the source of a node, shortened, for messages.
func print(n syntax.Node) string {
	if n.End().Offset()-n.Pos().Offset() > 200 {
		return "..."
	}
	var b strings.Builder
	syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n)
	if b.Len() > 80 {
		return b.String()[:77] + "..."
	}
	return b.String()
}

// fields collects what one word becomes.
type fields struct {
	done []Word
	cur  Word
	some bool // cur has begun
}

func (f *fields) add(w Word) {
	if !f.some {
		f.cur, f.some = w, true
		return
	}
	f.cur.Known = f.cur.Known && w.Known && len(f.cur.Text)+len(w.Text) <= maxText
	if len(f.cur.Text) <= maxText {
		f.cur.Text += w.Text
	}
	f.cur.Loose = f.cur.Loose || w.Loose
	f.cur.Any = f.cur.Any || w.Any
}

func (f *fields) unknown(source string, any bool) { f.add(Word{Text: source, Any: any}) }

// expansion adds the value of an expansion, split at blanks unless quoted.
func (f *fields) expansion(words []Word, quoted, split bool) {
	for i, w := range words {
		if i > 0 {
			f.cut()
		}
		if quoted || !split {
			f.add(w)
			continue
		}
		if !w.Known {
			w.Any = true
			f.add(w)
			continue
		}
		f.split(w)
	}
}

func (f *fields) split(w Word) {
	parts := strings.Fields(w.Text)
	if len(parts) == 0 {
		return
	}
	if strings.ContainsAny(w.Text[:1], " \t\n") {
		f.cut()
	}
	for i, p := range parts {
		if i > 0 {
			f.cut()
		}
		f.add(Word{Text: p, Known: true, Loose: w.Loose})
	}
	if strings.ContainsAny(w.Text[len(w.Text)-1:], " \t\n") {
		f.cut()
	}
}

// list adds a quoted "$@" or "${a[@]}": each element stays one word. Alone, an
// empty list is no word at all.
func (f *fields) list(words []Word, alone bool) {
	if alone && len(words) == 0 && f.cur == (Word{Known: true}) {
		f.some = false
	}
	for i, w := range words {
		if i > 0 {
			f.cut()
		}
		f.add(w)
	}
}

func (f *fields) cut() {
	if f.some {
		f.done, f.cur, f.some = append(f.done, f.cur), Word{}, false
	}
}

func (f *fields) end() []Word {
	f.cut()
	return f.done
}

// join makes one word of all, as "$*" and an assignment do.
func join(all []Word) Word {
	out := Word{Known: true}
	for i, w := range all {
		if i > 0 {
			out.Text += " "
		}
		out.Text += w.Text
		out.Known = out.Known && w.Known && len(out.Text) <= maxText
		out.Loose = out.Loose || w.Loose
		if len(out.Text) > maxText {
			return Word{Text: out.Text[:77] + "..."}
		}
	}
	return out
}
