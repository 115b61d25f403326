package dockerfile

import (
	"errors"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/moby/buildkit/frontend/dockerfile/shell"
)

// Marks enclose a reference to a variable without a value in expanded text. They
// travel with the text through further variables, so what is not known stays
// visible. Both are noncharacters, which no text may use (Unicode, 23.7).
const (
	markOpen  = '\uFDD0'
	markClose = '\uFDD1'
)

var unmark = strings.NewReplacer(string(markOpen), "", string(markClose), "")

// isKnown reports whether every variable in an expanded text had a value.
func isKnown(text string) bool { return !strings.ContainsRune(text, markOpen) }

// plain returns expanded text with unknown references as they were written.
func plain(text string) string { return unmark.Replace(text) }

// What expansion may cost. No process can be given a longer word than maxValue
// (Linux, MAX_ARG_STRLEN); text that is longer, or that edits long values, is
// taken as unknown.
const (
	maxValue  = 128 << 10
	maxEdited = 1 << 10 // word and values of one ${x#pattern}, ${x%pattern} or ${x/pattern/text}
	maxSpent  = 64 << 20
)

// A scope is the variables in force at one instruction.
type scope struct {
	vars   map[string]string // expanded
	last   *binding
	escape rune
	depth  int   // nesting of ${ that is followed
	spent  int64 // bytes made by expansion
}

// A binding is one assignment; the newest of a name counts.
type binding struct {
	name, value string
	prev        *binding
	n           int // how many come before it
}

func (s *scope) set(name, value string) {
	n := 0
	if s.last != nil {
		n = s.last.n + 1
	}
	s.vars[name] = value
	s.last = &binding{name, value, s.last, n}
}

// inner returns a scope that starts with the variables of s.
func (s *scope) inner() *scope {
	c := *s
	c.vars = maps.Clone(s.vars)
	return &c
}

// word expands a word as BuildKit does, and removes its quotes.
func (s *scope) word(word string) string {
	return s.expand(word, s.escape, true)
}

// body expands the body of a heredoc, where quotes mean nothing.
func (s *scope) body(text string) string { return s.expand(text, '\\', false) }

func (s *scope) expand(word string, escape rune, quotes bool) string {
	lex := shell.NewLex(escape)
	lex.SkipProcessQuotes = !quotes
	unknown := string(markOpen) + word + string(markClose)
	if s.spent > maxSpent || nesting(word) > s.depth || affordable(word) != nil {
		return unknown
	}
	g := &getter{vars: s.vars, left: maxValue}
	if edits(word) {
		g.left = maxEdited
	}
	allowed := g.left
	text, _, err := lex.ProcessWord(s.mark(word, escape, quotes), g)
	s.spent += int64(len(text))
	if edits(word) {
		used := int64(allowed - g.left)
		s.spent += used * (used + int64(len(word)))
	}
	if err != nil || g.left < 0 || len(text) > maxValue+len(word) {
		return unknown
	}
	return text
}

// affordable reports words whose expansion could cost too much.
func affordable(word string) error {
	if edits(word) && len(word) > maxEdited {
		return errors.New("too long to edit values in")
	}
	return nil
}

// edits reports whether a word may use a substitution with a pattern.
func edits(word string) bool {
	_, after, ok := strings.Cut(word, "${")
	return ok && strings.ContainsAny(after, "#%/")
}

// A getter hands out values up to a number of bytes.
type getter struct {
	vars map[string]string
	left int
}

func (g *getter) Get(name string) (string, bool) {
	v, ok := g.vars[name]
	if g.left -= len(v); g.left < 0 {
		return "", ok
	}
	return v, ok
}

func (g *getter) Keys() []string { return nil }

// mark encloses references to variables without a value. Those with a modifier,
// such as ${x:-y}, stay: they say themselves what no value means.
func (s *scope) mark(word string, escape rune, quotes bool) string {
	if !strings.Contains(word, "$") {
		return word
	}
	var b strings.Builder
	double := false
	for i := 0; i < len(word); {
		n := 1
		switch c, size := utf8.DecodeRuneInString(word[i:]); {
		case c == escape && i+size < len(word):
			_, next := utf8.DecodeRuneInString(word[i+size:])
			n = size + next
		case c == '"' && quotes:
			double = !double
		case c == '\'' && quotes && !double:
			n = len(word) - i
			if end := strings.IndexByte(word[i+1:], '\''); end >= 0 {
				n = end + 2
			}
		case c == '$':
			name, whole := reference(word[i:])
			if _, set := s.vars[name]; name != "" && !set {
				b.WriteString(string(markOpen) + string(escape) + whole + string(markClose))
				i += len(whole)
				continue
			}
		}
		b.WriteString(word[i : i+n])
		i += n
	}
	return b.String()
}

// reference returns the name in "$name" or "${name}" at the start of s, and all
// of the reference. There is none in "${name:-word}".
func reference(s string) (name, whole string) {
	if rest, ok := strings.CutPrefix(s, "${"); ok {
		name = variable(rest)
		if !strings.HasPrefix(rest[len(name):], "}") {
			return "", ""
		}
		return name, s[:len(name)+3]
	}
	name = variable(s[1:])
	return name, s[:len(name)+1]
}

// variable returns the name at the start of s (buildkit, shell.Lex).
func variable(s string) string {
	digits := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
	switch {
	case s == "":
		return ""
	case digits > 0:
		return s[:digits]
	case digits < 0:
		return s
	case strings.ContainsRune("@*#?-$!", rune(s[0])):
		return s[:1]
	}
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	if end < 0 {
		return s
	}
	return s[:end]
}
