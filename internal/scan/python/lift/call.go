package lift

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// callOperations make functions and call them.
var callOperations = map[string]translation{
	"CALL_FUNCTION": counted(ir.Call), "CALL_FUNCTION_KW": callNamed(0), "CALL_KW": callNamed(ir.Pair),
	"CALL_METHOD": func(b *body, in pyc.Instruction) {
		b.emit(ir.Instr{Op: ir.Call, Arg: in.Arg, Arg2: ir.Pair})
	},
	"KW_NAMES": (*body).keywordNames, "CALL": (*body).call, "CALL_FUNCTION_EX": (*body).callEx,
	"CALL_INTRINSIC_1": (*body).intrinsic1, "CALL_INTRINSIC_2": (*body).intrinsic2,
	"MAKE_FUNCTION": (*body).makeFunction, "SET_FUNCTION_ATTRIBUTE": counted(ir.SetFunctionAttribute),
}

// keywordNames keeps the names of the next call's keywords (Python 3.11 and 3.12).
func (b *body) keywordNames(in pyc.Instruction) {
	if in.Arg < 0 || in.Arg >= len(b.code.Constants) {
		b.fail("constant %d of %d", in.Arg, len(b.code.Constants))
		return
	}
	call := b.next(1)
	if call.Name == "PRECALL" {
		b.join(call)
		call = b.next(2)
	}
	b.join(call)
	names, ok := b.names(in.Arg)
	if !ok || call.Name != "CALL" {
		b.fail("keywords that are no names, or without a call")
	}
	b.keywords = names
}

// names returns the items of a constant that is a tuple of texts. All calls with the
// same keywords share them.
func (b *body) names(i int) (out []string, ok bool) {
	if out, ok := b.keywordsOf[i]; ok {
		return out, true
	}
	if b.out.Consts[i].Kind != ir.Tuple {
		return nil, false
	}
	for _, item := range b.out.Consts[i].Items {
		if item.Kind != ir.Str {
			return nil, false
		}
		out = append(out, item.Text)
	}
	b.keywordsOf[i] = out
	return out, true
}

// join notes that an instruction can't be reached but from the one before it.
func (b *body) join(in pyc.Instruction) { b.joined[in.Start] = true }

func (b *body) call(in pyc.Instruction) {
	b.emit(ir.Instr{Op: ir.Call, Arg: in.Arg, Arg2: ir.Pair, Names: b.keywords})
	b.keywords = nil
}

// callNamed is the translation of a call with the names of keywords on the stack. If
// they are a constant, as compilers write it, the call takes them.
func callNamed(flags int) translation {
	return func(b *body, in pyc.Instruction) {
		if k, ok := b.constantBefore(1); ok {
			if names, ok := b.names(k); ok {
				b.out.Instrs[len(b.out.Instrs)-1] = ir.Instr{Op: ir.Nop, Line: b.line}
				b.join(in)
				b.emit(ir.Instr{Op: ir.Call, Arg: in.Arg, Arg2: flags, Names: names})
				return
			}
		}
		b.emit(ir.Instr{Op: ir.Call, Arg: in.Arg, Arg2: flags | ir.NamesOnStack})
	}
}

// callEx calls with a tuple and, if there is one, a mapping of arguments.
func (b *body) callEx(in pyc.Instruction) {
	flags := 0
	if b.version >= 11 {
		flags = ir.Pair
	}
	if in.Arg&1 != 0 || b.version >= 14 {
		flags |= ir.Keywords
	}
	b.emit(ir.Instr{Op: ir.CallEx, Arg2: flags})
}

// makeFunction finds the qualified name on the stack, up to Python 3.10: a constant
// behind the constant code, as compilers write it. Since 3.13 all but the code comes by
// SET_FUNCTION_ATTRIBUTE.
func (b *body) makeFunction(in pyc.Instruction) {
	if b.version < 11 {
		b.qualify(in)
	}
	b.emit(ir.Instr{Op: ir.MakeFunction, Arg: in.Arg})
}

func (b *body) qualify(in pyc.Instruction) {
	code, okCode := b.constantBefore(2)
	name, okName := b.constantBefore(1)
	if !okCode || !okName || b.out.Consts[code].Kind != ir.CodeObject || b.out.Consts[name].Kind != ir.Str {
		b.emit(ir.Instr{Op: ir.Pop})
		return
	}
	b.out.Consts[code].Code.Qualname = b.out.Consts[name].Text
	b.out.Instrs[len(b.out.Instrs)-1] = ir.Instr{Op: ir.Nop, Line: b.line}
	b.join(in)
}

// constantBefore returns which constant the instruction n before the present one
// loads.
func (b *body) constantBefore(n int) (i int, ok bool) {
	if b.i < n || b.instrs[b.i-n].Name != "LOAD_CONST" {
		return 0, false
	}
	return b.instrs[b.i-n].Arg, true
}

// intrinsic1 calls one of the interpreter's own functions with one argument (CPython,
// Include/internal/pycore_intrinsics.h).
func (b *body) intrinsic1(in pyc.Instruction) {
	const (
		print = iota + 1
		importStar
		stopIterationError
		asyncGeneratorWrap
		unaryPositive
		listToTuple
		typeVariable
		typeAlias = typeVariable + 4
	)
	switch n := in.Arg; {
	case n == importStar:
		b.emit(ir.Instr{Op: ir.ImportStar})
		b.loadNone()
	case n == stopIterationError || n == asyncGeneratorWrap: // the value, in other clothes
	case n == unaryPositive:
		b.emit(ir.Instr{Op: ir.Unary, Name: "+"})
	case n == listToTuple:
		b.emit(ir.Instr{Op: ir.ListToTuple})
	case n == print || n >= typeVariable && n <= typeAlias:
		b.emit(ir.Instr{Op: ir.Opaque, Arg: 1, Arg2: 1})
	default:
		b.emit(ir.Instr{Op: ir.Lost, Arg: 1, Arg2: 1, Name: "an unknown function of the interpreter"})
	}
}

// intrinsic2 calls one of them with two arguments.
func (b *body) intrinsic2(in pyc.Instruction) {
	const (
		reraiseStar = iota + 1
		boundedTypeVariable
		constrainedTypeVariable
		setFunctionTypeParameters
		setTypeParameterDefault
	)
	switch n := in.Arg; {
	case n == setFunctionTypeParameters: // function parameters -> function
		b.emit(ir.Instr{Op: ir.Pop})
	case n >= reraiseStar && n <= setTypeParameterDefault:
		b.emit(ir.Instr{Op: ir.Opaque, Arg: 2, Arg2: 1})
	default:
		b.emit(ir.Instr{Op: ir.Lost, Arg: 2, Arg2: 1, Name: "an unknown function of the interpreter"})
	}
}
