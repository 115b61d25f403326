package launch

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
)

func (s *script) ifClause(c *syntax.IfClause, st *state) *state {
	if len(c.Cond) == 0 { // an else
		return s.list(c.Then, st)
	}
	st, holds := s.condition(c.Cond, st)
	if st == nil {
		return nil
	}
	var yes, no *state
	if holds != accounts.No {
		yes = s.list(c.Then, st.clone())
	}
	if holds != accounts.Yes {
		if no = st; c.Else != nil {
			no = s.ifClause(c.Else, st)
		}
	}
	return join(yes, no)
}

// condition runs statements of which the last one decides.
func (s *script) condition(stmts []*syntax.Stmt, st *state) (*state, accounts.Answer) {
	for i, x := range stmts {
		if i == len(stmts)-1 {
			return s.test(x, st)
		}
		if st = s.stmt(x, st); st == nil {
			return nil, accounts.Unknown
		}
	}
	return st, accounts.Unknown
}

// maxRounds bounds how often a loop is taken. A round passes on what is not known
// any more to what is computed from it.
const maxRounds = 8

// loop takes a path round until another round would change nothing. round returns
// what is known after one more, joined with what was known before if that may be
// the last.
func (s *script) loop(st *state, round func(*state) *state) *state {
	breaks := s.breaks
	s.breaks = nil
	for i := 0; st != nil; i++ {
		next := round(st.clone())
		if next.same(st) {
			break
		}
		if st = next; i == maxRounds {
			st.forget()
			break
		}
	}
	st = join(append(s.breaks, st)...)
	s.breaks = breaks
	return st
}

func (s *script) while(c *syntax.WhileClause, st *state) *state {
	return s.loop(st, func(st *state) *state {
		after, holds := s.condition(c.Cond, st)
		if c.Until {
			holds = not(holds)
		}
		switch {
		case after == nil || holds == accounts.No:
			return after
		case holds == accounts.Yes: // for good: what it runs last is what the container runs
			if after = s.list(c.Do, after); after != nil {
				s.ends = append(s.ends, after)
			}
			return nil
		}
		return join(after, s.list(c.Do, after.clone()))
	})
}

func (s *script) forClause(c *syntax.ForClause, st *state) *state {
	if w, ok := c.Loop.(*syntax.WordIter); ok {
		st.vars[w.Name.Value] = unknown
		if words := s.scope(st).Expand(w.Items...); len(words) == 1 && !words[0].Any {
			st.vars[w.Name.Value] = value{words: words}
		}
	}
	return s.loop(st, func(st *state) *state {
		return join(st, s.list(c.Do, st.clone()))
	})
}

func (s *script) caseClause(c *syntax.CaseClause, st *state) *state {
	scope := s.scope(st)
	text := scope.Value(c.Word)
	var met []*state
	for _, item := range c.Items {
		match := accounts.No
		for _, p := range item.Patterns {
			match = or(match, s.decided(scope.Match(p, text)))
		}
		if match == accounts.No {
			continue
		}
		if item.Op != syntax.Break && item.OpPos.IsValid() {
			s.hideAt(item.Patterns[0], "a case that goes on to the next one is not followed")
		}
		met = append(met, s.list(item.Stmts, st.clone()))
		if match == accounts.Yes {
			return join(met...)
		}
	}
	return join(append(met, st)...)
}
