package source

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// boolean pushes the value of the operand that decides.
func (u *unit) boolean(e *boolOp) {
	done := u.label()
	o := ir.JumpFalseOrPop
	if e.op == "or" {
		o = ir.JumpTrueOrPop
	}
	last := len(e.values) - 1
	for _, v := range e.values[:last] {
		u.expression(v)
		u.at(e)
		u.jump(o, done)
	}
	u.expression(e.values[last])
	u.place(done, u.depth)
}

func (u *unit) conditional(e *ifExp) {
	otherwise, done := u.label(), u.label()
	depth := u.depth
	u.jumpIf(e.test, otherwise, false)
	u.expression(e.body)
	u.jump(ir.Jump, done)
	u.place(otherwise, depth)
	u.expression(e.orelse)
	u.place(done, depth+1)
}

// compare pushes the result of comparisons, which are chained: the first that is
// false ends them, and each operand is evaluated once.
func (u *unit) compare(e *compare) {
	u.expression(e.left)
	if len(e.ops) == 1 {
		u.expression(e.comparators[0])
		u.at(e)
		u.named(ir.Compare, e.ops[0])
		return
	}
	cleanup, done := u.label(), u.label()
	depth := u.depth
	u.chain(e, func() { u.jump(ir.JumpFalseOrPop, cleanup) })
	u.jump(ir.Jump, done)
	u.place(cleanup, depth+1)
	u.count(ir.Rot, 2)
	u.op(ir.Pop)
	u.place(done, depth)
}

// chain compares the operand that is pushed with the others; between comparisons it
// lets leave jump away, with the next operand below the result.
func (u *unit) chain(e *compare, leave func()) {
	last := len(e.ops) - 1
	for i, o := range e.ops {
		u.expression(e.comparators[i])
		u.at(e)
		if i == last {
			u.named(ir.Compare, o)
			return
		}
		u.count(ir.Copy, 1)
		u.count(ir.Rot, 3)
		u.named(ir.Compare, o)
		leave()
	}
}

// jumpIf jumps if the truth of e is cond, and leaves nothing on the stack.
func (u *unit) jumpIf(e expr, to label, cond bool) {
	switch x := e.(type) {
	case *unaryOp:
		if x.op == "not" {
			u.jumpIf(x.operand, to, !cond)
			return
		}
	case *boolOp:
		u.jumpIfBoolean(x, to, cond)
		return
	case *ifExp:
		u.jumpIfConditional(x, to, cond)
		return
	case *compare:
		if len(x.ops) > 1 {
			u.jumpIfChain(x, to, cond)
			return
		}
	}
	u.expression(e)
	u.at(e)
	u.jump(jumpOp(cond), to)
}

func jumpOp(cond bool) ir.Op {
	if cond {
		return ir.JumpIfTrue
	}
	return ir.JumpIfFalse
}

func (u *unit) jumpIfBoolean(e *boolOp, to label, cond bool) {
	decides := e.op == "or" // the truth of an operand that ends the evaluation
	target, after := to, u.label()
	if cond != decides {
		target = after
	}
	last := len(e.values) - 1
	for _, v := range e.values[:last] {
		u.jumpIf(v, target, decides)
	}
	u.jumpIf(e.values[last], to, cond)
	u.place(after, u.depth)
}

func (u *unit) jumpIfConditional(e *ifExp, to label, cond bool) {
	otherwise, done := u.label(), u.label()
	u.jumpIf(e.test, otherwise, false)
	u.jumpIf(e.body, to, cond)
	u.jump(ir.Jump, done)
	u.place(otherwise, u.depth)
	u.jumpIf(e.orelse, to, cond)
	u.place(done, u.depth)
}

func (u *unit) jumpIfChain(e *compare, to label, cond bool) {
	cleanup, done := u.label(), u.label()
	depth := u.depth
	u.expression(e.left)
	u.chain(e, func() { u.jump(ir.JumpIfFalse, cleanup) })
	u.jump(jumpOp(cond), to)
	u.jump(ir.Jump, done)
	u.place(cleanup, depth+1)
	u.op(ir.Pop)
	if !cond {
		u.jump(ir.Jump, to)
	}
	u.place(done, depth)
}
