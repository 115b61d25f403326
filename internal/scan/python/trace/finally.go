package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// finally does the finally blocks of 3.8 and earlier, whose six slots hold, on top, an exception or where to go on.
func (r *run) finally(c *control, in *ir.Instr) *control {
	switch in.Op {
	case ir.BeginFinally:
		c.enterFinally(-1)
	case ir.CallFinally:
		c.enterFinally(int64(c.pc + 1))
		c.pc = in.Arg
		return c
	case ir.PopFinally:
		keep := c.popn(min(in.Arg, 1))
		c.popn(6)
		c.push(keep...)
	case ir.EndFinally:
		slots := c.popn(6)
		return r.endFinally(c, slots[5])
	case ir.WithCleanupStart:
		slots := c.popn(6)
		exit := c.pop()
		c.push(slots...)
		exc := none
		if slots[5].kind == exceptionKind {
			exc = slots[5]
		}
		c.push(exc)
		return r.apply(c, r.call(c).exit(exit, exc), true)
	default: // WithCleanupFinish
		return r.finishCleanup(c)
	}
	return c.next()
}

func (c *control) enterFinally(resume int64) {
	c.push(none, none, none, none, none, simple(resumeKind, resume, ""))
}

// endFinally goes on as a block's slots say.
func (r *run) endFinally(c *control, how value) *control {
	if how.kind != resumeKind {
		return r.raise(c, asException(how))
	}
	if how.num < 0 {
		return c.next()
	}
	if to := int(how.num); to < len(r.f.prog.code.Instrs) && r.f.prog.code.Depth(to) == len(c.stack) {
		c.pc = to
		return c
	}
	r.f.a.lose(r.f.place(c.pc), "a finally block ends where it can't")
	return nil
}

// finishCleanup goes on behind a with block whose exit function may have swallowed the exception.
func (r *run) finishCleanup(c *control) *control {
	swallowed, exc := c.pop(), c.pop()
	if exc.kind == noneKind {
		return c.next()
	}
	may, mayNot := truth(swallowed, &c.w)
	if may && mayNot {
		other := c.clone()
		other.pc++
		r.work = append(r.work, other)
	}
	if may {
		c.popn(6)
		c.enterFinally(-1)
	}
	return c.next()
}
