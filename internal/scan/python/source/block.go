package source

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// A block is a statement that has to be left in order when "return", "break" or
// "continue" go out of it.
type block struct {
	kind       blockKind
	next, done label    // of a loop
	around     *handler // what handles exceptions outside
	final      []stmt
	name       string // that an exception handler binds
	async      bool
	node       interface{ line() int }
}

type blockKind uint8

const (
	whileBlock   blockKind = iota
	forBlock               // its iterator is on the stack
	tryBlock               // its exceptions are handled
	finallyBlock           // so that "final" runs
	finalBlock             // "final" runs after an exception: previous one and exception are on the stack
	handlerBlock           // an exception is handled: the previous one is on the stack
	withBlock              // its exit function is on the stack
	valueBlock             // a value that is to be returned is on the stack
)

func (u *unit) push(b block) { u.blocks = append(u.blocks, b) }
func (u *unit) pop()         { u.blocks = u.blocks[:len(u.blocks)-1] }

// returns compiles a return: all blocks are left, the value is kept.
func (u *unit) returns(s *returnStmt) {
	if s.value != nil {
		u.expression(s.value)
	} else {
		u.none()
	}
	u.unwind(0, true)
	u.at(s)
	u.op(ir.Return)
}

// leaveLoop compiles a break or a continue.
func (u *unit) leaveLoop(line int, word string) {
	i := len(u.blocks) - 1
	for i >= 0 && u.blocks[i].kind > forBlock {
		i--
	}
	if i < 0 {
		u.fail(line, "has a %s outside a loop", word)
		return
	}
	l := u.blocks[i]
	u.unwind(i+1, false)
	u.line = line
	if word == "continue" {
		u.jump(ir.Jump, l.next)
		return
	}
	if l.kind == forBlock {
		u.op(ir.Pop)
	}
	u.jump(ir.Jump, l.done)
}

// unwind leaves the blocks from the innermost down to the one of index to; keep says
// that a value on top of the stack has to stay there.
func (u *unit) unwind(to int, keep bool) {
	blocks, active := u.blocks, u.active
	for i := len(blocks) - 1; i >= to; i-- {
		u.blocks = blocks[:i:i]
		u.leave(blocks[i], keep)
	}
	u.blocks, u.active = blocks, active
}

// below runs emit with what lies below the value that is kept.
func (u *unit) below(keep bool, pop func()) {
	if keep {
		u.count(ir.Swap, 2)
	}
	pop()
}

func (u *unit) leave(b block, keep bool) {
	switch b.kind {
	case forBlock, valueBlock:
		u.below(keep, func() { u.op(ir.Pop) })
	case tryBlock:
		u.active = b.around
	case finallyBlock:
		u.active = b.around
		if keep {
			u.push(block{kind: valueBlock})
		}
		u.statements(b.final)
	case finalBlock:
		u.below(keep, func() { u.op(ir.Pop) })
		u.below(keep, func() { u.count(ir.PopExcept, 1) })
		u.active = b.around
	case handlerBlock:
		u.active = b.around
		u.below(keep, func() { u.count(ir.PopExcept, 1) })
		u.unbind(b.name)
	case withBlock:
		u.active = b.around
		u.at(b.node)
		u.below(keep, func() { u.exit(b.async) })
	}
}

// exit calls the exit function on top of the stack as without an exception.
func (u *unit) exit(async bool) {
	u.none()
	u.none()
	u.none()
	u.call(3)
	if async {
		u.op(ir.Await)
	}
	u.op(ir.Pop)
}

// unbind deletes the name of an exception, which is gone behind its handler.
func (u *unit) unbind(name string) {
	if name != "" {
		u.none()
		u.storeName(name)
		u.deleteName(name)
	}
}
