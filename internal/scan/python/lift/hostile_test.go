package lift

import (
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// Instructions of Python 3.12 (Include/opcode.h).
const (
	popTop           = "\x01\x00"
	pushNull         = "\x02\x00"
	returnGenerator  = "\x4b\x00"
	returnValue      = "\x53\x00"
	loadConst        = "\x64" // and which
	jumpForward      = "\x6e" // and how far
	loadName         = "\x65"
	sendOut          = "\x7b" // and how far, and a cache
	storeFast        = "\x7d"
	backToSend       = "\x86"
	makeCell         = "\x87"
	loadDeref        = "\x89"
	loadFastAndClear = "\x8f"
	extendedArg      = "\x90"
	yieldValue       = "\x96\x01"
	resume           = "\x97\x02"
	callOne          = "\xab\x01" + "\x00\x00\x00\x00\x00\x00"
	keywordNames     = "\xac"
	returnConst      = "\x79\x00"
	unknown          = "\xf0\x00" // INSTRUMENTED_RESUME
)

// No compiler writes these. Each is refused, or lost where the interpreter would do
// what the canonical program does not tell.
func TestHostile(t *testing.T) {
	for _, c := range []struct {
		name string
		code pyc.Code
		want string // of the error, or of the instructions
	}{
		{"an instruction that is none", pyc.Code{Bytecode: unknown + returnConst}, "0 lost the instruction INSTRUMENTED_RESUME 1\n1 return\n"},
		{"no end", pyc.Code{Bytecode: loadConst + "\x00"}, "goes on at 1 of 1"},
		{"nothing at all", pyc.Code{}, "0 instructions"},
		{"too few values", pyc.Code{Bytecode: popTop + returnConst}, "needs 1 values, finds 0"},
		{"a name that is not there", pyc.Code{Bytecode: loadName + "\x05" + returnValue}, "name 5 of 0"},
		{"a constant that is not there", pyc.Code{Bytecode: loadConst + "\x05" + returnValue}, "constant 5 of 1"},
		{"a jump behind a prefix", pyc.Code{Bytecode: jumpForward + "\x01" + extendedArg + "\x01" + loadConst + "\x00" + returnValue}, "constant 256 of 1"},
		{"a jump between a prefix and what it extends", pyc.Code{Constants: make(pyc.Tuple, 257),
			Bytecode: jumpForward + "\x01" + extendedArg + "\x01" + loadConst + "\x00" + returnValue}, "operand -1"},
		{"a jump into a cache", pyc.Code{Bytecode: jumpForward + "\x04" + pushNull + loadConst + "\x00" + callOne + returnValue}, "operand -1"},
		{"a jump between keywords and their call", pyc.Code{Constants: pyc.Tuple{nil, pyc.Tuple{pyc.Text("user")}},
			Bytecode: pushNull + loadConst + "\x00" + loadConst + "\x00" + jumpForward + "\x01" + keywordNames + "\x01" + callOne + returnValue}, "operand -1"},
		{"keywords without a call", pyc.Code{Constants: pyc.Tuple{pyc.Tuple{pyc.Text("user")}}, Bytecode: keywordNames + "\x00" + returnConst}, "without a call"},
		{"keywords that are numbers", pyc.Code{Constants: pyc.Tuple{pyc.Tuple{int64(1)}}, Bytecode: keywordNames + "\x00" + callOne}, "no names"},
		{"a wait that does something else", pyc.Code{Flags: pyc.Generator,
			Bytecode: returnGenerator + popTop + loadConst + "\x00" + loadConst + "\x00" + sendOut + "\x01\x00\x00" + popTop + returnConst}, "a wait that is no loop"},
		{"a wait that catches what is thrown into it", pyc.Code{Flags: pyc.Generator, ExceptionTable: "\x86\x01\x0a\x00",
			Bytecode: returnGenerator + popTop + loadConst + "\x00" + loadConst + "\x00" + sendOut + "\x03\x00\x00" + yieldValue + resume + backToSend + "\x05" + returnValue + returnConst},
			"thrown into it"},
		{"a generator by its flags alone", pyc.Code{Flags: pyc.Generator, Bytecode: returnConst}, "its flags make it a generator: true, its instructions: false"},
		{"a generator by its instructions alone", pyc.Code{Bytecode: returnGenerator + popTop + returnConst}, "its flags make it a generator: false"},
		{"two variables of one name", pyc.Code{Variables: []string{"x", "x"}, Kinds: []pyc.Kind{pyc.Local, pyc.Local}, Bytecode: returnConst}, "two variables named x"},
		{"more parameters than variables", pyc.Code{Arguments: 1, Bytecode: returnConst}, "1 parameters among 0"},
		{"a handler that is not there", pyc.Code{ExceptionTable: "\x80\x01\x20\x00", Bytecode: returnConst}, "no instruction begins there"},
		{"a comprehension's cell that is also another's", pyc.Code{Variables: []string{"x"}, Kinds: []pyc.Kind{pyc.Local | pyc.Cell},
			Bytecode: loadFastAndClear + "\x00" + makeCell + "\x00" + loadDeref + "\x00" + popTop + storeFast + "\x00" + loadDeref + "\x00" + returnValue},
			"0 lost a comprehension's cell of the same name as another 1\n1 load cell x\n2 pop\n3 lost a variable in place of a cell 1\n4 load cell x\n5 return\n"},
		{"code in a tuple", pyc.Code{Constants: pyc.Tuple{pyc.Tuple{&pyc.Code{}}}, Bytecode: returnConst}, "0 const tuple of 1\n1 return\n"},
	} {
		c.code.Version = 12
		if c.code.Constants == nil {
			c.code.Constants = pyc.Tuple{nil}
		}
		m, err := Module(&pyc.File{Version: 12, Code: &c.code}, "x.pyc", DefaultLimits())
		switch {
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		case err == nil && listing(m.Code) != c.want:
			t.Errorf("%s: %s, want %s", c.name, listing(m.Code), c.want)
		}
	}
}

// A variable that looks like one of ours is refused.
func TestKeptName(t *testing.T) {
	f := sample(t, 8)
	inner := f.Code.Constants[0].(pyc.Text)
	if inner == "" {
		t.Fatal("no docstring")
	}
	for _, k := range f.Code.Constants {
		if c, ok := k.(*pyc.Code); ok && c.Name == "returns_through_finally" {
			c.Variables = append([]string{"x"}, "<kept over the finally block at 3>", "<kept over the finally block at 4>")
			c.Kinds, c.Locals = []pyc.Kind{pyc.Local, pyc.Local, pyc.Local}, 3
		}
	}
	if _, err := Module(f, "x.pyc", DefaultLimits()); err == nil || !strings.Contains(err.Error(), "a variable named") {
		t.Errorf("got %v", err)
	}
}
