package lift

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// exceptionOperations raise and handle exceptions and keep contexts.
var exceptionOperations = map[string]translation{
	"RAISE_VARARGS": counted(ir.Raise), "RERAISE": (*body).reraise, "PUSH_EXC_INFO": plainly(ir.PushExcInfo), "POP_EXCEPT": (*body).popExcept,
	"CHECK_EXC_MATCH": plainly(ir.MatchException), "JUMP_IF_NOT_EXC_MATCH": (*body).jumpIfNotMatch,
	"CHECK_EG_MATCH": opaque(2, 2), "PREP_RERAISE_STAR": opaque(2, 1), // both ways are followed from here
	"CLEANUP_THROW": fixed(ir.Instr{Op: ir.Lost, Arg: 3, Arg2: 2, Name: thrown}),

	"BEFORE_WITH": plainly(ir.With), "BEFORE_ASYNC_WITH": fixed(ir.Instr{Op: ir.With, Arg: 1}), "WITH_EXCEPT_START": (*body).withExcept,
	"LOAD_SPECIAL": fixed(ir.Instr{Op: ir.Lost, Arg: 1, Arg2: 2, Name: "a special method"}),

	"SETUP_FINALLY": setup(0), "SETUP_ASYNC_WITH": setup(1), "SETUP_WITH": (*body).setupWith, "POP_BLOCK": (*body).popBlock,
	"BEGIN_FINALLY": plainly(ir.BeginFinally), "CALL_FINALLY": (*body).callFinally, "END_FINALLY": plainly(ir.EndFinally), "POP_FINALLY": counted(ir.PopFinally),
	"WITH_CLEANUP_START": plainly(ir.WithCleanupStart), "WITH_CLEANUP_FINISH": plainly(ir.WithCleanupFinish),
}

// excSlots is how many values stand for one exception on the stack.
func (b *body) excSlots() int {
	if b.version < 11 {
		return 3
	}
	return 1
}

func (b *body) reraise(pyc.Instruction)   { b.emit(ir.Instr{Op: ir.Reraise, Arg: b.excSlots()}) }
func (b *body) popExcept(pyc.Instruction) { b.emit(ir.Instr{Op: ir.PopExcept, Arg: b.excSlots()}) }

func (b *body) jumpIfNotMatch(in pyc.Instruction) {
	b.matchOnly()
	b.jump(ir.JumpIfFalse, b.absolute(in))
}

// withExcept calls the exit function that lies below what the handler found.
func (b *body) withExcept(pyc.Instruction) {
	depth := 4 // exit, offset, previous exception, exception
	switch {
	case b.version >= 14:
		depth = 5 // exit, its self or an empty slot
	case b.version < 11:
		depth = 7
	}
	b.emit(ir.Instr{Op: ir.WithExcept, Arg: depth})
}

// copy copies a value, or begins what enters a context since Python 3.14:
//
//	manager -> exit, its self or an empty slot, result of enter
func (b *body) copy(in pyc.Instruction) {
	enter := [...]struct {
		name string
		arg  int
	}{{"LOAD_SPECIAL", 1}, {"SWAP", 2}, {"SWAP", 3}, {"LOAD_SPECIAL", 0}, {"CALL", 0}}
	const async = 2 // added to the special methods
	asynchronous := b.next(1).Arg == enter[0].arg+async
	for i, e := range enter {
		next := b.next(i + 1)
		if asynchronous && e.name == "LOAD_SPECIAL" {
			e.arg += async
		}
		if in.Arg != 1 || next.Name != e.name || next.Arg != e.arg {
			b.emit(ir.Instr{Op: ir.Copy, Arg: in.Arg})
			return
		}
	}
	with := ir.Instr{Op: ir.With}
	if asynchronous {
		with.Arg = 1
	}
	b.emit(with)
	b.emit(ir.Instr{Op: ir.Null})
	b.emit(ir.Instr{Op: ir.Swap, Arg: 2})
	b.i += len(enter) // what stands between them has no place, so nothing jumps there
}
