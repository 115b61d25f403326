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
	maybe    bool // whether it is set, or exported, is not known
}

func (x value) equal(y value) bool {
	return x.exported == y.exported && x.maybe == y.maybe && slices.Equal(x.words, y.words)
}

// meet is the value where two paths meet.
func (x value) meet(y value) value {
	if x.equal(y) {
		return x
	}
	out := value{words: x.words, exported: x.exported || y.exported, maybe: x.maybe || y.maybe || x.exported != y.exported}
	if !slices.Equal(x.words, y.words) {
		holds := ""
		for _, w := range slices.Concat(x.words, y.words) {
			if w.Holds != "" {
				holds, out.maybe = w.Holds, true
			}
		}
		out.words = []shell.Word{{Holds: holds}}
	}
	return out
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
	for _, name := range s.watched[:s.session] {
		v[name] = value{words: []shell.Word{{Text: "$" + name, Holds: name}}, exported: true}
	}
	for _, kv := range s.env {
		if name, text, ok := strings.Cut(kv, "="); ok {
			w := shell.Word{Text: text, Known: true, Loose: true}
			if s.bit(name) != 0 {
				w.Holds = name
			}
			v[name] = value{words: []shell.Word{w}, exported: true}
		}
	}
	for _, name := range s.vague {
		v[name] = value{words: unknown.words, exported: true}
	}
	return v
}

// A state is what is known where a path stands in a script.
type state struct {
	vars  vars
	funcs map[string]function
	args  []shell.Word // "$@"
	dir   string       // empty if unknown
	proc  process      // the shell's own
	all   bool         // what is set is exported, too ("set -a")
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

// forget makes every variable unknown. One that is watched may be set again.
func (s *state) forget(watched []string) {
	for name, x := range s.vars {
		s.vars[name] = value{words: unknown.words, exported: x.exported, maybe: x.maybe}
	}
	for _, name := range watched {
		s.vars[name] = value{words: []shell.Word{{Holds: name}}, exported: true, maybe: true}
	}
}

// same reports whether the same is known in both states.
func (s *state) same(o *state) bool {
	if s == nil || o == nil {
		return s == o
	}
	return maps.EqualFunc(s.vars, o.vars, value.equal) && s.proc.state == o.proc.state && s.all == o.all &&
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
			s.vars[name] = value{}
		}
	}
	for name, x := range s.vars {
		if y, ok := o.vars[name]; !ok || !x.equal(y) {
			s.vars[name] = x.meet(y)
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
	s.proc = s.proc.meet(o.proc)
	s.all = s.all || o.all
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
