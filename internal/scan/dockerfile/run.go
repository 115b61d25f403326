package dockerfile

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A session is a shell that is followed without running anything.
type session struct {
	*layer
	vars  map[string][]shell.Word // what the script itself sets
	funcs map[string]*syntax.Stmt
	dir   string // empty if a cd went to an unknown place
	depth int    // of scripts and functions within each other
	stdin *string
	zero  string       // "$0"
	argv  []shell.Word // "$@"
	left  left         // the script at hand
}

// command predicts what a RUN does.
func (l *layer) command(s *Step) {
	defer l.mount(s)()
	r := &session{layer: l, vars: map[string][]shell.Word{}, funcs: map[string]*syntax.Stmt{}, dir: s.abs(""), zero: "sh"}
	switch in := s.Instr; {
	case in.Exec:
		r.execute(arguments(s.Args))
	case len(s.Args) == 1 && strings.HasPrefix(s.Args[0], pipes) && len(in.Heredocs) > 0:
		r.script(in.Heredocs[0].Body)
	case !posix(s.Shell):
		l.opaque("its shell is not one that is understood")
	case len(s.Args) == 1:
		r.script(s.Args[0])
	}
}

var shellName = regexp.MustCompile(`^(sh|ash|dash|bash)$`)

func posix(words []string) bool { return len(words) > 0 && shellName.MatchString(path.Base(words[0])) }

// script follows a script. One for another interpreter than a shell may do
// anything.
func (r *session) script(text string) {
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "#!") {
		words := strings.Fields(first[2:])
		if len(words) > 0 && path.Base(words[0]) == "env" {
			words = words[1:]
		}
		if !posix(words) {
			r.opaque("a script for another interpreter than a shell")
			return
		}
	}
	f, err := shell.Parse(text)
	if err != nil || r.depth > maxDepth {
		r.opaque("a script that could not be parsed")
		return
	}
	before := r.left
	r.depth, r.left = r.depth+1, stays
	r.stmts(f.Stmts)
	r.depth, r.left = r.depth-1, before
}

// maxDepth is how deep scripts and functions are followed into each other.
const maxDepth = 10

func (r *session) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		switch {
		case r.left == surely, !r.spend(1):
			return
		case r.left == perhaps:
			r.perhaps(func() { r.stmt(s) })
		default:
			r.stmt(s)
		}
	}
}

func (r *session) stmt(s *syntax.Stmt) {
	if s == nil {
		return
	}
	out, prints := r.output(s)
	if !prints {
		r.node(s.Cmd)
	}
	r.redirect(s.Redirs, out)
}

func (r *session) node(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.BinaryCmd:
		r.binary(c)
	case *syntax.Block:
		r.stmts(c.Stmts)
	case *syntax.Subshell:
		r.apart(func() { r.stmts(c.Stmts) })
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.stmts(c.Cond)
			r.perhaps(func() { r.stmts(c.Then) })
		}
	case *syntax.WhileClause:
		r.perhaps(func() { r.stmts(c.Cond); r.stmts(c.Do) })
	case *syntax.ForClause:
		r.loop(c)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			r.perhaps(func() { r.stmts(item.Stmts) })
		}
	case *syntax.FuncDecl:
		r.funcs[c.Name.Value] = c.Body
	case *syntax.DeclClause:
		for _, a := range c.Args {
			r.assign(a)
		}
	case *syntax.TimeClause:
		r.stmt(c.Stmt)
	}
}

// perhaps follows what may not happen. What it leaves behind is not certain.
func (r *session) perhaps(f func()) {
	maybe, dir := r.maybe, r.dir
	r.maybe = true
	f()
	r.maybe = maybe
	if r.dir != dir {
		r.dir = ""
	}
}

// apart follows what can't change the directory or the variables of the script.
func (r *session) apart(f func()) {
	if !r.spend(len(r.vars)) {
		return
	}
	dir, vars, left := r.dir, r.vars, r.left
	r.vars = make(map[string][]shell.Word, len(vars))
	for k, v := range vars {
		r.vars[k] = v
	}
	f()
	r.dir, r.vars, r.left = dir, vars, left
}

func (r *session) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.AndStmt:
		r.stmt(c.X)
		if decides(c.X) {
			r.perhaps(func() { r.stmt(c.Y) })
		} else { // a RUN goes on only if what came before went well
			r.stmt(c.Y)
		}
	case syntax.OrStmt:
		r.stmt(c.X)
		r.perhaps(func() { r.stmt(c.Y) })
	default:
		r.pipe(c)
	}
}

// decides reports whether a command is there to ask a question.
func decides(s *syntax.Stmt) bool {
	if s.Negated {
		return true
	}
	switch c := s.Cmd.(type) {
	case *syntax.TestClause:
		return true
	case *syntax.BinaryCmd:
		return decides(c.Y)
	case *syntax.CallExpr:
		if len(c.Args) > 0 {
			switch c.Args[0].Lit() {
			case "[", "test", "grep", "which", "command", "type", "false":
				return true
			}
		}
	}
	return false
}

// maxTurns is how many turns of a loop are followed.
const maxTurns = 100

func (r *session) loop(c *syntax.ForClause) {
	w, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		r.perhaps(func() { r.stmts(c.Do) })
		return
	}
	var values []string
	known := true
	items := r.args(w.Items)
	if !w.InPos.IsValid() { // then it is "$@"
		for _, a := range r.argv {
			items = append(items, arg{text: a.Text, known: a.Known})
		}
	}
	for _, a := range items {
		names, ok := r.names(a)
		known = known && ok && (a.glob == "" || !r.partial)
		values = append(values, names...)
	}
	if !known || len(values) > maxTurns {
		r.vars[w.Name.Value] = []shell.Word{{}}
		r.perhaps(func() { r.stmts(c.Do) })
		return
	}
	for _, v := range values {
		r.vars[w.Name.Value] = shell.Known(v)
		r.stmts(c.Do)
	}
}

func (r *session) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	w := shell.Word{}
	if a.Array == nil && a.Index == nil && !a.Append && !r.maybe {
		w = r.scope().Value(a.Value)
	}
	if !a.Naked {
		r.vars[a.Name.Value] = []shell.Word{w}
	}
}
