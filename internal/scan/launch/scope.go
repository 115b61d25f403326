package launch

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// scope is what words may refer to where st stands.
func (s *script) scope(st *state) *shell.Scope {
	return &shell.Scope{
		Var:  func(name string) ([]shell.Word, bool) { return s.variable(name, st) },
		Args: st.args, Zero: s.zero, Open: s.open || s.base != "" && !s.loose, Loose: s.loose,
		Subst: func(c *syntax.CmdSubst) shell.Word { return s.printed(c, st) },
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
			return []shell.Word{number(st.proc.state.UID.Effective)}, true
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

// number is an id in a script.
func number(i effect.ID) shell.Word {
	if !i.Known {
		return shell.Word{}
	}
	return shell.Word{Text: strconv.FormatInt(i.Num, 10), Known: true}
}

// printed is what the commands print that ask who they run as. Of others it is told
// which watched variables they are given.
func (s *script) printed(c *syntax.CmdSubst, st *state) shell.Word {
	var words []string
	if len(c.Stmts) == 1 {
		if call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Assigns) == 0 {
			for _, w := range call.Args {
				words = append(words, w.Lit())
			}
		}
	}
	user, group := st.proc.state.UID.Effective, st.proc.state.GID.Effective
	switch strings.Join(words, " ") {
	case "id -u", "id -ur", "id -ru", "id -u -r", "/usr/bin/id -u":
		return number(user)
	case "id -g":
		return number(group)
	case "id -un", "id -nu", "id -u -n", "whoami":
		return named(user)
	case "id -gn", "id -ng":
		return named(group)
	}
	return shell.Word{Holds: s.mentions(c, st)}
}

func named(i effect.ID) shell.Word {
	switch {
	case i.Class == effect.Root:
		return shell.Word{Text: "root", Known: true}
	case i.Name != "":
		return shell.Word{Text: i.Name, Known: true}
	}
	return shell.Word{}
}

// mentions are the watched variables that a command substitution names.
func (s *script) mentions(c *syntax.CmdSubst, st *state) (names string) {
	syntax.Walk(c, func(n syntax.Node) bool {
		if e, ok := n.(*syntax.ParamExp); ok && e.Param != nil && !e.Length && !e.IsSet {
			for _, w := range st.vars[e.Param.Value].words {
				names = strings.TrimSpace(names + " " + w.Holds)
			}
		}
		return true
	})
	return names
}

// reads tells of the watched variables whose values a command takes, of each part of
// a pipeline too. A test takes none.
func (s *script) reads(c syntax.Command, st *state) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		if len(c.Args) > 0 && (c.Args[0].Lit() == "[" || c.Args[0].Lit() == "test") {
			return
		}
	case *syntax.DeclClause:
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
			return
		}
	default:
		return
	}
	syntax.Walk(c, func(n syntax.Node) bool {
		e, ok := n.(*syntax.ParamExp)
		if !ok || e.Param == nil || e.Length || e.IsSet || !st.vars[e.Param.Value].exported {
			return true
		}
		if bit := s.bit(e.Param.Value); bit != 0 {
			st.proc.did(effect.ReadVariable, "$"+e.Param.Value, s.place(n), bit, "")
		}
		return true
	})
}

// exporting says what a declaration does to the export of its variables.
type exporting uint8

const (
	same   exporting = iota // leaves it as it is
	export                  // "export X", "declare -x X"
	revoke                  // "export -n X", "declare +x X"
)

// declare takes a path through export, declare and the like.
func (s *script) declare(c *syntax.DeclClause, st *state) {
	how := same
	if c.Variant.Value == "export" {
		how = export
	}
	for _, a := range c.Args {
		switch w := s.scope(st).Value(a.Value); {
		case a.Name != nil || !w.Known:
		case c.Variant.Value == "export" && strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "n"), strings.HasPrefix(w.Text, "+") && strings.Contains(w.Text, "x"):
			how = revoke
		case c.Variant.Value != "export" && strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "x"):
			how = export
		}
	}
	if how != revoke && s.functions > 0 && c.Variant.Value != "export" && c.Variant.Value != "readonly" {
		for _, a := range c.Args {
			if a.Name != nil {
				s.locals = append(s.locals, a.Name.Value)
			}
		}
	}
	s.assign(c.Args, st, how)
}

// assign sets variables.
func (s *script) assign(assigns []*syntax.Assign, st *state, how exporting) {
	for _, a := range assigns {
		if a.Name == nil {
			if w := s.scope(st).Value(a.Value); !w.Known {
				st.forget(s.watched) // export $(cat file)
			}
			continue
		}
		old, set := st.vars[a.Name.Value]
		v := old
		switch scope := s.scope(st); {
		case a.Naked && how == same:
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
		switch {
		case how == revoke:
			v.exported, v.maybe = false, false
		case how == export, st.all && !a.Naked:
			v.exported = true
		}
		if !a.Naked {
			v.maybe = false
		}
		s.set(a, a.Name.Value, v, st)
	}
}

// set gives a variable a value, and tells of a watched one what that means.
func (s *script) set(n syntax.Node, name string, v value, st *state) {
	old := st.vars[name]
	st.vars[name] = v
	bit := s.bit(name)
	if bit == 0 || !old.exported {
		return
	}
	holds := false
	for _, w := range v.words {
		holds = holds || w.Holds != "" || !w.Known
	}
	switch {
	case !v.exported && len(v.words) > 0 && holds:
		st.proc.did(effect.RemoveVariable, "export -n "+name, s.place(n), bit, "it stays a variable of the shell")
	case !holds:
		st.proc.did(effect.RemoveVariable, "unset "+name, s.place(n), bit, "")
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
