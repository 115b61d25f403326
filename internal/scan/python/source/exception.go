package source

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// try compiles a try statement as CPython 3.11 does: handlers find the exception on
// the stack, and "finally" is compiled once for each way that leads through it.
func (u *unit) try(s *tryStmt) {
	if s.final == nil {
		u.tryExcept(s)
		return
	}
	around, caught, done := u.active, u.label(), u.label()
	depth := u.depth
	u.active = &handler{caught, depth, ir.Exception}
	u.push(block{kind: finallyBlock, around: around, final: s.final})
	if s.handlers != nil {
		u.tryExcept(s)
	} else {
		u.statements(s.body)
	}
	u.pop()
	u.active = around
	u.statements(s.final)
	u.jump(ir.Jump, done)

	u.at(s)
	u.place(caught, depth+1)
	h := u.caught()
	u.push(block{kind: finalBlock, around: around})
	u.statements(s.final)
	u.pop()
	u.at(s)
	u.count(ir.Reraise, 1)
	u.restored(h, around)
	u.place(done, depth)
}

// caught begins what runs with an exception on the stack: it pushes the previous one
// below. Exceptions in it go to the handler that it returns.
func (u *unit) caught() *handler {
	u.op(ir.PushExcInfo)
	h := &handler{u.label(), u.depth - 1, ir.Exception}
	u.active = h
	return h
}

// restored ends that: an exception in it goes on, once the previous one is back.
func (u *unit) restored(h, around *handler) {
	u.active = around
	u.place(h.target, h.depth+1)
	u.count(ir.Swap, 2)
	u.count(ir.PopExcept, 1)
	u.count(ir.Reraise, 1)
}

func (u *unit) tryExcept(s *tryStmt) {
	around, caught, done := u.active, u.label(), u.label()
	depth := u.depth
	u.active = &handler{caught, depth, ir.Exception}
	u.push(block{kind: tryBlock, around: around})
	u.statements(s.body)
	u.pop()
	u.active = around
	u.statements(s.orelse)
	u.jump(ir.Jump, done)

	u.at(s.handlers[0])
	u.place(caught, depth+1)
	h := u.caught()
	if s.star {
		u.groupHandlers(s.handlers, h, around, done)
	} else {
		for _, x := range s.handlers {
			u.handler(x, h, around, done)
		}
		u.count(ir.Reraise, 1)
	}
	u.restored(h, around)
	u.place(done, depth)
}

// handler compiles an except clause, which finds the previous exception and the
// exception on the stack.
func (u *unit) handler(x *exceptHandler, h, around *handler, done label) {
	next, depth := u.label(), u.depth
	u.at(x)
	if x.kind != nil {
		u.expression(x.kind)
		u.at(x)
		u.op(ir.MatchException)
		u.jump(ir.JumpIfFalse, next)
	}
	u.push(block{kind: handlerBlock, around: around, name: x.name})
	if x.name == "" {
		u.op(ir.Pop)
		u.statements(x.body)
	} else {
		u.storeName(x.name)
		u.bound(x, h)
	}
	u.pop()
	u.active = around
	u.count(ir.PopExcept, 1)
	u.unbind(x.name)
	u.jump(ir.Jump, done)
	u.active = h
	u.place(next, depth)
}

// bound compiles the body of a clause that binds a name, which is deleted however
// the body ends.
func (u *unit) bound(x *exceptHandler, h *handler) {
	raised, after, depth := u.label(), u.label(), u.depth
	u.active = &handler{raised, depth, ir.Exception}
	u.statements(x.body)
	u.active = h
	u.jump(ir.Jump, after)
	u.place(raised, depth+1)
	u.unbind(x.name)
	u.count(ir.Reraise, 1)
	u.place(after, depth)
}

// groupHandlers compiles except* clauses (PEP 654). Each may get a part of the
// exception: which ones do is not known, and neither is what goes on in the end. One
// that raises doesn't keep the following ones from running; as something is certain to
// go on then, they are compiled a second time.
func (u *unit) groupHandlers(list []*exceptHandler, h, around *handler, done label) {
	again := make([]label, len(list)+1) // the clauses once one before raised
	for i := range again {
		again[i] = u.label()
	}
	depth := u.depth
	for i, x := range list {
		u.groupHandler(x, h, around, again[i+1])
	}
	nothing := u.label()
	u.opaque(0)
	u.jump(ir.JumpIfFalse, nothing)
	u.jump(ir.Jump, again[len(list)])
	for i, x := range list {
		u.place(again[i], depth)
		u.groupHandler(x, h, around, again[i+1])
	}
	u.place(again[len(list)], depth)
	u.opaque(1)
	u.count(ir.Reraise, 1)

	u.place(nothing, depth)
	u.op(ir.Pop)
	u.active = around
	u.count(ir.PopExcept, 1)
	u.jump(ir.Jump, done)
}

// groupHandler compiles one except* clause, which goes on at raised if it raises.
func (u *unit) groupHandler(x *exceptHandler, h, around *handler, raised label) {
	next, failed, depth := u.label(), u.label(), u.depth
	u.at(x)
	u.expression(x.kind)
	u.opaque(1)
	u.jump(ir.JumpIfFalse, next)
	if x.name != "" {
		u.opaque(0)
		u.storeName(x.name)
	}
	u.active = &handler{failed, depth, ir.Exception}
	u.push(block{kind: finalBlock, around: around})
	u.statements(x.body)
	u.pop()
	u.active = h
	u.unbind(x.name)
	u.jump(ir.Jump, next)
	u.place(failed, depth+1)
	u.op(ir.Pop)
	u.unbind(x.name)
	u.jump(ir.Jump, raised)
	u.place(next, depth)
}

// with compiles a with statement from its i-th item on (Python reference, 8.5).
func (u *unit) with(s *withStmt, i int) {
	item := s.items[i]
	around, depth := u.active, u.depth
	raised, done := u.label(), u.label()
	u.expression(item.context)
	u.at(item.context)
	u.emit(ir.Instr{Op: ir.With, Arg: map[bool]int{true: 1}[s.async]})
	if s.async {
		u.op(ir.Await)
	}
	u.active = &handler{raised, depth + 1, ir.OffsetException}
	u.push(block{kind: withBlock, around: around, async: s.async, node: item.context})
	if item.vars != nil {
		u.store(item.vars)
	} else {
		u.op(ir.Pop)
	}
	if i+1 < len(s.items) {
		u.with(s, i+1)
	} else {
		u.statements(s.body)
	}
	u.pop()
	u.active = around
	u.at(item.context)
	u.exit(s.async)
	u.jump(ir.Jump, done)
	u.place(raised, depth+3)
	u.exitRaised(s.async, around, done)
	u.place(done, depth)
}

// exitRaised calls the exit function with the exception, which it may swallow.
func (u *unit) exitRaised(async bool, around *handler, done label) {
	const exit = 4 // from the top: exit, offset, previous exception, exception
	h := u.caught()
	swallowed, depth := u.label(), u.depth
	u.count(ir.WithExcept, exit)
	if async {
		u.op(ir.Await)
	}
	u.jump(ir.JumpIfTrue, swallowed)
	u.count(ir.Reraise, 1)
	u.place(swallowed, depth)
	u.op(ir.Pop)
	u.active = around
	u.count(ir.PopExcept, 1)
	u.op(ir.Pop)
	u.op(ir.Pop)
	u.jump(ir.Jump, done)
	u.restored(h, around)
}
