package trace

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// suspended is a call of a generator or coroutine function: nothing runs yet.
func (c *call) suspended(fn *function, bound []value) []outcome {
	f, ctl := c.f.a.enter(fn, c.f.a.fileOf(fn.module), bound, c.w)
	what := "generator"
	if fn.code.Flow == ir.Coroutine {
		what = "coroutine"
	}
	w := ctl.w
	id, ok := w.fresh(c.f.site(c.pc) ^ 1<<41)
	rest := f.suspend(ctl)
	rest.pc = -1 // before the first instruction
	rest.hash = mix(rest.hash, 1)
	w.setContent(id, frozen(rest))
	if !ok {
		w.setContent(id, unknown)
	}
	return []outcome{{how: returned, val: simple(generatorKind, id, what), w: w}}
}

func frozen(s *suspended) value {
	v := simple(frameKind, 0, "")
	v.hash = mix(v.hash, s.hash)
	v.data = &data{frame: s}
	return v
}

// resume goes on with a generator until it yields, returns or raises; thrown, if it is an exception, is raised where it waits. What it
// yields is an outcome of its own kind; what is left is in the store.
func (c *call) resume(gen value, thrown value) []outcome {
	state := c.w.content(gen.num)
	if gen.kind != generatorKind || state.kind != frameKind {
		if state.kind == noneKind { // it has ended
			return c.raise("StopIteration")
		}
		if m := c.f.a.functions(true); m.changes || m.runs {
			c.f.a.lose(c.place(), "goes on with a generator or coroutine that is not known")
			c.w.state.Lost = true
		}
		return []outcome{{how: yielded, val: unknown, w: c.w}, {how: returned, val: unknown, w: c.w}}
	}
	a := c.f.a
	s := state.data.frame
	if a.tooDeep(s.f.prog.code) {
		c.cut(s.f.prog.code)
		return []outcome{{how: yielded, val: unknown, w: c.w}, {how: returned, val: unknown, w: c.w}}
	}
	ctl := &control{
		pc: s.pc + 1, locals: append([]value(nil), s.locals...), handling: s.handling, w: c.w,
		stack: append(make([]value, 0, s.f.prog.code.MaxStack), s.stack...),
	}
	ctl.w.setContent(gen.num, none)
	if thrown.kind == exceptionKind {
		return a.throwInto(s, ctl, thrown, gen)
	}
	if s.pc >= 0 {
		if *ctl.top(1) = none; c.sent.hash != 0 {
			*ctl.top(1) = c.sent
		}
	}
	return a.keep(gen, a.nested(s.f, ctl))
}

// throwInto raises an exception at the yield where a generator waits.
func (a *analysis) throwInto(s *suspended, ctl *control, exc, gen value) []outcome {
	ctl.pc = max(s.pc, 0)
	r := &run{f: s.f, out: gather{a: a}}
	at := r.raise(ctl, exc)
	if at == nil {
		return r.out.list
	}
	return a.keep(gen, a.nested(s.f, at))
}

// keep puts what is left of a generator into the store.
func (a *analysis) keep(gen value, outs []outcome) []outcome {
	kept := make([]outcome, len(outs))
	for i, o := range outs {
		if o.how == yielded {
			o.w.setContent(gen.num, frozen(o.rest))
			o.rest = nil
		}
		kept[i] = o
	}
	return kept
}

// next is next(it) for a generator or an object with __next__.
func (c *call) next(it value) []outcome {
	if it.kind == instanceKind {
		if outs, ok := c.special(it, "__next__"); ok {
			return outs
		}
		if outs, ok := c.special(it, "__anext__"); ok {
			return outs
		}
		return append(c.ret(unknown), c.raise("StopIteration")...)
	}
	outs := c.resume(it, none)
	for i := range outs {
		switch outs[i].how {
		case yielded:
			outs[i].how = returned
		case returned:
			outs[i].how, outs[i].val = raised, exception("StopIteration")
		}
	}
	return outs
}

// drainGenerator runs a generator to its end, and gives all it yields as a tuple. One that yields on and on is cut.
func (c *call) drainGenerator(gen value) []outcome {
	type partial struct {
		w     world
		items []value
	}
	g := gather{a: c.f.a}
	work := []partial{{w: c.w}}
	for len(work) > 0 && c.f.a.spend(1) {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		next := *c
		next.w = p.w
		for _, o := range next.resume(gen, none) {
			switch {
			case o.how == returned:
				o.val = tuple(p.items)
				g.add(o)
			case o.how != yielded:
				g.add(o)
			case len(p.items) < maxItems && len(work) < maxOutcomes && o.w.content(gen.num).kind == frameKind:
				work = append(work, partial{o.w, append(slices.Clip(p.items), o.val)})
			default:
				next.w = o.w
				next.cutGenerator(gen)
				g.add(outcome{how: returned, val: unknown, w: next.w})
			}
		}
	}
	return g.list
}

// cutGenerator leaves out what a generator does after this.
func (c *call) cutGenerator(gen value) {
	if state := c.w.content(gen.num); state.kind == frameKind {
		c.cut(state.data.frame.f.prog.code)
	}
}

// wait is await and yield from.
func (r *run) wait(c *control) *control {
	v := c.pop()
	return r.apply(c, r.call(c).await(v), true)
}

// await runs what is awaited to its end. What it yields on the way goes to an event loop, or is not followed.
func (c *call) await(v value) []outcome {
	switch v.kind {
	case generatorKind:
		return c.complete(v)
	case threadKind:
		return c.join(v)
	case instanceKind:
		if outs, ok := c.special(v, "__await__"); ok {
			return c.after(outs, func(c *call, v value) []outcome { return c.await(v) })
		}
	}
	return c.after(c.runTasks(), func(c *call, _ value) []outcome { return c.ret(v) })
}

// complete resumes a generator or coroutine until it has ended.
func (c *call) complete(gen value) []outcome {
	g := gather{a: c.f.a}
	seen := map[worldKey]bool{}
	work := []world{c.w}
	for len(work) > 0 && c.f.a.spend(1) {
		next := *c
		next.w = work[len(work)-1]
		work = work[:len(work)-1]
		if k := next.w.key(); seen[k] {
			continue
		} else {
			seen[k] = true
		}
		for _, o := range next.resume(gen, none) {
			if o.how == yielded {
				work = append(work, o.w)
			} else {
				g.add(o)
			}
		}
	}
	return g.list
}

// after goes on with f for each outcome that returned.
func (c *call) after(outs []outcome, f func(c *call, v value) []outcome) []outcome {
	g := gather{a: c.f.a}
	for _, o := range outs {
		if o.how != returned {
			g.add(o)
			continue
		}
		next := *c
		next.w = o.w
		for _, p := range f(&next, o.val) {
			g.add(p)
		}
	}
	return g.list
}
