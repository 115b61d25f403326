package accounts

import (
	"maps"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// build adds the accounts that RUN instructions make. What other commands do to
// the list is not known, so from the first RUN on it is not whole.
func (a *Accounts) build(steps []*dockerfile.Step, open bool) {
	for _, s := range steps {
		if s.Instr.Cmd == "RUN" {
			a.unsure("a RUN instruction may make more accounts")
			a.run(s, open)
		}
	}
}

func (a *Accounts) run(s *dockerfile.Step, open bool) {
	r := &run{into: a, instr: s.Instr, vars: map[string][]shell.Word{}}
	r.scope = &shell.Scope{Open: open, Var: func(name string) ([]shell.Word, bool) {
		if v, ok := r.vars[name]; ok {
			return v, true
		}
		text, known, set := s.Getenv(name)
		return []shell.Word{{Text: text, Known: known}}, set
	}}
	if s.Instr.Exec {
		r.command(shell.Known(s.Args...), true)
		return
	}
	if len(s.Shell) > 0 && !shell.Is(s.Shell[0]) {
		return
	}
	r.text(strings.Join(s.Args, " "))
}

// runText reads the text of a command on record, of which nothing else is known.
func (a *Accounts) runText(text string, step int) {
	r := &run{into: a, step: step, vars: map[string][]shell.Word{}}
	r.scope = &shell.Scope{Open: true, Var: func(name string) ([]shell.Word, bool) {
		v, ok := r.vars[name]
		return v, ok
	}}
	r.text(text)
}

func (r *run) text(text string) {
	f, err := shell.Parse(text)
	if err != nil {
		return // the list is not whole, which is already told
	}
	r.list(f.Stmts, true)
}

// A run is one RUN instruction on its way through its commands.
type run struct {
	into  *Accounts
	instr *dockerfile.Instr // nil for a command on record
	step  int               // of the history plus one, for a command on record
	scope *shell.Scope
	vars  map[string][]shell.Word // set by the commands
}

// list reads statements. certain means that a build that succeeds has run them.
func (r *run) list(stmts []*syntax.Stmt, certain bool) {
	for i, s := range stmts {
		r.stmt(s, certain, i == len(stmts)-1)
	}
}

// stmt reads one statement; last means that its status is the status of all.
func (r *run) stmt(s *syntax.Stmt, certain, last bool) {
	r.appends(s, certain)
	r.feeds(s, certain)
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			r.assign(c.Assigns, certain)
		}
		r.command(r.scope.Expand(c.Args...), certain)
	case *syntax.DeclClause:
		r.assign(c.Args, certain)
	case *syntax.BinaryCmd:
		r.pipe(c, certain)
		r.stmt(c.X, certain, last && c.Op == syntax.AndStmt)
		r.stmt(c.Y, certain && (c.Op == syntax.AndStmt && last || c.Op == syntax.Pipe || c.Op == syntax.PipeAll), last)
	case *syntax.Block:
		r.list(c.Stmts, certain)
	case *syntax.Subshell:
		outer := maps.Clone(r.vars)
		r.list(c.Stmts, certain)
		r.vars = outer
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt, certain, last)
		}
	case *syntax.IfClause:
		r.list(c.Cond, certain)
		r.list(c.Then, false)
		for e := c.Else; e != nil; e = e.Else {
			r.list(e.Cond, false)
			r.list(e.Then, false)
		}
	case *syntax.WhileClause:
		r.list(c.Do, false)
	case *syntax.ForClause:
		if w, ok := c.Loop.(*syntax.WordIter); ok {
			r.vars[w.Name.Value] = []shell.Word{{}}
		}
		r.list(c.Do, false)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			r.list(item.Stmts, false)
		}
	}
}

func (r *run) assign(assigns []*syntax.Assign, certain bool) {
	for _, as := range assigns {
		if as.Name == nil || as.Naked {
			continue
		}
		if r.vars[as.Name.Value] = []shell.Word{{}}; certain && !as.Append && as.Array == nil && as.Index == nil {
			r.vars[as.Name.Value] = []shell.Word{r.scope.Value(as.Value)}
		}
	}
}

// appends reads what echo, printf or a heredoc writes to passwd, group or a policy.
func (r *run) appends(s *syntax.Stmt, certain bool) {
	var target, text string
	for _, red := range s.Redirs {
		switch red.Op {
		case syntax.RdrOut, syntax.AppOut:
			target = r.scope.Value(red.Word).Text
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			text = r.input(red)
		}
	}
	if text == "" {
		text = r.printed(s)
	}
	r.write(target, text, certain)
}

func (r *run) make(x account, certain bool) {
	x.source = Source{Instr: r.instr}
	if !certain {
		x.unsure = "its RUN makes it under a condition only"
		x.never0 = false
	}
	r.into.made = append(r.into.made, x)
}

// command reads the commands that make users and groups.
func (r *run) command(words []shell.Word, certain bool) {
	if len(words) > 0 && words[0].Text == "sudo" {
		words = words[1:]
	}
	if len(words) == 0 || !words[0].Known {
		return
	}
	if certain {
		r.withdraws(words)
	}
	switch name := path.Base(words[0].Text); name {
	case "useradd":
		if p := useraddOptions.Parse(words[1:], true); !p.Flags["-D"] && !p.Flags["--defaults"] { // those set defaults only
			r.option(p, certain)
			r.useradd(p, certain)
		}
	case "adduser":
		if p := useraddOptions.Parse(words[1:], true); p.Flags["-m"] || p.Flags["-M"] || p.Flags["-r"] || p.Flags["-l"] {
			r.useradd(p, certain)
			return
		}
		r.adduser(adduserOptions.Parse(words[1:], true), certain)
	case "groupadd", "addgroup":
		r.groupadd(groupaddOptions.Parse(words[1:], true), certain)
	case "usermod":
		p := usermodOptions.Parse(words[1:], true)
		r.option(p, certain)
		r.usermod(p, certain)
	case "passwd":
		r.passwd(passwdOptions.Parse(words[1:], true), certain)
	case "gpasswd":
		o := gpasswdOptions.Parse(words[1:], true)
		if user, ok := o.Values["a"]; ok && len(o.Rest) == 1 {
			r.join(user, o.Rest[0])
		}
	}
}
