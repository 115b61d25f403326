package launch

import (
	"maps"
	"path"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A script is a shell script on its way through its statements. Where a condition
// can't be decided, both ways are taken, and met again after it; a loop is taken
// until another round changes nothing.
type script struct {
	*tracer
	from       call        // that runs the script
	file       *image.File // nil for text after -c
	zero       shell.Word  // "$0"
	bash       accounts.Answer
	fixed      *Place   // where all that is read stands, while eval's text is read
	calls      int      // of functions and sourced files, nested
	single     bool     // a single command, by which many shells replace themselves
	locals     []string // variables of the function
	functions  int      // that are being taken, nested
	background int      // how many of the statements that are being taken run in the background
	unrolled   int      // how often the body of the loop is taken that is

	ends    []*state // of paths that left the script, or the subshell
	returns []*state // of paths that left the function, or the sourced file
	breaks  []*state // of paths that left the loop
}

const (
	maxCalls = 20
	maxTails = 64
)

// script follows a script. Its paths end with exec, with exit, or with its text:
// what a path ran last is then what the container runs. f is nil for text after -c.
func (t *tracer) script(c call, parsed *syntax.File, f *image.File, zero shell.Word, args []shell.Word) {
	s := &script{tracer: t, from: c, file: f, zero: zero, bash: t.isBash(c)}
	st := &state{vars: c.vars.exported(), funcs: map[string]function{}, args: args, dir: c.dir, accounts: c.accounts, proc: c.proc}
	s.single = f == nil && len(parsed.Stmts) == 1
	if f != nil {
		t.runs(Link{Path: f.Path, File: f, By: c.at}, c.proc)
	}
	t.depth++
	last := s.list(parsed.Stmts, s.started(st))
	final := join(append(s.ends, s.returns...)...)
	final = join(final, last)
	switch {
	case final == nil:
	case len(final.tails) > maxTails:
		s.hide(&s.from, "the script is too large to be followed")
	default:
		for _, tail := range final.tails {
			t.done[tail.key()] = true
			t.follow(tail)
		}
	}
	t.depth--
}

// started takes a path through what Bash reads before a script (bash(1), BASH_ENV).
func (s *script) started(st *state) *state {
	name, known, _ := st.vars.getenv("BASH_ENV")
	if s.bash != accounts.Yes || !known || name == "" {
		return st
	}
	f := s.lookup(absolute(st.dir, name))
	if f == nil {
		return st // Bash goes on without
	}
	parsed, problem := s.parse(f)
	if problem != "" {
		s.hide(&s.from, "%s", problem)
		st.proc.state.Lost = true
		return st
	}
	s.runs(Link{Path: f.Path, File: f, By: s.from.at}, st.proc)
	return s.inside(f, nil, func() *state { return s.list(parsed.Stmts, st) })
}

// isBash reports whether the shell of c is Bash, which sets UID and EUID.
func (t *tracer) isBash(c call) accounts.Answer {
	name := path.Base(c.argv[0].Text)
	if l := c.links[len(c.links)-1]; l.Path != "" {
		name = path.Base(l.Path)
	}
	switch name {
	case "bash", "rbash":
		return accounts.Yes
	case "dash", "ash", "busybox":
		return accounts.No
	}
	return accounts.Unknown
}

// place is where a node stands.
func (s *script) place(n syntax.Node) Place {
	if s.fixed != nil {
		return *s.fixed
	}
	return Place{s.file, int(n.Pos().Line())}
}

// inside runs with the statements of another file, or of a text at a fixed place.
func (s *script) inside(f *image.File, fixed *Place, run func() *state) *state {
	file, outer := s.file, s.fixed
	s.file, s.fixed = f, fixed
	st := run()
	s.file, s.fixed = file, outer
	return st
}

// hideAt records that a path can't be followed beyond a node.
func (s *script) hideAt(n syntax.Node, format string, args ...any) {
	c := s.from
	c.at = s.place(n)
	s.hide(&c, format, args...)
}

// list takes a path through statements; nil if it does not get to their end.
func (s *script) list(stmts []*syntax.Stmt, st *state) *state {
	for _, x := range stmts {
		if st == nil {
			return nil
		}
		st = s.stmt(x, st)
	}
	return st
}

func (s *script) stmt(x *syntax.Stmt, st *state) *state {
	if x.Background || x.Coprocess {
		s.background++
		defer func() { s.background-- }()
		return s.subshell(st, true, func(st *state) *state { return s.command(x, st) })
	}
	return s.command(x, st)
}

func (s *script) command(x *syntax.Stmt, st *state) *state {
	if s.budget -= cost(x); s.budget < 0 || len(st.vars) > maxVars || len(st.tails) > maxTails {
		s.hideAt(x, "the script is too large to be followed")
		s.cut = true
		return nil
	}
	s.reads(x.Cmd, st)
	s.redirects(x, st)
	switch c := x.Cmd.(type) {
	case *syntax.CallExpr:
		return s.call(c, st)
	case *syntax.DeclClause:
		s.expansions(c, st)
		s.declare(c, st)
	case *syntax.BinaryCmd, *syntax.TestClause, *syntax.ArithmCmd:
		st, _ = s.test(x, st)
	case *syntax.Block:
		return s.list(c.Stmts, st)
	case *syntax.Subshell:
		return s.subshell(st, true, func(st *state) *state { return s.list(c.Stmts, st) })
	case *syntax.IfClause:
		return s.ifClause(c, st)
	case *syntax.WhileClause:
		return s.while(c, st)
	case *syntax.ForClause:
		return s.forClause(c, st)
	case *syntax.CaseClause:
		return s.caseClause(c, st)
	case *syntax.FuncDecl:
		if c.Name != nil {
			st.funcs[c.Name.Value] = function{c.Body, s.file}
		}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return s.stmt(c.Stmt, st)
		}
	case *syntax.CoprocClause:
		return s.subshell(st, true, func(st *state) *state { return s.stmt(c.Stmt, st) })
	}
	return st
}

// cost is what reading a statement takes from the budget: more than one if it is
// long.
func cost(x *syntax.Stmt) int {
	switch c := x.Cmd.(type) {
	case *syntax.CallExpr, *syntax.DeclClause, *syntax.TestClause, *syntax.ArithmCmd:
		return 1 + int(c.End().Offset()-c.Pos().Offset())/64
	case *syntax.CaseClause:
		n := 1
		for _, item := range c.Items {
			n += len(item.Patterns)
		}
		return n
	}
	return 1
}

// subshell takes a path through what runs in a process of its own: it can't end
// the path or change its variables, but what it ran last counts, if keepTails.
func (s *script) subshell(st *state, keepTails bool, run func(*state) *state) *state {
	ends, returns, breaks := s.ends, s.returns, s.breaks
	s.ends, s.returns, s.breaks = nil, nil, nil
	out := join(run(st.clone()))
	out = join(append(append(append(s.ends, s.returns...), s.breaks...), out)...)
	s.ends, s.returns, s.breaks = ends, returns, breaks
	if out != nil && keepTails {
		st.tails = out.tails
	}
	if out != nil {
		st.proc.state.Lost = st.proc.state.Lost || out.proc.state.Lost
	}
	return st
}

// function takes a path through the body of a function or a sourced file.
func (s *script) function(n syntax.Node, args []shell.Word, st *state, body func(*state) *state) *state {
	if s.calls >= maxCalls {
		s.hideAt(n, "functions call one another too deeply to be followed")
		return nil
	}
	returns, locals, outer, vars := s.returns, s.locals, st.args, maps.Clone(st.vars)
	s.returns, s.locals, st.args = nil, nil, args
	s.calls++
	out := body(st)
	s.calls--
	if out = join(append(s.returns, out)...); out != nil {
		out.args = outer
		for _, name := range s.locals {
			if x, ok := vars[name]; ok {
				out.vars[name] = x
			} else {
				delete(out.vars, name)
			}
		}
	}
	s.returns, s.locals = returns, locals
	return out
}
