package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// run is the exploration of one frame.
type run struct {
	f      *frame
	work   []*control
	seen   map[visit]bool
	joints map[joint]*meeting
	out    gather
}

type visit struct {
	hash uint64
	w    worldKey
}

// joint is a place and a state of the process: paths that meet there can be joined.
type joint struct {
	pc    int
	depth int
	w     worldKey
}

type meeting struct {
	visits int
	all    *control // what is known of all that came, once there were too many
}

// explore follows all paths from start, and gives the ways in which they end.
func (f *frame) explore(start *control) []outcome {
	r := &run{f: f, work: []*control{start}, seen: map[visit]bool{}, joints: map[joint]*meeting{}, out: gather{a: f.a}}
	f.a.entered[f.prog.code] = true
	for len(r.work) > 0 && !f.a.exhausted {
		c := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		for c != nil && f.a.spend(1+(len(c.stack)+len(c.locals))/64) {
			if c = r.arrive(c); c != nil {
				c = r.step(c)
			}
		}
	}
	return r.out.list
}

// arrive stops a path that is where another one has been, and joins paths where too many meet.
func (r *run) arrive(c *control) *control {
	if !r.f.prog.leaders[c.pc] {
		return c
	}
	v := visit{c.hash(), c.w.key()}
	if r.seen[v] {
		return nil
	}
	r.seen[v] = true
	j := joint{c.pc, len(c.stack), v.w}
	j.w.store = 0
	m := r.joints[j]
	if m == nil {
		m = &meeting{}
		r.joints[j] = m
	}
	if m.visits++; m.visits <= r.f.a.variants(c.unrolled()) {
		return c
	}
	if m.all != nil {
		before := visit{m.all.hash(), m.all.w.key()}
		c.join(m.all)
		if (visit{c.hash(), c.w.key()}) == before {
			return nil
		}
	}
	m.all = c.clone()
	return c
}

// unrolled reports whether the path is in a loop over items that are known.
func (c *control) unrolled() bool {
	for _, v := range c.stack {
		if _, known := c.left(v); known {
			return true
		}
	}
	return false
}

// join forgets what c does not share with d.
func (c *control) join(d *control) {
	for i := range c.stack {
		c.stack[i] = meet(c.stack[i], d.stack[i])
	}
	for i := range c.locals {
		c.locals[i] = meet(c.locals[i], d.locals[i])
	}
	c.handling = meet(c.handling, d.handling)
	c.w.store = c.w.store.join(d.w.store, c.w.a)
}

// apply goes on with each outcome of an operation: the first in hand, the others later. push says whether a result goes on the stack.
func (r *run) apply(c *control, outs []outcome, push bool) *control {
	var first *control
	for i := range outs {
		n := c
		if i < len(outs)-1 {
			n = c.clone()
		}
		n.w = outs[i].w
		switch outs[i].how {
		case returned:
			if push {
				n.push(outs[i].val)
			}
			n.pc++
		case raised:
			n = r.raise(n, outs[i].val)
		default:
			r.out.add(outs[i])
			n = nil
		}
		if n == nil {
			continue
		}
		if first == nil {
			first = n
		} else {
			r.work = append(r.work, n)
		}
	}
	return first
}

// raise goes on at the handler of an exception, or ends the frame.
func (r *run) raise(c *control, exc value) *control {
	h := r.f.prog.code.Handler(c.pc)
	if h == nil {
		r.out.add(outcome{how: raised, val: exc, w: c.w})
		return nil
	}
	for len(c.stack) < h.Depth { // no compiler writes that
		c.push(unknown)
	}
	c.stack = c.stack[:h.Depth]
	switch h.Entry {
	case ir.Exception:
		c.push(exc)
	case ir.OffsetException:
		c.push(unknown, exc)
	case ir.SixSlots:
		c.push(c.handling, c.handling, c.handling, exc, exc, exc)
		c.handling = exc
	}
	c.pc = h.Target
	return c
}

// call is the call that instruction pc makes.
func (r *run) call(c *control) *call { return &call{f: r.f, pc: c.pc, w: c.w, caller: c} }
