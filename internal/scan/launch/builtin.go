package launch

import (
	"cmp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// call takes a path through a simple command.
func (s *script) call(c *syntax.CallExpr, st *state) *state {
	s.expansions(c, st)
	if len(c.Args) == 0 {
		s.assign(c.Assigns, st, same)
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
	if why := s.anything(words); why != "" {
		at := s.next(c, words, st)
		s.keep(&at, "%s", why)
		at.proc = at.proc.with(s.from.argv[0].Name(), s.from.at, s.single)
		s.executes(&at)
		s.given(&at, cmp.Or(s.whatever(words), "a shell"))
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
		st.tails = []call{s.starts(c, words, st)}
	} else {
		s.changes(words, s.place(c), st)
	}
	return st
}

// anything says that a command runs what others give it, which can be anything;
// empty if it does not.
func (s *script) anything(words []shell.Word) string {
	if w := s.whatever(words); w != "" {
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
func (s *script) whatever(words []shell.Word) string {
	for range maxHops {
		if len(words) == 0 || !words[0].Known {
			break
		}
		if _, changes := changeOf(words); changes {
			return "" // who it runs as is another question
		}
		rest, ok := s.unwrap(&call{argv: words, vars: vars{}})
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
	s.functions++
	defer func() { s.functions-- }()
	return s.inside(f.file, nil, func() *state {
		return s.function(c, args, st, func(st *state) *state { return s.stmt(f.body, st) })
	})
}

// next is a command as it is run from where st stands.
func (s *script) next(c *syntax.CallExpr, words []shell.Word, st *state) call {
	after := st.clone()
	s.assign(c.Assigns, after, export)
	return call{argv: words, vars: after.vars.exported(), dir: st.dir, accounts: st.accounts, at: s.place(c), links: s.from.links,
		proc: after.proc, told: s.from.told, aside: s.from.aside, beside: s.from.beside || s.background > 0}
}

// starts is a command that runs in a process of its own, while the shell lives on.
func (s *script) starts(c *syntax.CallExpr, words []shell.Word, st *state) call {
	next := s.next(c, words, st)
	next.proc = next.proc.with(s.from.argv[0].Name(), s.from.at, s.single)
	st.proc.did(effect.StartProcess, words[0].Name(), next.at, 0, "")
	s.besides(next)
	return next
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
		st.all = allExport(args, st.all)
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
		s.unset(c, args, st)
	case "read", "getopts", "mapfile", "readarray", "let":
		for _, w := range args {
			if syntax.ValidName(w.Text) {
				st.vars[w.Text] = value{words: unknown.words, exported: st.vars[w.Text].exported}
			}
		}
	case "eval":
		return s.eval(c, args, st), true
	case "trap":
		return s.trap(c, args, st), true
	case "alias":
		s.alias(args, st)
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
	next := s.next(c, p.Rest, st)
	if p.Flags["-c"] {
		next.vars = vars{}
	}
	next.proc.did(effect.ReplaceProcess, p.Rest[0].Name(), next.at, 0, "")
	s.besides(next)
	st.tails = []call{next}
	s.ends = append(s.ends, st)
	return nil
}

func (s *script) eval(c *syntax.CallExpr, words []shell.Word, st *state) *state {
	for _, w := range words {
		if !w.Known {
			s.hideAt(c, "what eval runs, %s, is not known", w.Name())
			st.proc.state.Lost = true
			return st
		}
	}
	f, err := shell.Parse(shell.Source(words))
	if err != nil || s.calls >= maxCalls {
		s.hideAt(c, "what eval runs can't be read")
		st.proc.state.Lost = true
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
		st.proc.state.Lost = true
		return st
	}
	s.runs(Link{Path: f.Path, File: f, By: s.place(c)}, st.proc)
	parsed, problem := s.parse(f)
	if problem != "" {
		s.hideAt(c, "%s", problem)
		st.proc.state.Lost = true
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
