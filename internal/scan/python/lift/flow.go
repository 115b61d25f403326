package lift

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// flowOperations decide what is done next.
var flowOperations = map[string]translation{
	"JUMP_FORWARD": forward(ir.Jump), "JUMP_BACKWARD": backward(ir.Jump), "JUMP_BACKWARD_NO_INTERRUPT": backward(ir.Jump), "JUMP_ABSOLUTE": absolute(ir.Jump),
	"POP_JUMP_IF_FALSE": byVersion(ir.JumpIfFalse), "POP_JUMP_IF_TRUE": byVersion(ir.JumpIfTrue),
	"POP_JUMP_IF_NONE": forward(ir.JumpIfNone), "POP_JUMP_IF_NOT_NONE": forward(ir.JumpIfNotNone),
	"POP_JUMP_FORWARD_IF_FALSE": forward(ir.JumpIfFalse), "POP_JUMP_FORWARD_IF_TRUE": forward(ir.JumpIfTrue),
	"POP_JUMP_FORWARD_IF_NONE": forward(ir.JumpIfNone), "POP_JUMP_FORWARD_IF_NOT_NONE": forward(ir.JumpIfNotNone),
	"POP_JUMP_BACKWARD_IF_FALSE": backward(ir.JumpIfFalse), "POP_JUMP_BACKWARD_IF_TRUE": backward(ir.JumpIfTrue),
	"POP_JUMP_BACKWARD_IF_NONE": backward(ir.JumpIfNone), "POP_JUMP_BACKWARD_IF_NOT_NONE": backward(ir.JumpIfNotNone),
	"JUMP_IF_FALSE_OR_POP": byVersion(ir.JumpFalseOrPop), "JUMP_IF_TRUE_OR_POP": byVersion(ir.JumpTrueOrPop),

	"GET_ITER": (*body).getIter, "POP_ITER": (*body).popIter, "GET_YIELD_FROM_ITER": plainly(ir.GetIter), "FOR_ITER": (*body).forIter, "END_FOR": (*body).endFor,
	"GET_AITER": plainly(ir.GetAIter), "GET_ANEXT": plainly(ir.GetANext), "END_ASYNC_FOR": (*body).endAsyncFor,

	"RETURN_VALUE": plainly(ir.Return),
	"RETURN_CONST": func(b *body, in pyc.Instruction) {
		b.loadConst(in)
		b.emit(ir.Instr{Op: ir.Return})
	},
	"YIELD_VALUE": plainly(ir.Yield), "GET_AWAITABLE": nothing, "YIELD_FROM": (*body).yieldFrom, "SEND": (*body).send,
	"RETURN_GENERATOR": func(b *body, _ pyc.Instruction) { b.loadNone() }, // what next() sends first
	"END_SEND":         (*body).endSend,
}

func forward(op ir.Op) translation {
	return func(b *body, in pyc.Instruction) { b.jump(op, b.target(in, false)) }
}

func backward(op ir.Op) translation {
	return func(b *body, in pyc.Instruction) { b.jump(op, b.target(in, true)) }
}

func absolute(op ir.Op) translation {
	return func(b *body, in pyc.Instruction) { b.jump(op, b.absolute(in)) }
}

// byVersion jumps to an absolute offset up to Python 3.10, forward since.
func byVersion(op ir.Op) translation {
	return func(b *body, in pyc.Instruction) {
		if b.version < 11 {
			absolute(op)(b, in)
		} else {
			forward(op)(b, in)
		}
	}
}

// forIter jumps behind what takes the exhausted iterator off the stack, which the
// canonical program does itself.
func (b *body) forIter(in pyc.Instruction) {
	target := b.target(in, false)
	if b.version >= 12 {
		i := b.at(target)
		if i < 0 || b.instrs[i].Name != "END_FOR" {
			b.fail("a loop that ends at %d", target)
			return
		}
		target = b.instrs[i].Next
		if b.version >= 13 {
			if i+1 == len(b.instrs) || b.instrs[i+1].Name != "POP_TOP" && b.instrs[i+1].Name != "POP_ITER" {
				b.fail("a loop that keeps its iterator")
				return
			}
			target = b.instrs[i+1].Next
		}
	}
	if b.version < 15 {
		b.jump(ir.ForIter, target)
		return
	}
	b.emit(ir.Instr{Op: ir.Pop})
	b.jump(ir.ForIter, target)
	b.emit(ir.Instr{Op: ir.Null})
	b.emit(ir.Instr{Op: ir.Swap, Arg: 2})
}

// getIter makes an iterator; since Python 3.15 a slot for its position lies on it.
func (b *body) getIter(pyc.Instruction) {
	b.emit(ir.Instr{Op: ir.GetIter})
	if b.version >= 15 {
		b.emit(ir.Instr{Op: ir.Null})
	}
}

func (b *body) popIter(pyc.Instruction) {
	b.emit(ir.Instr{Op: ir.Pop})
	if b.version >= 15 {
		b.emit(ir.Instr{Op: ir.Pop})
	}
}

// endFor is skipped by FOR_ITER.
func (b *body) endFor(pyc.Instruction) {
	b.emit(ir.Instr{Op: ir.Pop})
	if b.version < 13 {
		b.emit(ir.Instr{Op: ir.Pop})
	}
}

// endAsyncFor takes the iterator and what a handler finds off the stack.
func (b *body) endAsyncFor(pyc.Instruction) {
	slots := 2
	if b.version < 11 {
		slots = 1 + ir.SixSlots.Slots()
	}
	b.emit(ir.Instr{Op: ir.EndAsyncFor, Arg: slots})
}
