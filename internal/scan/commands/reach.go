package commands

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// walk visits what the script can run: not what stands behind an exit, or under a
// condition that is "false" by its own words.
func (s *Script) walk(visit func(syntax.Node) bool) {
	dead := map[*syntax.Stmt]bool{}
	syntax.Walk(s.Tree, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok && dead[st] {
			return false
		}
		for _, st := range never(n) {
			dead[st] = true
		}
		return n == nil || visit(n)
	})
}

// never are the statements directly in n that are not reached.
func never(n syntax.Node) []*syntax.Stmt {
	switch n := n.(type) {
	case *syntax.File:
		return behindExit(n.Stmts)
	case *syntax.Block:
		return behindExit(n.Stmts)
	case *syntax.Subshell:
		return behindExit(n.Stmts)
	case *syntax.BinaryCmd:
		if n.Op == syntax.AndStmt && says(n.X, "false") || n.Op == syntax.OrStmt && says(n.X, "true", ":") {
			return []*syntax.Stmt{n.Y}
		}
	case *syntax.IfClause:
		if len(n.Cond) == 1 && says(n.Cond[0], "false") {
			return n.Then
		}
		return behindExit(n.Then)
	}
	return nil
}

// behindExit are the statements of a list behind one that leaves the script or the
// function. A function that is defined there is not defined.
func behindExit(list []*syntax.Stmt) []*syntax.Stmt {
	for i, st := range list {
		if says(st, "exit", "return") {
			return list[i+1:]
		}
	}
	return nil
}

// says reports whether a statement is the plain call of one of the commands.
func says(st *syntax.Stmt, names ...string) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	return ok && !st.Negated && !st.Background && len(c.Args) > 0 && slices.Contains(names, c.Args[0].Lit())
}
