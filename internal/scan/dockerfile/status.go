package dockerfile

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A statusReader reads the scripts of a stage for commands that compile, and for what
// becomes of their exit status (POSIX XCU 2.8, "Exit Status and Errors", "set -e").
type statusReader struct {
	stage    *Stage
	instr    *Instr // at hand
	errexit  bool   // set -e
	pipefail bool   // set -o pipefail
	funcs    map[string]*syntax.Stmt
	depth    int
	steps    int
	found    []Compilation
}

// A place is where a command stands, as far as its failure goes.
type place struct {
	lost    string // why the script goes on after it; empty if it ends, or passes the status on
	more    bool   // the script goes on after what this is part of, but for set -e
	exempt  bool   // set -e does not count here
	handled bool   // the script ends itself
}

// lose returns the place with a reason why a failure is lost, unless it has one or
// the script sees to it.
func (at place) lose(why string) place {
	if at.lost == "" && !at.handled {
		at.lost = why
	}
	return at
}

// maxSteps is how many statements are read, functions each time they are called.
const maxSteps = 20_000

// shell reads a script for the shell that words start.
func (x *statusReader) shell(words []string, text string, at place) {
	if !posix(words) || x.depth > maxDepth {
		return
	}
	f, err := shell.Parse(text)
	if err != nil {
		return
	}
	errexit, pipefail := x.errexit, x.pipefail
	x.errexit, x.pipefail = false, false
	x.set(arguments(words[1:]))
	x.depth++
	x.stmts(f.Stmts, at)
	x.depth--
	x.errexit, x.pipefail = errexit, pipefail
}

// set follows the options of set and of a shell's own command line.
func (x *statusReader) set(args []arg) {
	for i, a := range args {
		if len(a.text) < 2 || a.text[0] != '-' && a.text[0] != '+' || strings.HasPrefix(a.text, "--") {
			continue
		}
		on := a.text[0] == '-'
		if strings.Contains(a.text, "e") {
			x.errexit = on
		}
		if strings.HasSuffix(a.text, "o") && i+1 < len(args) {
			switch args[i+1].text {
			case "errexit":
				x.errexit = on
			case "pipefail":
				x.pipefail = on
			}
		}
	}
}

func (x *statusReader) stmts(list []*syntax.Stmt, at place) {
	for i, s := range list {
		here := at
		if i < len(list)-1 && !asks(list[i+1]) {
			if x.errexit && !at.exempt {
				here.more = true
			} else {
				here.handled = false // that is for the status of the last one
				here = here.lose("the commands after it run all the same")
			}
		}
		x.stmt(s, here)
	}
}

// asks reports whether a statement looks at the status of the one before.
func asks(s *syntax.Stmt) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		found = found || ok && p.Param != nil && p.Param.Value == "?"
		return !found
	})
	return found
}

func (x *statusReader) stmt(s *syntax.Stmt, at place) {
	if x.steps++; s == nil || x.steps > maxSteps {
		return
	}
	if s.Negated {
		at = at.lose("! turns failure into success")
		at.exempt = true
	}
	if s.Background {
		at = place{lost: "& does not wait for it", exempt: true}
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		x.execute(literalArgs(c.Args), at)
	case *syntax.BinaryCmd:
		x.binary(c, at)
	case *syntax.Block:
		x.stmts(c.Stmts, at)
	case *syntax.Subshell:
		errexit, pipefail := x.errexit, x.pipefail
		x.stmts(c.Stmts, at)
		x.errexit, x.pipefail = errexit, pipefail
	case *syntax.IfClause:
		x.clause(c, at)
	case *syntax.WhileClause:
		x.stmts(c.Cond, place{lost: "it only ends a loop", exempt: true})
		x.stmts(c.Do, x.turn(at))
	case *syntax.ForClause:
		x.stmts(c.Do, x.turn(at))
	case *syntax.CaseClause:
		for _, item := range c.Items {
			x.stmts(item.Stmts, at)
		}
	case *syntax.FuncDecl:
		if x.funcs == nil {
			x.funcs = map[string]*syntax.Stmt{}
		}
		x.funcs[c.Name.Value] = c.Body
	case *syntax.TimeClause:
		x.stmt(c.Stmt, at)
	}
}

func (x *statusReader) binary(c *syntax.BinaryCmd, at place) {
	left := at
	left.exempt = true // set -e counts behind the last && or || only
	switch c.Op {
	case syntax.AndStmt:
		if at.more && x.errexit {
			left = left.lose("set -e does not count in front of &&, and the commands after it run all the same")
		}
	case syntax.OrStmt:
		switch {
		case x.exits(c.Y):
			left = place{exempt: true, handled: true}
		case x.recovers(c.Y):
			left = place{lost: "|| " + quote(c.Y) + " makes up for it", exempt: true}
		}
	default:
		if left = at; !x.pipefail {
			left = place{lost: "the status of a pipeline is that of its last command", exempt: true}
		}
	}
	x.stmt(c.X, left)
	x.stmt(c.Y, at)
	if list, ok := c.X.Cmd.(*syntax.CallExpr); ok && c.Op == syntax.Pipe && len(list.Args) > 0 && list.Args[0].Lit() == "find" {
		if words, _ := last(c.Y); len(words) > 1 && words[0].text == "xargs" && slices.ContainsFunc(words, func(a arg) bool { return a.text == "rm" }) {
			x.deleted(finds(literalArgs(list.Args)))
		}
	}
}

// clause reads if. A condition that fails is handled if some branch ends the script.
func (x *statusReader) clause(c *syntax.IfClause, at place) {
	cond := place{lost: "it is only a condition", exempt: true}
	for k := c; k != nil; k = k.Else {
		if len(k.Then) > 0 && x.exits(k.Then[len(k.Then)-1]) {
			cond = place{exempt: true, handled: true}
		}
	}
	for ; c != nil; c = c.Else {
		x.stmts(c.Cond, cond)
		x.stmts(c.Then, at)
	}
}

// turn is the place of a loop's body.
func (x *statusReader) turn(at place) place {
	if x.errexit && !at.exempt {
		at.more = true
		return at
	}
	at.handled = false
	return at.lose("of a loop only the last turn's status counts")
}

// execute reads a command that is given as words.
func (x *statusReader) execute(args []arg, at place) {
	if len(args) == 0 {
		return
	}
	name := args[0].text
	if body, ok := x.funcs[name]; ok && x.depth <= maxDepth {
		x.depth++
		x.stmt(body, at)
		x.depth--
		return
	}
	switch {
	case name == "set":
		x.set(args[1:])
		return
	case name == "echo" || name == "printf" || name == ":":
		return
	case name == "find":
		if i := slices.IndexFunc(args, func(a arg) bool { return a.text == ";" }); i > 0 && x.errs(args[:i]) {
			at = at.lose("find does not tell when -exec with \\; fails")
		}
	case posix([]string{name}):
		for i, a := range args[:len(args)-1] {
			if strings.HasPrefix(a.text, "-") && strings.Contains(a.text, "c") && args[i+1].known {
				words := []string{name}
				for _, o := range args[1 : i+1] {
					words = append(words, o.text)
				}
				x.shell(words, args[i+1].text, at)
				return
			}
		}
	}
	x.deletes(args)
	x.compile(args, at)
}

// errs reports whether find runs a command.
func (x *statusReader) errs(args []arg) bool {
	return slices.ContainsFunc(args, func(a arg) bool { return a.text == "-exec" || a.text == "-execdir" })
}

// literalArgs returns the words of a command; what is not literal is not known.
func literalArgs(words []*syntax.Word) []arg {
	s := &shell.Scope{Open: true, Var: func(string) ([]shell.Word, bool) { return nil, false }}
	var out []arg
	for _, w := range words {
		for _, e := range s.Expand(w) {
			out = append(out, arg{text: e.Text, known: e.Known})
		}
	}
	return out
}
