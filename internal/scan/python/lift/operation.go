package lift

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// A translation adds what an instruction does. Almost all names mean the same in
// every version that has them; where not, the translation looks at the version.
type translation func(*body, pyc.Instruction)

var tables = []map[string]translation{stackOperations, variableOperations, buildOperations, callOperations, flowOperations, exceptionOperations}

// lookup returns the translation of an instruction; of one that no compiler writes or
// that is not understood, the end of the code as lost: without its effect on the stack
// nothing behind it can be told.
func lookup(name string) translation {
	for _, table := range tables {
		if t, ok := table[name]; ok {
			return t
		}
	}
	return func(b *body, in pyc.Instruction) {
		b.emit(ir.Instr{Op: ir.Lost, Arg2: 1, Name: "the instruction " + in.Name})
		b.emit(ir.Instr{Op: ir.Return})
	}
}

// nothing is the translation of what does nothing here.
func nothing(*body, pyc.Instruction) {}

// fixed always adds the same instructions.
func fixed(all ...ir.Instr) translation {
	return func(b *body, _ pyc.Instruction) {
		for _, in := range all {
			b.emit(in)
		}
	}
}

// plainly adds an operation without operands.
func plainly(op ir.Op) translation { return fixed(ir.Instr{Op: op}) }

// counted adds an operation whose Arg is the argument.
func counted(op ir.Op) translation {
	return func(b *body, in pyc.Instruction) { b.emit(ir.Instr{Op: op, Arg: in.Arg}) }
}

// named adds an operation on the name that the argument counts.
func named(op ir.Op) translation {
	return func(b *body, in pyc.Instruction) { b.emit(ir.Instr{Op: op, Name: b.name(in.Arg)}) }
}

// ofCell adds an operation on the cell that the argument counts.
func ofCell(op ir.Op) translation {
	return func(b *body, in pyc.Instruction) { b.emit(ir.Instr{Op: op, Name: b.cellName(in.Arg)}) }
}

// opaque adds what has no effect that matters.
func opaque(pops, pushes int) translation {
	return fixed(ir.Instr{Op: ir.Opaque, Arg: pops, Arg2: pushes})
}

// stackOperations move, compute and compare values.
var stackOperations = map[string]translation{
	"NOP": nothing, "RESUME": nothing, "PRECALL": nothing, "NOT_TAKEN": nothing, "GEN_START": nothing, "MAKE_CELL": nothing, "COPY_FREE_VARS": nothing,
	"SETUP_ANNOTATIONS": nothing, "ASYNC_GEN_WRAP": nothing,

	"POP_TOP": plainly(ir.Pop), "PRINT_EXPR": plainly(ir.Pop), "PUSH_NULL": plainly(ir.Null),
	"ROT_TWO": fixed(ir.Instr{Op: ir.Rot, Arg: 2}), "ROT_THREE": fixed(ir.Instr{Op: ir.Rot, Arg: 3}), "ROT_FOUR": fixed(ir.Instr{Op: ir.Rot, Arg: 4}),
	"ROT_N": counted(ir.Rot), "SWAP": counted(ir.Swap), "DUP_TOP": fixed(ir.Instr{Op: ir.Copy, Arg: 1}),
	"DUP_TOP_TWO": fixed(ir.Instr{Op: ir.Copy, Arg: 2}, ir.Instr{Op: ir.Copy, Arg: 2}),
	"COPY":        (*body).copy,

	"UNARY_POSITIVE": unary("+"), "UNARY_NEGATIVE": unary("-"), "UNARY_NOT": unary("not"), "UNARY_INVERT": unary("~"), "TO_BOOL": plainly(ir.ToBool),
	"BINARY_POWER": binary("**"), "BINARY_MULTIPLY": binary("*"), "BINARY_MATRIX_MULTIPLY": binary("@"), "BINARY_MODULO": binary("%"),
	"BINARY_ADD": binary("+"), "BINARY_SUBTRACT": binary("-"), "BINARY_FLOOR_DIVIDE": binary("//"), "BINARY_TRUE_DIVIDE": binary("/"),
	"BINARY_LSHIFT": binary("<<"), "BINARY_RSHIFT": binary(">>"), "BINARY_AND": binary("&"), "BINARY_XOR": binary("^"), "BINARY_OR": binary("|"),
	"INPLACE_POWER": inplace("**"), "INPLACE_MULTIPLY": inplace("*"), "INPLACE_MATRIX_MULTIPLY": inplace("@"), "INPLACE_MODULO": inplace("%"),
	"INPLACE_ADD": inplace("+"), "INPLACE_SUBTRACT": inplace("-"), "INPLACE_FLOOR_DIVIDE": inplace("//"), "INPLACE_TRUE_DIVIDE": inplace("/"),
	"INPLACE_LSHIFT": inplace("<<"), "INPLACE_RSHIFT": inplace(">>"), "INPLACE_AND": inplace("&"), "INPLACE_XOR": inplace("^"), "INPLACE_OR": inplace("|"),
	"BINARY_OP":     (*body).binaryOp,
	"BINARY_SUBSCR": plainly(ir.LoadItem), "STORE_SUBSCR": plainly(ir.StoreItem), "DELETE_SUBSCR": plainly(ir.DeleteItem),
	"BINARY_SLICE": fixed(ir.Instr{Op: ir.BuildSlice, Arg: 2}, ir.Instr{Op: ir.LoadItem}),
	"STORE_SLICE":  fixed(ir.Instr{Op: ir.BuildSlice, Arg: 2}, ir.Instr{Op: ir.StoreItem}),

	"COMPARE_OP": (*body).compare, "IS_OP": either("is", "is not"), "CONTAINS_OP": either("in", "not in"),
}

func unary(name string) translation   { return fixed(ir.Instr{Op: ir.Unary, Name: name}) }
func binary(name string) translation  { return fixed(ir.Instr{Op: ir.Binary, Name: name}) }
func inplace(name string) translation { return fixed(ir.Instr{Op: ir.Binary, Name: name, Arg: 1}) }

// either adds a comparison that the argument may negate.
func either(is, isNot string) translation {
	return func(b *body, in pyc.Instruction) {
		name := is
		if in.Arg == 1 {
			name = isNot
		}
		b.emit(ir.Instr{Op: ir.Compare, Name: name})
	}
}

// The arguments of BINARY_OP (CPython, Include/opcode.h, NB_ADD and following).
var binaryNames = [...]string{"+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^"}

const subscript = 2 * len(binaryNames) // since Python 3.14

func (b *body) binaryOp(in pyc.Instruction) {
	switch n := len(binaryNames); {
	case in.Arg >= 0 && in.Arg < n:
		b.emit(ir.Instr{Op: ir.Binary, Name: binaryNames[in.Arg]})
	case in.Arg >= n && in.Arg < 2*n:
		b.emit(ir.Instr{Op: ir.Binary, Name: binaryNames[in.Arg-n], Arg: 1})
	case in.Arg == subscript && b.version >= 14:
		b.emit(ir.Instr{Op: ir.LoadItem})
	default:
		b.fail("binary operation %d", in.Arg)
	}
}

// The arguments of COMPARE_OP; from "in" on they are instructions of their own since
// Python 3.9, as is the one behind these, the match of an exception.
var comparisons = [...]string{"<", "<=", "==", "!=", ">", ">=", "in", "not in", "is", "is not"}

func (b *body) compare(in pyc.Instruction) {
	n, known := in.Arg, 6
	switch {
	case b.version >= 13:
		n >>= 5
	case b.version == 12:
		n >>= 4
	case b.version < 9:
		known = len(comparisons)
	}
	switch {
	case n >= 0 && n < known:
		b.emit(ir.Instr{Op: ir.Compare, Name: comparisons[n]})
	case n == len(comparisons) && b.version < 9:
		b.matchOnly()
	default:
		b.fail("comparison %d", n)
	}
}

// matchOnly adds the match of an exception that takes the exception off the stack.
func (b *body) matchOnly() {
	b.emit(ir.Instr{Op: ir.MatchException})
	b.emit(ir.Instr{Op: ir.Swap, Arg: 2})
	b.emit(ir.Instr{Op: ir.Pop})
}
