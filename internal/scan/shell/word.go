package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Word is one argument of a command, as far as it is known.
type Word struct {
	Text  string // of a known word; else the source text, for messages
	Known bool
	Any   bool // unknown, and may be any number of arguments: "$@"
	Loose bool // known, but the container's environment or arguments can change it
	// Holds names the variables whose value the word holds, as Scope.Var tells of
	// its parts: "TOKEN" or, of several, "ID TOKEN".
	Holds string
}

// with is what the word holds besides: names, each once, sorted.
func (w Word) with(names string) Word {
	if names == "" || names == w.Holds {
		return w
	}
	all := append(strings.Fields(w.Holds), strings.Fields(names)...)
	slices.Sort(all)
	w.Holds = strings.Join(slices.Compact(all), " ")
	return w
}

// Known returns words that are known.
func Known(texts ...string) []Word {
	var out []Word
	for _, t := range texts {
		out = append(out, Word{Text: t, Known: true})
	}
	return out
}

// Name is what a message may call the word: its text, or of an unknown one the
// variable it comes from. More of a script's text could show a secret.
func (w Word) Name() string {
	if w.Known || variable.MatchString(w.Text) {
		return w.Text
	}
	return "a text that is computed"
}

var variable = regexp.MustCompile(`^"?\$(\w+|[@*#]|\{\w+\})"?$`)

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
	// Loose means the same, but that what it holds then does not matter: its value
	// here is empty, and can be changed.
	Loose bool
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
				f.unknown(source(p), false)
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
			f.unknown(source(p), false)
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
	w := Word{}
	if s.Subst != nil {
		w = s.Subst(c)
	}
	if !w.Known {
		w.Text = source(c)
	}
	return w
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

// source returns the source of a node, shortened, for messages.
func source(n syntax.Node) string {
	if n.End().Offset()-n.Pos().Offset() > 200 {
		return "..."
	}
	var b strings.Builder
	_ = syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n) // to memory: does not fail
	if b.Len() > 80 {
		return b.String()[:77] + "..."
	}
	return b.String()
}
