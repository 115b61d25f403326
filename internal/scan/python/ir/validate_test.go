package ir

import (
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	load, pop, ret := Instr{Op: LoadConst}, Instr{Op: Pop}, Instr{Op: Return}
	tests := []struct {
		name  string
		code  Code
		stack int
		err   string // part of it; empty if the code is valid
	}{
		{"returns a constant", Code{Instrs: []Instr{load, ret}}, 1, ""},
		{"call with keyword", Code{Instrs: []Instr{load, {Op: Null}, load, load, {Op: Call, Arg: 2, Arg2: Pair, Names: []string{"k"}}, ret}}, 4, ""},
		{"loop", Code{Instrs: []Instr{load, {Op: GetIter}, {Op: ForIter, Arg: 5}, pop, {Op: Jump, Arg: 2}, load, ret}}, 2, ""},
		{
			"handler cuts the stack", Code{
				Instrs: []Instr{load, load, pop, ret, {Op: PopExcept, Arg: 1}, ret},
				Ranges: []Range{{Start: 1, End: 2, Target: 4, Depth: 1}},
			}, 2, "",
		},
		{"finally block comes back", Code{Instrs: []Instr{{Op: CallFinally, Arg: 3}, load, ret, {Op: EndFinally}, load, ret}}, 6, ""},
		{"empty", Code{}, 0, "0 instructions"},
		{"underflow", Code{Instrs: []Instr{pop, load, ret}}, 0, "needs 1 values, finds 0"},
		{"two depths", Code{Instrs: []Instr{load, {Op: JumpIfTrue, Arg: 3}, load, load, ret}}, 0, "with a stack of"},
		{"grows for ever", Code{Instrs: []Instr{load, {Op: Jump, Arg: 0}}}, 0, "with a stack of"},
		{"runs off the end", Code{Instrs: []Instr{load}}, 0, "goes on at 1 of 1"},
		{"jumps away", Code{Instrs: []Instr{{Op: Jump, Arg: 9}}}, 0, "goes on at 9"},
		{"no such constant", Code{Instrs: []Instr{{Op: LoadConst, Arg: 1}, ret}}, 0, "constant 1 of 1"},
		{"no such constant where nothing comes", Code{Instrs: []Instr{load, ret, {Op: LoadConst, Arg: 1}, ret}}, 0, "constant 1 of 1"},
		{"unknown operation", Code{Instrs: []Instr{{Op: opCount}}}, 0, "unknown operation"},
		{"handler out of range", Code{Instrs: []Instr{load, ret}, Ranges: []Range{{End: 1, Target: 7}}}, 0, "out of range"},
		{"negative operand", Code{Instrs: []Instr{{Op: BuildTuple, Arg: -1}, ret}}, 0, "operand -1"},
		{"copies itself", Code{Instrs: []Instr{load, {Op: Copy}, ret}}, 0, "operand 0"},
		{"more keywords than arguments", Code{Instrs: []Instr{load, {Op: Call, Names: []string{"k"}}, ret}}, 0, "1 keywords among 0"},
		{"parameters", Code{Instrs: []Instr{load, ret}, Positional: 2, Params: []string{"a"}}, 0, "don't add up"},
		{"too deep", Code{Instrs: []Instr{{Op: Opaque, Arg2: maxStack + 1}, ret}}, 0, "stack of"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := test.code
			c.Consts = []Const{{}}
			err := Validate(&c)
			switch {
			case test.err == "" && err != nil:
				t.Fatal(err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Fatalf("error is %v, want one with %q", err, test.err)
			}
			if err == nil && c.MaxStack != test.stack {
				t.Errorf("stack is %d, want %d", c.MaxStack, test.stack)
			}
		})
	}
}

func TestNestedCode(t *testing.T) {
	inner := &Code{Name: "inner", Instrs: []Instr{{Op: Pop}}}
	outer := &Code{Instrs: []Instr{{Op: LoadConst}, {Op: Return}}, Consts: []Const{{Kind: CodeObject, Code: inner}}}
	if err := Validate(outer); err == nil || !strings.Contains(err.Error(), "inner") {
		t.Errorf("error is %v, want one of inner", err)
	}
	loop := &Code{Name: "loop", Instrs: []Instr{{Op: LoadConst}, {Op: Return}}}
	loop.Consts = []Const{{Kind: CodeObject, Code: loop}}
	if err := Validate(loop); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("error is %v, want one about nesting", err)
	}
}

func TestHandler(t *testing.T) {
	c := &Code{Consts: []Const{{}}}
	for range 9 {
		c.Instrs = append(c.Instrs, Instr{Op: LoadConst}, Instr{Op: Pop})
	}
	c.Instrs = append(c.Instrs, Instr{Op: LoadConst}, Instr{Op: Return}, Instr{Op: Reraise, Arg: 1})
	c.Ranges = []Range{{Start: 4, End: 6, Target: 20}, {Start: 2, End: 9, Target: 20}, {Start: 0, End: 12, Target: 20}}
	if err := Validate(c); err != nil {
		t.Fatal(err)
	}
	want := []int{2, 2, 1, 1, 0, 0, 1, 1, 1, 2, 2, 2, -1, -1}
	for i, w := range want {
		switch h := c.Handler(i); {
		case w < 0 && h != nil:
			t.Errorf("instruction %d has the handler of %+v, want none", i, *h)
		case w >= 0 && (h == nil || *h != c.Ranges[w]):
			t.Errorf("instruction %d has the handler of %+v, want range %d", i, h, w)
		}
	}
	if c.Depth(1) != 1 || c.Depth(20) != 1 || c.Depth(0) != 0 {
		t.Errorf("depths are %d, %d, %d", c.Depth(1), c.Depth(20), c.Depth(0))
	}
}

// Every operation has a name, and Print shows no text of a constant.
func TestPrint(t *testing.T) {
	for o := range opCount {
		if o.String() == "" {
			t.Errorf("operation %d has no name", o)
		}
	}
	secret := strings.Repeat("s3cret", 3)
	c := &Code{
		Name: "f", Params: []string{"a"}, Positional: 1,
		Instrs: []Instr{{Op: LoadConst, Line: 7}, {Op: Call, Arg: 1, Names: []string{"k"}}, {Op: Return}}, Consts: []Const{{Kind: Str, Text: secret}},
	}
	var b strings.Builder
	if err := Print(&b, c); err != nil {
		t.Fatal(err)
	}
	want := "f(a)\n    7    0  const str of 18\n    0    1  call 1 (k)\n    0    2  return\n"
	if b.String() != want {
		t.Errorf("got:\n%swant:\n%s", b.String(), want)
	}
}
