package lift

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// variableOperations load and store variables, names, attributes and constants.
var variableOperations = map[string]translation{
	"LOAD_CONST": (*body).loadConst, "LOAD_SMALL_INT": (*body).loadSmall, "LOAD_COMMON_CONSTANT": (*body).loadCommon,
	"LOAD_ASSERTION_ERROR": fixed(ir.Instr{Op: ir.LoadBuiltin, Name: "AssertionError"}), "LOAD_BUILD_CLASS": plainly(ir.LoadBuildClass),

	"LOAD_FAST": fast((*body).load), "LOAD_FAST_CHECK": fast((*body).load), "LOAD_FAST_BORROW": fast((*body).load),
	"LOAD_FAST_AND_CLEAR": fast((*body).take), "STORE_FAST": fast((*body).store),
	"LOAD_FAST_LOAD_FAST": pair((*body).load, (*body).load), "LOAD_FAST_BORROW_LOAD_FAST_BORROW": pair((*body).load, (*body).load),
	"STORE_FAST_LOAD_FAST": pair((*body).store, (*body).load), "STORE_FAST_STORE_FAST": pair((*body).store, (*body).store),
	"DELETE_FAST": func(b *body, in pyc.Instruction) {
		b.emit(ir.Instr{Op: ir.DeleteLocal, Name: b.variable(in.Arg)})
	},

	"LOAD_DEREF": ofCell(ir.LoadCell), "STORE_DEREF": ofCell(ir.StoreCell), "DELETE_DEREF": ofCell(ir.DeleteCell), "LOAD_CLOSURE": ofCell(ir.LoadClosure),
	"LOAD_CLASSDEREF": ofCell(ir.LoadClassCell), "LOAD_FROM_DICT_OR_DEREF": (*body).loadFromDictOrCell,
	"LOAD_FROM_DICT_OR_GLOBALS": (*body).loadFromDictOrGlobals, "LOAD_LOCALS": opaque(0, 1),

	"LOAD_NAME": named(ir.LoadName), "STORE_NAME": named(ir.StoreName), "DELETE_NAME": named(ir.DeleteName),
	"LOAD_GLOBAL": (*body).loadGlobal, "STORE_GLOBAL": named(ir.StoreGlobal), "DELETE_GLOBAL": named(ir.DeleteGlobal),

	"LOAD_ATTR": (*body).loadAttr, "STORE_ATTR": named(ir.StoreAttr), "DELETE_ATTR": named(ir.DeleteAttr), "LOAD_SUPER_ATTR": (*body).loadSuper,
	"LOAD_METHOD": func(b *body, in pyc.Instruction) {
		b.emit(ir.Instr{Op: ir.LoadAttr, Name: b.name(in.Arg)})
		b.emit(ir.Instr{Op: ir.Null})
	},

	"IMPORT_NAME": (*body).importName, "IMPORT_FROM": named(ir.ImportFrom), "IMPORT_STAR": plainly(ir.ImportStar),
}

// fast is the translation of an instruction on one variable.
func fast(use func(*body, int)) translation {
	return func(b *body, in pyc.Instruction) { use(b, in.Arg) }
}

// pair is the translation of an instruction on two variables.
func pair(first, second func(*body, int)) translation {
	return func(b *body, in pyc.Instruction) {
		first(b, in.Arg>>4)
		second(b, in.Arg&15)
	}
}

func (b *body) loadConst(in pyc.Instruction) {
	if in.Arg < 0 || in.Arg >= len(b.code.Constants) {
		b.fail("constant %d of %d", in.Arg, len(b.code.Constants))
		return
	}
	b.emit(ir.Instr{Op: ir.LoadConst, Arg: in.Arg})
}

func (b *body) loadNone() {
	if b.none < 0 {
		b.none = b.constant(ir.Const{Kind: ir.None})
	}
	b.emit(ir.Instr{Op: ir.LoadConst, Arg: b.none})
}

func (b *body) loadSmall(in pyc.Instruction) {
	b.emit(ir.Instr{Op: ir.LoadConst, Arg: b.number(int64(in.Arg))})
}

// common are the builtins and constants that instructions know (CPython,
// Include/internal/pycore_opcode_utils.h, CONSTANT_ASSERTIONERROR and following).
// Python 3.14 has the first five.
var common = [...]struct {
	builtin string
	value   ir.Const
}{
	{builtin: "AssertionError"}, {builtin: "NotImplementedError"}, {builtin: "tuple"}, {builtin: "all"}, {builtin: "any"}, {builtin: "list"}, {builtin: "set"},
	{value: ir.Const{Kind: ir.None}}, {value: ir.Const{Kind: ir.Str}}, {value: ir.Const{Kind: ir.Bool, Int: 1}}, {value: ir.Const{Kind: ir.Bool}},
	{value: ir.Const{Kind: ir.Int, Int: -1}},
}

func (b *body) loadCommon(in pyc.Instruction) {
	known := len(common)
	if b.version < 15 {
		known = 5
	}
	if in.Arg < 0 || in.Arg >= known {
		b.fail("common constant %d", in.Arg)
		return
	}
	c := common[in.Arg]
	switch {
	case c.builtin != "":
		b.emit(ir.Instr{Op: ir.LoadBuiltin, Name: c.builtin})
	case c.value.Kind == ir.None:
		b.loadNone()
	case c.value.Kind == ir.Int:
		b.emit(ir.Instr{Op: ir.LoadConst, Arg: b.number(c.value.Int)})
	default:
		b.emit(ir.Instr{Op: ir.LoadConst, Arg: b.constant(c.value)})
	}
}

// importName imports a module. Since Python 3.15 the two lowest bits say whether that
// waits until the module is used: never, by the word "lazy", or else if the module
// lists it in __lazy_modules__ (PEP 810).
func (b *body) importName(in pyc.Instruction) {
	if b.version < 15 {
		b.emit(ir.Instr{Op: ir.Import, Name: b.name(in.Arg)})
		return
	}
	const never = 2
	if when := in.Arg & 3; when != never && (when != 0 || slices.Contains(b.code.Names, "__lazy_modules__")) {
		b.emit(ir.Instr{Op: ir.Lost, Arg: 2, Arg2: 1, Name: "a lazy import"})
		return
	}
	b.emit(ir.Instr{Op: ir.Import, Name: b.name(in.Arg >> 2)})
}

// loadFromDictOrCell takes the namespace of a class off the stack.
func (b *body) loadFromDictOrCell(in pyc.Instruction) {
	b.emit(ir.Instr{Op: ir.Pop})
	b.emit(ir.Instr{Op: ir.LoadClassCell, Name: b.cellName(in.Arg)})
}

// loadFromDictOrGlobals takes the namespace of a class off the stack. Outside of the
// class's own body it only serves annotations and type parameters.
func (b *body) loadFromDictOrGlobals(in pyc.Instruction) {
	if b.out.Scope != ir.Namespace {
		b.emit(ir.Instr{Op: ir.Opaque, Arg: 1, Arg2: 1})
		return
	}
	b.emit(ir.Instr{Op: ir.Pop})
	b.emit(ir.Instr{Op: ir.LoadName, Name: b.name(in.Arg)})
}

// loadGlobal also pushes the empty slot that a call wants if the lowest bit says so,
// since Python 3.11: below the value until 3.12, above it later.
func (b *body) loadGlobal(in pyc.Instruction) {
	if b.version < 11 {
		b.emit(ir.Instr{Op: ir.LoadGlobal, Name: b.name(in.Arg)})
		return
	}
	if in.Arg&1 != 0 && b.version < 13 {
		b.emit(ir.Instr{Op: ir.Null})
	}
	b.emit(ir.Instr{Op: ir.LoadGlobal, Name: b.name(in.Arg >> 1)})
	if in.Arg&1 != 0 && b.version >= 13 {
		b.emit(ir.Instr{Op: ir.Null})
	}
}

// loadAttr loads a method if the lowest bit says so, since Python 3.12.
func (b *body) loadAttr(in pyc.Instruction) {
	if b.version < 12 {
		b.emit(ir.Instr{Op: ir.LoadAttr, Name: b.name(in.Arg)})
		return
	}
	b.emit(ir.Instr{Op: ir.LoadAttr, Name: b.name(in.Arg >> 1)})
	if in.Arg&1 != 0 {
		b.emit(ir.Instr{Op: ir.Null})
	}
}

func (b *body) loadSuper(in pyc.Instruction) {
	b.emit(ir.Instr{Op: ir.LoadSuperAttr, Name: b.name(in.Arg >> 2)})
	if in.Arg&1 != 0 {
		b.emit(ir.Instr{Op: ir.Null})
	}
}
