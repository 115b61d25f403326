package lift

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// startsAsFlowSays checks that a generator or coroutine, and nothing else, begins by
// making itself one. Up to Python 3.10 its flags alone say so.
func (b *body) startsAsFlowSays() error {
	if b.version < 11 {
		return nil
	}
	made, start := false, true
	for _, in := range b.instrs {
		switch in.Name {
		case "RETURN_GENERATOR":
			if !start || made {
				return fmt.Errorf("instruction at %d: makes a generator too late", in.Offset)
			}
			made = true
		case "MAKE_CELL", "COPY_FREE_VARS", "NOP":
		case "RESUME", "LOAD_FAST", "GET_ITER": // of what a generator expression iterates, since Python 3.15
		default:
			start = false
		}
	}
	if made != (b.out.Flow != ir.Plain) {
		return fmt.Errorf("its flags make it a generator: %v, its instructions: %v", !made, made)
	}
	return nil
}

// A wait is an instruction that stands for a loop which yields until there is a
// result.
type wait struct{ own, yield int } // indices of out.Instrs

const thrown = "an exception thrown into a generator that waits for another"

// rethrows checks that an exception thrown into a waiting generator does what one of
// the wait itself does: the handler of the yield only passes it on. c must have passed
// ir.Validate.
func rethrows(c *ir.Code, waits []wait) error {
	for _, w := range waits {
		yield, own := c.Handler(w.yield), c.Handler(w.own)
		switch {
		case yield == own:
			continue
		case yield != nil && own != nil && yield.Target == own.Target && yield.Depth == own.Depth && yield.Entry == own.Entry:
			continue
		case yield != nil && c.Instrs[yield.Target].Op == ir.Lost && c.Instrs[yield.Target].Name == thrown:
			continue
		}
		return fmt.Errorf("%s: line %d: has a handler for what is thrown into it while it waits", c.Qualname, c.Instrs[w.own].Line)
	}
	return nil
}

// delegate adds the wait for an iterator's result: awaited in a coroutine or
// asynchronous generator, where "yield from" can't be.
func (b *body) delegate() {
	if b.out.Flow == ir.Coroutine || b.out.Flow == ir.AsyncGenerator {
		b.emit(ir.Instr{Op: ir.Await})
	} else {
		b.emit(ir.Instr{Op: ir.YieldFrom})
	}
}

// yieldFrom waits for the iterator below None, up to Python 3.10.
func (b *body) yieldFrom(pyc.Instruction) {
	b.emit(ir.Instr{Op: ir.Pop})
	b.delegate()
}

// send is a loop of what yieldFrom does: it jumps out with the result, which lies on
// the iterator since Python 3.12. The rest of the loop is never reached.
func (b *body) send(in pyc.Instruction) {
	loop := b.next(3)
	if b.next(1).Name != "YIELD_VALUE" || b.next(2).Name != "RESUME" || loop.Name != "JUMP_BACKWARD_NO_INTERRUPT" || b.target(loop, true) != in.Start {
		b.fail("a wait that is no loop")
	}
	b.emit(ir.Instr{Op: ir.Pop})
	if n := b.sent(); n > 0 {
		b.emit(ir.Instr{Op: ir.Copy, Arg: n})
	}
	w := wait{own: len(b.out.Instrs)}
	b.delegate()
	b.jump(ir.Jump, b.target(in, false))
	w.yield = len(b.out.Instrs) // of the next instruction
	b.waits = append(b.waits, w)
}

// endSend takes away what lies below the result.
func (b *body) endSend(pyc.Instruction) {
	b.emit(ir.Instr{Op: ir.Swap, Arg: 1 + b.sent()})
	for range b.sent() {
		b.emit(ir.Instr{Op: ir.Pop})
	}
}

// sent is how many values of the iterator lie below the result of SEND.
func (b *body) sent() int {
	switch {
	case b.version >= 15:
		return 2
	case b.version >= 12:
		return 1
	}
	return 0
}
