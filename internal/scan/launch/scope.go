package launch

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// scope is what words may refer to where st stands.
func (s *script) scope(st *state) *shell.Scope {
	return &shell.Scope{
		Var:  func(name string) ([]shell.Word, bool) { return s.variable(name, st) },
		Args: st.args, Zero: s.zero, Open: s.open || s.base != "", Subst: printed,
	}
}

func (s *script) variable(name string, st *state) ([]shell.Word, bool) {
	if v, ok := st.vars[name]; ok {
		return v.words, true
	}
	switch name {
	case "UID", "EUID":
		switch s.bash {
		case accounts.Yes:
			return shell.Known("0"), true
		case accounts.Unknown:
			return unknown.words, true
		}
	case "BASH_SOURCE":
		return []shell.Word{s.zero}, true
	case "RANDOM", "SECONDS", "LINENO", "PPID", "FUNCNAME", "IFS":
		return unknown.words, true
	}
	return nil, false
}

// printed is what the commands print that ask who they run as: a path that is
// followed runs as root until it changes the user.
func printed(c *syntax.CmdSubst) shell.Word {
	if len(c.Stmts) != 1 {
		return shell.Word{}
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return shell.Word{}
	}
	var words []string
	for _, w := range call.Args {
		words = append(words, w.Lit())
	}
	switch strings.Join(words, " ") {
	case "id -u", "id -ur", "id -ru", "id -u -r", "id -g", "/usr/bin/id -u":
		return shell.Word{Text: "0", Known: true}
	case "id -un", "id -nu", "id -u -n", "whoami", "id -gn", "id -ng":
		return shell.Word{Text: "root", Known: true}
	}
	return shell.Word{}
}

// assign sets variables.
func (s *script) assign(assigns []*syntax.Assign, st *state, export bool) {
	for _, a := range assigns {
		if a.Name == nil {
			if w := s.scope(st).Value(a.Value); !w.Known {
				st.forget() // export $(cat file)
			}
			continue
		}
		old, set := st.vars[a.Name.Value]
		v := old
		switch scope := s.scope(st); {
		case a.Naked && !export:
			continue
		case a.Naked && !set:
			continue // exported, should it be set later
		case a.Naked:
		case a.Index != nil:
			v.words = unknown.words
		case a.Array != nil:
			if !a.Append {
				v.words = nil
			}
			for _, e := range a.Array.Elems {
				v.words = append(v.words[:len(v.words):len(v.words)], scope.Expand(e.Value)...)
			}
		case a.Append:
			v.words = unknown.words
		default:
			v.words = []shell.Word{scope.Value(a.Value)}
		}
		v.exported = v.exported || export
		st.vars[a.Name.Value] = v
	}
}

// expansions takes a path through what a command's words do when they are
// expanded: commands that run, and ${x:=word}.
func (s *script) expansions(c syntax.Node, st *state) {
	syntax.Walk(c, func(n syntax.Node) bool {
		var stmts []*syntax.Stmt
		switch n := n.(type) {
		case *syntax.CmdSubst:
			stmts = n.Stmts
		case *syntax.ProcSubst:
			stmts = n.Stmts
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				w := &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{n}}}}
				st.vars[n.Param.Value] = value{words: []shell.Word{s.scope(st).Value(w)}, exported: st.vars[n.Param.Value].exported}
			}
			return true
		default:
			return true
		}
		s.subshell(st, false, func(st *state) *state { return s.list(stmts, st) })
		return false
	})
}
