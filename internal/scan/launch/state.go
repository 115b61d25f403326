package launch

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// vars are variables by name. One that is not there was never set by the script
// or the image.
type vars map[string]value

type value struct {
	words    []shell.Word // one, or the elements of an array
	exported bool
}

var unset = value{words: []shell.Word{{Known: true}}} // by unset(1): as good as empty

var unknown = value{words: []shell.Word{{}}}

const maxVars = 500

func (v vars) text(name, otherwise string) string {
	if x, ok := v[name]; ok && len(x.words) == 1 && x.words[0].Known {
		return cmp.Or(x.words[0].Text, otherwise)
	}
	return otherwise
}

// exported is what a program that replaces the shell sees.
func (v vars) exported() vars {
	out := vars{}
	for name, x := range v {
		if x.exported {
			out[name] = x
		}
	}
	return out
}

// environment is what the first program sees: the image's variables, which can be
// changed when the container is started, and those that the runtime sets.
func (s *system) environment() vars {
	v := vars{}
	for _, name := range []string{"HOME", "HOSTNAME", "PWD", "OLDPWD", "TERM"} {
		v[name] = value{words: unknown.words, exported: true}
	}
	for _, kv := range s.env {
		if name, text, ok := strings.Cut(kv, "="); ok {
			v[name] = value{words: []shell.Word{{Text: text, Known: true, Loose: true}}, exported: true}
		}
	}
	return v
}

// A state is what is known where a path stands in a script.
type state struct {
	vars  vars
	funcs map[string]function
	args  []shell.Word // "$@"
	dir   string       // empty if unknown
	// accounts means that the script made or changed some: names may stand for
	// other users than in the image.
	accounts bool
	tails    []call // the last thing this path ran that is more than setup; several where paths met
}

func (s *state) clone() *state {
	if s == nil {
		return nil
	}
	c := *s
	c.vars, c.funcs = maps.Clone(s.vars), maps.Clone(s.funcs)
	return &c
}

// forget makes every variable unknown.
func (s *state) forget() {
	for name, x := range s.vars {
		s.vars[name] = value{words: unknown.words, exported: x.exported}
	}
}

// same reports whether the same is known in both states.
func (s *state) same(o *state) bool {
	if s == nil || o == nil {
		return s == o
	}
	return maps.EqualFunc(s.vars, o.vars, func(a, b value) bool { return slices.Equal(a.words, b.words) }) &&
		maps.Equal(s.funcs, o.funcs) && slices.Equal(s.args, o.args) && s.dir == o.dir && s.accounts == o.accounts && len(s.tails) == len(o.tails)
}

// A function is its body and the file that defines it. The body is nil if it has
// several.
type function struct {
	body *syntax.Stmt
	file *image.File
}

// join is what is known where paths meet; nil if none gets there.
func join(states ...*state) *state {
	var out *state
	for _, s := range states {
		switch {
		case s == nil:
		case out == nil:
			out = s.clone()
		default:
			out.meet(s)
		}
	}
	return out
}

func (s *state) meet(o *state) {
	for name := range o.vars {
		if _, ok := s.vars[name]; !ok {
			s.vars[name] = unknown
		}
	}
	for name, x := range s.vars {
		if y, ok := o.vars[name]; !ok || !slices.Equal(x.words, y.words) {
			s.vars[name] = value{words: unknown.words, exported: x.exported || y.exported}
		}
	}
	for name, f := range o.funcs {
		if g, ok := s.funcs[name]; !ok || f != g {
			s.funcs[name] = function{}
		}
	}
	for name := range s.funcs {
		if _, ok := o.funcs[name]; !ok {
			s.funcs[name] = function{}
		}
	}
	if !slices.Equal(s.args, o.args) {
		s.args = []shell.Word{{Text: `"$@"`, Any: true}}
	}
	if s.dir != o.dir {
		s.dir = ""
	}
	s.accounts = s.accounts || o.accounts
	s.tails = union(s.tails, o.tails)
}

func union(a, b []call) []call {
	out := slices.Clone(a)
	for _, c := range b {
		if len(out) > maxTails {
			break // the script is given up
		}
		if !slices.ContainsFunc(out, func(o call) bool { return o.at == c.at && slices.Equal(o.argv, c.argv) }) {
			out = append(out, c)
		}
	}
	return out
}
