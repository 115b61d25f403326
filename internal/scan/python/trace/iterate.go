package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// iterate does for loops.
func (r *run) iterate(c *control, in *ir.Instr) *control {
	switch in.Op {
	case ir.GetIter, ir.GetAIter:
		v := c.pop()
		return r.apply(c, r.call(c).iterator(v), true)
	case ir.ForIter:
		return r.forIter(c, in)
	case ir.GetANext:
		c.push(holding(threadKind, 0, "next", *c.top(1)))
		return c.next()
	}
	exc := c.popn(in.Arg)[in.Arg-1] // EndAsyncFor
	switch c.w.matches(asException(exc), builtin("StopAsyncIteration")) {
	case yes:
		return c.next()
	case no:
		return r.raise(c, asException(exc))
	}
	other := c.clone()
	if raised := r.raise(other, asException(exc)); raised != nil {
		r.work = append(r.work, raised)
	}
	return c.next()
}

// iterator is iter(v).
func (c *call) iterator(v value) []outcome {
	switch v.kind {
	case generatorKind, iteratorKind, loopKind:
		return c.ret(v)
	case instanceKind:
		if outs, ok := c.special(v, "__iter__"); ok {
			return outs
		}
		if outs, ok := c.special(v, "__aiter__"); ok {
			return outs
		}
		return c.ret(unknown)
	}
	return c.after(c.drain(v), func(c *call, all value) []outcome { return c.ret(loopOver(all)) })
}

// loopOver is a loop over the items of a tuple.
func loopOver(all value) value {
	if all.kind != tupleKind {
		return unknown
	}
	return holding(loopKind, int64(len(all.items())), "", all.items()...)
}

// forIter takes the next item, or leaves the loop.
func (r *run) forIter(c *control, in *ir.Instr) *control {
	it := *c.top(1)
	if it.kind == generatorKind || it.kind == instanceKind {
		return r.resumeInLoop(c, in, it)
	}
	items, known := c.left(it)
	if !known {
		other := c.clone() // any number of items that are not known
		other.pop()
		other.pc = in.Arg
		r.work = append(r.work, other)
		c.push(unknown)
		return c.next()
	}
	if len(items) == 0 {
		c.pop()
		c.pc = in.Arg
		return c
	}
	if it.kind == loopKind {
		*c.top(1) = loopOver(tuple(items[1:]))
	} else {
		c.w.setContent(it.num, tuple(items[1:]))
	}
	c.push(items[0])
	return c.next()
}

// left is the items that an iterator has left.
func (c *control) left(it value) (items []value, known bool) {
	switch it.kind {
	case loopKind:
		return it.items(), true
	case iteratorKind:
		content := c.w.content(it.num)
		return content.items(), content.kind == tupleKind
	}
	return nil, false
}

// resumeInLoop takes the next item of a generator, or of an object with __next__.
func (r *run) resumeInLoop(c *control, in *ir.Instr, it value) *control {
	var first *control
	for _, o := range r.call(c).next(it) {
		n := c.clone()
		n.w = o.w
		switch {
		case o.how == returned:
			n.push(o.val)
			n.pc++
		case o.how == raised && o.val.text == "StopIteration":
			n.pop()
			n.pc = in.Arg
		case o.how == raised:
			n = r.raise(n, o.val)
		default:
			r.out.add(o)
			n = nil
		}
		if first == nil {
			first = n
		} else if n != nil {
			r.work = append(r.work, n)
		}
	}
	return first
}

// drain takes all that an iterable gives, as a tuple; unknown if that is not known.
func (c *call) drain(v value) []outcome {
	switch v.kind {
	case generatorKind:
		return c.drainGenerator(v)
	case externalKind:
		if names, ok := c.environNames(v); ok {
			return c.ret(names)
		}
		return c.ret(unknown)
	case dictKind:
		if content := c.w.content(v.num); content.kind == watchedKind {
			return c.ret(tuple(c.copyNames(content)))
		}
	case classKind:
		if members, ok := c.w.members(v); ok {
			return c.ret(tuple(members))
		}
	case loopKind:
		return c.ret(tuple(v.items()))
	case iteratorKind:
		content := c.w.content(v.num)
		c.w.setContent(v.num, tuple(nil))
		return c.ret(content)
	case instanceKind:
		if all, ok := c.w.asTuple(v); ok {
			return c.ret(all)
		}
		if outs, ok := c.special(v, "__iter__"); ok {
			g := gather{a: c.f.a}
			for _, o := range outs {
				if o.how != returned || o.val.kind == instanceKind {
					o.val = unknown
					g.add(o)
					continue
				}
				next := *c
				next.w = o.w
				for _, p := range next.drain(o.val) {
					g.add(p)
				}
			}
			return g.list
		}
	}
	return c.ret(c.w.sequence(v))
}
