package launch

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// call takes a path through a simple command.
func (s *script) call(c *syntax.CallExpr, st *state) *state {
	s.expansions(c, st)
	if len(c.Args) == 0 {
		s.assign(c.Assigns, st, false)
		return st
	}
	words := s.scope(st).Expand(c.Args...)
	plain := true // functions count
	for len(words) > 1 && words[0].Known && (words[0].Text == "command" || words[0].Text == "builtin") {
		plain = false
		if words = words[1:]; strings.HasPrefix(words[0].Text, "-") {
			return st // asks what a command is
		}
	}
	if len(words) == 0 {
		return st
	}
	name := words[0]
	if why := anything(words); why != "" {
		at := s.from
		at.at = s.place(c)
		s.keep(&at, "%s", why)
		return st
	}
	if f, ok := st.funcs[name.Text]; ok && name.Known && plain {
		return s.callFunction(c, f, words[1:], st)
	}
	if name.Known {
		if out, ok := s.builtin(c, words, st); ok {
			return out
		}
	}
	st.accounts = st.accounts || changesAccounts(words)
	if !setup(words) {
		st.tails = []call{s.next(c, words, st)}
	}
	return st
}

// anything says that a command runs what others give it, which can be anything;
// empty if it does not.
func anything(words []shell.Word) string {
	if w := whatever(words); w != "" {
		return w + " runs as root, whatever it is"
	}
	if name := words[0]; name.Known && shell.Is(name.Text) {
		if text, _, file := shellArgs(words[1:]); text == nil && file == nil {
			return name.Text + " runs what it is given, as root"
		}
	}
	return ""
}

// whatever is the part of a command that runs what it is given, be it behind a
// wrapper; empty if there is none.
func whatever(words []shell.Word) string {
	for len(words) > 0 && words[0].Known {
		rest, ok := unwrap(words)
		if !ok {
			return ""
		}
		words = rest
	}
	if len(words) > 0 && words[0].Any {
		return words[0].Name()
	}
	return ""
}

func (s *script) callFunction(c *syntax.CallExpr, f function, args []shell.Word, st *state) *state {
	if f.body == nil {
		s.hideAt(c, "which of its definitions %s has is not known", c.Args[0].Lit())
		return st
	}
	return s.inside(f.file, nil, func() *state {
		return s.function(c, args, st, func(st *state) *state { return s.stmt(f.body, st) })
	})
}

// next is a command as it is run from where st stands.
func (s *script) next(c *syntax.CallExpr, words []shell.Word, st *state) call {
	after := st.clone()
	s.assign(c.Assigns, after, true)
	return call{argv: words, vars: after.vars.exported(), dir: st.dir, accounts: st.accounts, at: s.place(c), links: s.from.links}
}

// builtin takes a path through a builtin that changes the state or ends the path.
// ok is false if the command is none.
func (s *script) builtin(c *syntax.CallExpr, words []shell.Word, st *state) (out *state, ok bool) {
	args := words[1:]
	switch words[0].Text {
	case "exec":
		return s.exec(c, args, st), true
	case "exit":
		if len(args) == 1 && args[0].Known && args[0].Text != "0" {
			st.tails = nil // a failure: the container stops
		}
		s.ends = append(s.ends, st)
		return nil, true
	case "return":
		s.returns = append(s.returns, st)
		return nil, true
	case "break", "continue":
		s.breaks = append(s.breaks, st)
		return nil, true
	case "set":
		st.args = positional(args, st.args)
	case "shift":
		st.args = shift(args, st.args)
	case "cd", "pushd":
		to := ""
		if len(args) == 1 && args[0].Known {
			to = absolute(st.dir, args[0].Text)
		}
		st.dir = to
	case "popd":
		st.dir = ""
	case "unset":
		for _, w := range args {
			st.vars[w.Text] = unset
		}
	case "read", "getopts", "mapfile", "readarray", "let":
		for _, w := range args {
			if syntax.ValidName(w.Text) {
				st.vars[w.Text] = unknown
			}
		}
	case "eval":
		return s.eval(c, args, st), true
	case ".", "source":
		return s.source(c, args, st), true
	default:
		return nil, false
	}
	return st, true
}

func (s *script) exec(c *syntax.CallExpr, args []shell.Word, st *state) *state {
	p := shell.Options{"-a": "a"}.Parse(args, false)
	if len(p.Rest) == 0 {
		return st // redirections only
	}
	st.tails = []call{s.next(c, p.Rest, st)}
	s.ends = append(s.ends, st)
	return nil
}

// positional is "$@" after set(1): its operands, if it has any.
func positional(words, old []shell.Word) []shell.Word {
	for i, w := range words {
		switch {
		case w.Known && w.Text == "--":
			return words[i+1:]
		case !w.Known || w.Text == "" || w.Text[0] != '-' && w.Text[0] != '+':
			if i > 0 && (words[i-1].Text == "-o" || strings.HasSuffix(words[i-1].Text, "o")) {
				continue // the name of an option
			}
			return words[i:]
		}
	}
	return old
}

func shift(words, args []shell.Word) []shell.Word {
	n := 1
	if len(words) > 0 {
		var err error
		if n, err = strconv.Atoi(words[0].Text); err != nil || n < 0 {
			return []shell.Word{{Text: `"$@"`, Any: true}}
		}
	}
	for ; n > 0 && len(args) > 0 && !args[0].Any; n-- {
		args = args[1:]
	}
	return args
}

func (s *script) eval(c *syntax.CallExpr, words []shell.Word, st *state) *state {
	for _, w := range words {
		if !w.Known {
			s.hideAt(c, "what eval runs, %s, is not known", w.Name())
			return st
		}
	}
	f, err := shell.Parse(shell.Source(words))
	if err != nil || s.calls >= maxCalls {
		s.hideAt(c, "what eval runs can't be read")
		return st
	}
	here := s.place(c)
	s.calls++
	st = s.inside(s.file, &here, func() *state { return s.list(f.Stmts, st) })
	s.calls--
	return st
}

// source takes a path through a file that is read as a part of the script.
func (s *script) source(c *syntax.CallExpr, words []shell.Word, st *state) *state {
	if len(words) == 0 {
		return st
	}
	name := words[0]
	f := s.lookup(absolute(st.dir, name.Text))
	if !name.Known || f == nil {
		s.hideAt(c, "the file that is sourced, %s, is not known", name.Name())
		return st
	}
	parsed, problem := s.parse(f)
	if problem != "" {
		s.hideAt(c, "%s", problem)
		return st
	}
	args := st.args
	if len(words) > 1 {
		args = words[1:]
	}
	return s.inside(f, nil, func() *state {
		return s.function(c, args, st, func(st *state) *state { return s.list(parsed.Stmts, st) })
	})
}
