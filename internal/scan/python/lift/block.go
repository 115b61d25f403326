package lift

import (
	"fmt"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// A mark is what an instruction does besides: to the stack of blocks that Python 3.10
// and older keep, or to make a finally block fit.
type mark struct {
	kind   marking
	target int // of the handler: an offset, later an index
	above  int // how many values lie above the block's
}

type marking uint8

const (
	pushes marking = iota // a block, once the instruction is done
	pops                  // a block
	fits                  // begins the call of a finally block: see callFinally
)

// A block is an active handler. Blocks that only say that an exception is being
// handled are left out: unwinding passes them.
type block struct {
	handler ir.Range // with the depth; what it covers is not set
	outer   *block
}

// setup is the translation of what pushes a block, with values above it.
func setup(above int) translation {
	return func(b *body, in pyc.Instruction) { b.push(b.target(in, false), above) }
}

func (b *body) push(target, above int) {
	b.marks[len(b.out.Instrs)] = mark{pushes, target, above}
	b.emit(ir.Instr{})
}

func (b *body) popBlock(pyc.Instruction) {
	b.marks[len(b.out.Instrs)] = mark{kind: pops}
	b.emit(ir.Instr{})
}

// setupWith enters a context: the exit function lies in the block, the result above.
func (b *body) setupWith(in pyc.Instruction) {
	b.emit(ir.Instr{Op: ir.With})
	b.push(b.target(in, false), 1)
}

// finallySlots is by how much the stack may differ from that of a finally block where
// Python 3.8 calls it: the value that is returned lies above, or the three of an
// exception that has been handled are gone.
const finallySlots = 3

// callFinally calls a finally block. There the stack has to be as deep as on every
// other way in, so there is room for what makes it fit, and for what undoes that.
func (b *body) callFinally(in pyc.Instruction) {
	b.marks[len(b.out.Instrs)] = mark{kind: fits, target: b.target(in, false)}
	for range finallySlots {
		b.emit(ir.Instr{})
	}
	b.jump(ir.CallFinally, b.target(in, false))
	for range finallySlots {
		b.emit(ir.Instr{})
	}
}

// fit fills the room around a call at a depth with what makes it depth want.
func (b *body) fit(i, depth, want int) error {
	call := i + finallySlots
	switch above := depth - want; {
	case above == 1:
		kept := fmt.Sprintf("<kept over the finally block at %d>", i)
		if slices.Contains(b.code.Variables, kept) {
			return fmt.Errorf("a variable named %s", kept)
		}
		b.replace(i, ir.Instr{Op: ir.StoreLocal, Name: kept})
		b.replace(call+1, ir.Instr{Op: ir.LoadLocal, Name: kept})
	case above <= 0 && above >= -finallySlots:
		for n := range -above {
			b.replace(i+n, ir.Instr{Op: ir.Null})
			b.replace(call+1+n, ir.Instr{Op: ir.Pop})
		}
	default:
		return fmt.Errorf("a finally block for %d values is called with %d", want, depth)
	}
	return nil
}

func (b *body) replace(i int, in ir.Instr) {
	in.Line = b.out.Instrs[i].Line
	b.out.Instrs[i] = in
}
