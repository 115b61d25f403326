package launch

import (
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

func not(a accounts.Answer) accounts.Answer {
	switch a {
	case accounts.Yes:
		return accounts.No
	case accounts.No:
		return accounts.Yes
	}
	return a
}

func or(a, b accounts.Answer) accounts.Answer {
	switch {
	case a == accounts.Yes || b == accounts.Yes:
		return accounts.Yes
	case a == accounts.No && b == accounts.No:
		return accounts.No
	}
	return accounts.Unknown
}

func and(a, b accounts.Answer) accounts.Answer { return not(or(not(a), not(b))) }

// decided is a comparison's result, if nothing outside the image can change it.
func (t *tracer) decided(holds, known, loose bool) accounts.Answer {
	switch {
	case known && loose && t.loose:
		t.loosened = true
		return accounts.Unknown
	case !known || loose && t.open:
		return accounts.Unknown
	case holds:
		return accounts.Yes
	}
	return accounts.No
}

// test takes a path through a statement and says whether it succeeds.
func (s *script) test(x *syntax.Stmt, st *state) (*state, accounts.Answer) {
	holds := accounts.Unknown
	switch c := x.Cmd.(type) {
	case *syntax.CallExpr:
		if !x.Background {
			holds = s.callHolds(c, st)
		}
		st = s.stmt(x, st)
	case *syntax.TestClause:
		holds = s.testExpr(c.X, st)
	case *syntax.ArithmCmd:
		holds = s.arithmetic(c.X, st)
	case *syntax.BinaryCmd:
		st, holds = s.binary(c, st)
	case *syntax.Block:
		st, holds = s.condition(c.Stmts, st)
	default:
		st = s.stmt(x, st)
	}
	if x.Negated {
		holds = not(holds)
	}
	return st, holds
}

// binary takes a path through a && b, a || b, a | b.
func (s *script) binary(c *syntax.BinaryCmd, st *state) (*state, accounts.Answer) {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		st = s.subshell(st, true, func(st *state) *state { return s.stmt(c.X, st) })
		return s.subshell(st, true, func(st *state) *state { return s.stmt(c.Y, st) }), accounts.Unknown
	}
	var after *state
	x := accounts.Unknown
	loose := s.loosely(func() accounts.Answer {
		after, x = s.test(c.X, st)
		return x
	})
	if after == nil {
		return nil, accounts.Unknown
	}
	f := s.fork(c, after, loose)
	skip := accounts.No // of a && b, the answer of a that skips b
	if c.Op == syntax.OrStmt {
		skip = accounts.Yes
	}
	if x == skip {
		return after, x
	}
	then, y := s.test(c.Y, after.clone())
	if x == not(skip) {
		return then, y
	}
	if y == skip {
		return f.meet(after, then), y
	}
	return f.meet(after, then), accounts.Unknown
}

// callHolds says whether a simple command succeeds, of the few where that is sure.
func (s *script) callHolds(c *syntax.CallExpr, st *state) accounts.Answer {
	if len(c.Args) == 0 {
		return accounts.Unknown
	}
	name := c.Args[0].Lit()
	if _, defined := st.funcs[name]; defined {
		return accounts.Unknown
	}
	words := s.scope(st).Expand(c.Args[1:]...)
	switch name {
	case "true", ":":
		return accounts.Yes
	case "false":
		return accounts.No
	case "[":
		if len(words) > 0 && words[len(words)-1].Text == "]" {
			return s.testWords(words[:len(words)-1])
		}
	case "test":
		return s.testWords(words)
	case "command":
		if len(words) == 2 && (words[0].Text == "-v" || words[0].Text == "-V") {
			return s.there(words[1], st)
		}
	case "which", "type", "hash":
		if len(words) == 1 {
			return s.there(words[0], st)
		}
	}
	return accounts.Unknown
}

// there says whether a program is found, by its file or because an instruction installs the
// package of its name.
func (s *script) there(name shell.Word, st *state) accounts.Answer {
	if !name.Known || name.Text == "" {
		return accounts.Unknown
	}
	if _, defined := st.funcs[name.Text]; defined {
		return accounts.Yes
	}
	f, _ := s.find(name.Text, st.dir, st.vars.text("PATH", searchPath))
	if f != nil && f.Fate.How != image.Perhaps || slices.Contains(s.installed, name.Text) {
		return accounts.Yes
	}
	return accounts.Unknown // what has no file can be built into the shell
}

// testExpr evaluates [[ ]].
func (s *script) testExpr(x syntax.TestExpr, st *state) accounts.Answer {
	scope := s.scope(st)
	switch x := x.(type) {
	case *syntax.Word:
		w := scope.Value(x)
		return s.decided(w.Text != "", w.Known, w.Loose)
	case *syntax.ParenTest:
		return s.testExpr(x.X, st)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return not(s.testExpr(x.X, st))
		}
		if w, ok := x.X.(*syntax.Word); ok {
			return s.unary(x.Op.String(), scope.Value(w))
		}
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest:
			return and(s.testExpr(x.X, st), s.testExpr(x.Y, st))
		case syntax.OrTest:
			return or(s.testExpr(x.X, st), s.testExpr(x.Y, st))
		}
		a, okA := x.X.(*syntax.Word)
		b, okB := x.Y.(*syntax.Word)
		if !okA || !okB {
			return accounts.Unknown
		}
		switch x.Op {
		case syntax.TsMatch, syntax.TsMatchShort:
			return s.decided(scope.Match(b, scope.Value(a)))
		case syntax.TsNoMatch:
			return not(s.decided(scope.Match(b, scope.Value(a))))
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			return s.compare(s.number(a, st), x.Op.String(), s.number(b, st))
		}
	}
	return accounts.Unknown
}

// arithmetic evaluates (( )), as far as it compares.
func (s *script) arithmetic(x syntax.ArithmExpr, st *state) accounts.Answer {
	switch x := x.(type) {
	case *syntax.Word:
		return s.compareNumbers(s.number(x, st), "!=", shell.Word{Text: "0", Known: true})
	case *syntax.ParenArithm:
		return s.arithmetic(x.X, st)
	case *syntax.UnaryArithm:
		if x.Op == syntax.Not {
			return not(s.arithmetic(x.X, st))
		}
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.AndArit:
			return and(s.arithmetic(x.X, st), s.arithmetic(x.Y, st))
		case syntax.OrArit:
			return or(s.arithmetic(x.X, st), s.arithmetic(x.Y, st))
		}
		a, okA := x.X.(*syntax.Word)
		b, okB := x.Y.(*syntax.Word)
		if okA && okB {
			return s.compareNumbers(s.number(a, st), x.Op.String(), s.number(b, st))
		}
	}
	return accounts.Unknown
}

func (t *tracer) compareNumbers(a shell.Word, op string, b shell.Word) accounts.Answer {
	switch op {
	case "==":
		op = "-eq"
	case "!=":
		op = "-ne"
	}
	return t.compare(a, op, b)
}

// number is a word where a number is expected: a name stands for its variable.
func (s *script) number(w *syntax.Word, st *state) shell.Word {
	v := s.scope(st).Value(w)
	if _, err := strconv.Atoi(v.Text); v.Known && err != nil && syntax.ValidName(v.Text) {
		x, set := s.variable(v.Text, st)
		switch {
		case set && len(x) == 1:
			return x[0]
		case !set && !s.open:
			return shell.Word{Text: "0", Known: true}
		}
		return shell.Word{}
	}
	return v
}
