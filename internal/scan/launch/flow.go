package launch

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

func (s *script) ifClause(c *syntax.IfClause, st *state) *state {
	if len(c.Cond) == 0 { // an else
		return s.list(c.Then, st)
	}
	holds := accounts.Unknown
	loose := s.loosely(func() accounts.Answer {
		st, holds = s.condition(c.Cond, st)
		return holds
	})
	if st == nil {
		return nil
	}
	f := s.fork(c, st, loose)
	var yes, no *state
	if holds != accounts.No {
		yes = s.list(c.Then, st.clone())
	}
	if holds != accounts.Yes {
		if no = st; c.Else != nil {
			no = s.ifClause(c.Else, st)
		}
	}
	return f.meet(yes, no)
}

// A fork is where a path goes two ways.
type fork struct {
	was   bool // the path was one that the environment decides already
	loose bool // the environment decides which way it goes
}

// loosely runs a test, and reports whether what the container's environment can
// change decides how it ends.
func (s *script) loosely(test func() accounts.Answer) bool {
	outer := s.loosened
	s.loosened = false
	loose := test() == accounts.Unknown && s.loosened
	s.loosened = outer || s.loosened
	return loose
}

func (s *script) fork(n syntax.Node, st *state, loose bool) fork {
	f := fork{st.proc.state.Switched, loose}
	if loose {
		st.proc.state.Switched = true
		st.proc.did(effect.Condition, "a condition on the environment", s.place(n), 0, "")
	}
	return f
}

// meet is the state where both ways meet; nil if neither gets there. If both do, the
// environment has decided nothing.
func (f fork) meet(ways ...*state) *state {
	out := join(ways...)
	if f.loose && !slices.Contains(ways, nil) {
		out.proc.state.Switched = f.was
	}
	return out
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
			st.forget(s.watched)
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
		words := s.globbed(w.Items, s.scope(st).Expand(w.Items...), st)
		if len(words) == 0 && s.exact {
			return st
		}
		if s.short(words) {
			return s.each(c, w.Name.Value, words, st)
		}
		st.vars[w.Name.Value] = value{words: unknown.words, exported: st.vars[w.Name.Value].exported}
	}
	return s.loop(st, func(st *state) *state {
		return join(st, s.list(c.Do, st.clone()))
	})
}

// globbed is the words of a loop over the files that match patterns of an image all
// of which is known. A pattern that matches none is left out.
func (s *script) globbed(items []*syntax.Word, words []shell.Word, st *state) []shell.Word {
	if !s.exact || len(items) != len(words) {
		return words
	}
	var out []shell.Word
	for i, item := range items {
		pattern := absolute(st.dir, item.Lit())
		if !strings.ContainsAny(item.Lit(), "*?[") || pattern == "" || strings.HasPrefix(item.Lit(), "~") {
			out = append(out, words[i])
			continue
		}
		for _, f := range s.matching(pattern) {
			out = append(out, shell.Known(f.Path)...)
		}
	}
	return out
}

// maxUnrolled bounds how often the body of a loop over known words is taken, that of
// loops in such loops, too.
const maxUnrolled = 64

// short reports whether a loop over words is taken word by word.
func (s *script) short(words []shell.Word) bool {
	for _, w := range words {
		if w.Any {
			return false
		}
	}
	return len(words) > 0 && len(words)*max(s.unrolled, 1) <= maxUnrolled
}

// each takes a path through a loop, word by word. A break may be a continue.
func (s *script) each(c *syntax.ForClause, name string, words []shell.Word, st *state) *state {
	breaks, unrolled := s.breaks, s.unrolled
	var left []*state
	s.unrolled = len(words) * max(unrolled, 1)
	for _, w := range words {
		if st == nil {
			break
		}
		s.breaks = nil
		x := st.vars[name]
		x.words = []shell.Word{w}
		st.vars[name] = x
		st = s.list(c.Do, st)
		left = append(left, s.breaks...)
		st = join(append(s.breaks, st)...)
	}
	st = join(append(left, st)...)
	s.breaks, s.unrolled = breaks, unrolled
	return st
}

func (s *script) caseClause(c *syntax.CaseClause, st *state) *state {
	scope := s.scope(st)
	text := scope.Value(c.Word)
	var met []*state
	f := s.fork(c, st, s.loose && text.Loose)
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
			return f.meet(met...)
		}
	}
	return f.meet(append(met, st)...)
}
