package trace

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// step executes one instruction, and gives the path on which to go on; nil if there is none. Other paths are put among the work.
func (r *run) step(c *control) *control {
	in := &r.f.prog.code.Instrs[c.pc]
	switch in.Op {
	case ir.Nop:
		return c.next()
	case ir.Lost:
		return r.lost(c, in)
	case ir.Opaque:
		return r.opaque(c, in)
	case ir.Pop, ir.Copy, ir.Swap, ir.Rot, ir.Null, ir.LoadConst:
		return r.shuffle(c, in)
	case ir.LoadLocal, ir.TakeLocal, ir.LoadCell, ir.LoadClosure, ir.LoadClassCell, ir.LoadName, ir.LoadGlobal, ir.LoadBuiltin, ir.LoadBuildClass:
		c.push(r.load(c, in))
		return c.next()
	case ir.StoreLocal, ir.StoreCell, ir.StoreName, ir.StoreGlobal:
		r.store(c, in, c.pop())
		return c.next()
	case ir.DeleteLocal, ir.DeleteCell, ir.DeleteName, ir.DeleteGlobal:
		r.store(c, in, absent)
		return c.next()
	case ir.LoadAttr, ir.StoreAttr, ir.DeleteAttr, ir.LoadSuperAttr:
		return r.attribute(c, in)
	case ir.LoadItem, ir.StoreItem, ir.DeleteItem, ir.BuildSlice:
		return r.item(c, in)
	case ir.Unary, ir.Binary, ir.Compare, ir.ToBool:
		return r.operate(c, in)
	case ir.BuildTuple, ir.BuildList, ir.BuildSet, ir.BuildMap, ir.BuildConstMap, ir.BuildString, ir.Format, ir.BuildUnpack, ir.ListToTuple:
		return r.build(c, in)
	case ir.ListAppend, ir.SetAdd, ir.MapAdd, ir.ListExtend, ir.SetUpdate, ir.DictUpdate:
		return r.grow(c, in)
	case ir.Unpack, ir.UnpackEx:
		return r.unpack(c, in)
	case ir.Jump, ir.JumpIfTrue, ir.JumpIfFalse, ir.JumpIfNone, ir.JumpIfNotNone, ir.JumpTrueOrPop, ir.JumpFalseOrPop:
		return r.jump(c, in)
	case ir.GetIter, ir.ForIter, ir.GetAIter, ir.GetANext, ir.EndAsyncFor:
		return r.iterate(c, in)
	case ir.Call, ir.CallEx:
		return r.apply(c, r.callInstr(c, in), true)
	case ir.MakeFunction, ir.SetFunctionAttribute:
		r.makeFunction(c, in)
		return c.next()
	case ir.Import, ir.ImportFrom, ir.ImportStar:
		return r.importInstr(c, in)
	case ir.Return, ir.Yield, ir.YieldFrom, ir.Await:
		return r.leave(c, in)
	case ir.With, ir.WithExcept:
		return r.with(c, in)
	case ir.Raise, ir.Reraise, ir.PushExcInfo, ir.PopExcept, ir.MatchException:
		return r.except(c, in)
	case ir.BeginFinally, ir.CallFinally, ir.EndFinally, ir.PopFinally, ir.WithCleanupStart, ir.WithCleanupFinish:
		return r.finally(c, in)
	}
	r.f.a.lose(r.f.place(c.pc), in.Op.String()+" is not understood")
	r.f.a.exhausted = true
	return nil
}

// next goes on to the next instruction.
func (c *control) next() *control {
	c.pc++
	return c
}

// lost is a construct that may do anything.
func (r *run) lost(c *control, in *ir.Instr) *control {
	r.f.a.lose(r.f.place(c.pc), in.Name+" is not understood")
	c.w.state.Lost = true
	return r.opaque(c, in)
}

func (r *run) opaque(c *control, in *ir.Instr) *control {
	c.popn(in.Arg)
	for range in.Arg2 {
		c.push(unknown)
	}
	return c.next()
}

func (r *run) shuffle(c *control, in *ir.Instr) *control {
	switch in.Op {
	case ir.Pop:
		c.pop()
	case ir.Copy:
		c.push(*c.top(in.Arg))
	case ir.Swap:
		x, y := c.top(1), c.top(in.Arg)
		*x, *y = *y, *x
	case ir.Rot:
		at := len(c.stack) - in.Arg
		top := c.stack[len(c.stack)-1]
		copy(c.stack[at+1:], c.stack[at:])
		c.stack[at] = top
	case ir.Null:
		c.push(null)
	default:
		c.push(r.f.prog.consts[in.Arg])
	}
	return c.next()
}

// jump follows a condition both ways unless it is decided.
func (r *run) jump(c *control, in *ir.Instr) *control {
	if in.Op == ir.Jump {
		c.pc = in.Arg
		return c
	}
	v := *c.top(1)
	if v.kind == instanceKind && (in.Op == ir.JumpIfTrue || in.Op == ir.JumpIfFalse) {
		if outs, ok := r.call(c).special(v, "__bool__"); ok {
			return r.each(c, outs, func(n *control, truth value) { // the same jump again, now with the answer
				*n.top(1) = asBool(truth, &n.w)
				n.pc--
			})
		}
	}
	var yes, no bool // may jump, may go on
	switch in.Op {
	case ir.JumpIfTrue, ir.JumpTrueOrPop:
		yes, no = truth(v, &c.w)
	case ir.JumpIfFalse, ir.JumpFalseOrPop:
		no, yes = truth(v, &c.w)
	case ir.JumpIfNone:
		yes, no = isNone(v)
	default:
		no, yes = isNone(v)
	}
	keep := in.Op == ir.JumpTrueOrPop || in.Op == ir.JumpFalseOrPop
	if yes && no {
		r.switched(c, v)
		other := c.clone()
		if !keep {
			other.pop()
		}
		other.pc = in.Arg
		r.work = append(r.work, other)
		yes = false
	}
	if !yes {
		c.pop()
		return c.next()
	}
	if !keep {
		c.pop()
	}
	c.pc = in.Arg
	return c
}

// leave ends the frame, or suspends it, or waits for another one.
func (r *run) leave(c *control, in *ir.Instr) *control {
	switch in.Op {
	case ir.Return:
		r.out.add(outcome{how: returned, val: c.pop(), w: c.w})
		return nil
	case ir.Yield:
		rest := r.f.suspend(c)
		r.out.add(outcome{how: yielded, val: *c.top(1), w: c.w, rest: rest})
		return nil
	}
	return r.wait(c)
}
