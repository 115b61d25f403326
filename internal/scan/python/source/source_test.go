package source

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

func compileText(text string) (*ir.Module, error) {
	return Compile("t.py", []byte(text), Options{Limits: DefaultLimits()})
}

// TestRefusals checks that what Python 3 doesn't take is refused on its line.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"print statement", "x = 1\nprint \"hello\"\n", "line 2 has a print statement of Python 2"},
		{"exec statement", "exec code in space\n", "line 1 has a exec statement of Python 2"},
		{"raise with a value", "raise E, 'x'\n", "line 1 raises an exception as Python 2 does"},
		{"except with a comma and as", "try: pass\nexcept A, B as e: pass\n", `line 2 has "as" where`},
		{"backticks", "x = `y`\n", "line 1 holds '`'"},
		{"octal", "\nos.chmod(p, 0755)\n", "line 2 has an octal number as Python 2"},
		{"unequal", "if a <> b: pass\n", `line 1 has ">" where`},
		{"long", "x = 10L\n", `line 1 has "L" where`},
		{"null byte", "x = 1\n\x00\n", "line 2 holds a null byte"},
		{"not UTF-8", "x = 1\n# \xe9\n", "line 2 is not UTF-8"},
		{"unknown encoding", "#!/usr/bin/python\n# -*- coding: rot13 -*-\n", `line 2 declares the encoding "rot13"`},
		{"encoding after a mark", "\xef\xbb\xbf# coding: latin-1\n", "line 1 declares the encoding"},
		{"other encoding", "# coding: koi8-r\ns = '\xc1'\n", "is not plain ASCII"},
		{"tabs and spaces", "if x:\n        a\n\tb\n", "mixes tabs and spaces"},
		{"dedent", "if x:\n    a\n  b\n", "line 3 is indented like no block"},
		{"indent", "x = 1\n  y = 2\n", "line 2 is indented"},
		{"no block", "if x:\ny\n", "line 2 has no block"},
		{"open bracket", "f(1,\n", "ends inside a bracket"},
		{"wrong bracket", "f(1]\n", "closes a bracket"},
		{"open string", "x = '''abc\n", "line 1 begins a string that doesn't end"},
		{"end of line in a string", "x = 'abc\n'", "ends inside a string"},
		{"single brace", "f'}'\n", "single }"},
		{"string in pieces of two kinds", "x = b'a' 'b'\n", "joins literals of different kinds"},
		{"assignment to a call", "f() = 1\n", "assigns to what is no target"},
		{"two stars", "*a, *b = c\n", "starred target"},
		{"deletion of a call", "del f()\n", "deletes what is no target"},
		{"return outside", "return 1\n", "line 1 returns outside a function"},
		{"yield outside", "class C:\n    yield\n", "line 2 yields outside a function"},
		{"await outside", "def f():\n    await x\n", "line 2 awaits outside"},
		{"break outside", "def f():\n    break\n", "line 2 has a break outside a loop"},
		{"nonlocal", "def f():\n    nonlocal x\n", "declares \"x\" nonlocal"},
		{"star import", "def f():\n    from os import *\n", "line 2 imports all names outside"},
		{"two parameters", "def f(a, a): pass\n", "has two parameters"},
		{"default before none", "def f(a=1, b): pass\n", "parameter without a default"},
		{"positional after keyword", "f(a=1, 2)\n", "positional argument after"},
		{"keyword in other letters", "\uff50ass\n", "writes the keyword"},
		{"backslash", "x = 1 \\ \n", "joins no line"},
		{"escape", "'\\xg0'\n", "escape without its digits"},
		{"comprehension with a name in a class", "class C:\n    [x := i for i in y]\n", "assigns in a comprehension"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := compileText(c.source)
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error: %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestAccepted checks constructs that libraries of older versions don't have, and
// odd ones.
func TestAccepted(t *testing.T) {
	for _, c := range []struct{ name, source string }{
		{"empty", ""},
		{"no newline at the end", "x = 1"},
		{"comment only", "# x"},
		{"form feeds", "\fx = 1\n\f\nif x:\n    \f\n    y = 2\n"},
		{"carriage returns", "if x:\r  y\r  z\r\nw\r\n"},
		{"latin-1", "# -*- coding: latin-1 -*-\ns = '\xe9'\n"},
		{"ASCII with another encoding", "# vim: set fileencoding=cp1252 :\ns = 'e'\n"},
		{"mark of UTF-8", "\xef\xbb\xbf# coding: utf-8\nx = 'é'\n"},
		{"backslash before indented line", "if x:\n    a = 1 + \\\n  2\n    b\n"},
		{"exceptions without parentheses", "try: pass\nexcept A, B: pass\n"},
		{"exception groups without parentheses", "try: pass\nexcept* A, B: pass\n"},
		{"t-string", "x = t'a{b!r:{c}}{d=}' rt'{e}\\{f}'\n"},
		{"nested f-strings", "x = f\"{f\"{f\"{'a' + \"b\"}\"}\" + f'{1:>{f\"{w}\"}}'}\"\n"},
		{"f-string over lines", "x = f'''{\n  a # comment\n  + {1: 2}[1]\n}'''\n"},
		{"f-string with lambda and walrus", "f'{(lambda x: x)(1)}{(y:=5)}{x:=5}{a!=b}{c!r:>{d}}'\n"},
		{"type alias", "type X[T: int = str, *U, **P] = list[T] | X\ntype = 1\ntype.x\n"},
		{"generic function", "def f[T](x: T = 1, *, y=2) -> T:\n    return lambda: (T, x)\n"},
		{"generic class", "class C[T](Base[T], metaclass=M):\n    def f(self, x: T): return super().f(T)\n"},
		{"match as a name", "match = 1\nmatch.x(match[0], match)\nmatch(x)\nmatch: int\nprint(match, case)\nmatch -x\nmatch * y\n"},
		{"match", "match a, *b:\n    case [1, -2.5+3j, *_] | (x.y, None): pass\n    case {'a': 1, x.y: z, **rest} if z: pass\n    case C(1, b=D()) as q: pass\n    case -1: pass\n    case _: pass\n"},
		{"with in parentheses", "with (a as b, c as d,): pass\nwith (a, b): pass\nwith (a, b) as c: pass\nwith (yield_): pass\nwith (a) as b, c: pass\nwith (a).b() as c: pass\nwith (x := y): pass\n"},
		{"decorators", "@a\n@b[0].c(lambda: 1)\n@(d or e)\nasync def f(): pass\n"},
		{"star expressions", "a[*b, 1:2]\nfor x in *a, *b: pass\ndef f(*args: *Ts): return *a, b\n"},
		{"positional only", "def f(a, b=1, /, c=2, *, d, e=3, **k): pass\nlambda *, a: a\nlambda a, /, *b, **c: a\n"},
		{"number before a keyword", "x = 1if y else 2\n[0x1 for a in b]\n1_000.5e-1_0j\n0_0\n"},
		{"all in one line", "if x: a; b; c\nelse: d\nwhile x: break\nclass C: a = 1; b = 2\n"},
		{"named character", "x = '\\N{BULLET}' f'\\N{BULLET}{y}'\n"},
		{"generator that awaits", "def f(): return (await x for x in y)\nasync def g(): return [await x async for x in y]\n"},
		{"global in class", "def f():\n    x = 1\n    class C:\n        global x\n        x = 2\n        y = x\n"},
		{"class in class", "class A:\n    def f(self): return __class__\n    class B:\n        def g(self): return super().g()\n"},
		{"names that normalise", "ﬁle = 1\nprint(file)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := compileText(c.source)
			if err != nil {
				t.Fatal(err)
			}
			if l := losses(m.Code); len(l) > 0 {
				t.Errorf("unknown: %s", l)
			}
		})
	}
}

// TestUnknown checks constructs that are not understood: the program is there, and
// says where nothing is known any more.
func TestUnknown(t *testing.T) {
	m, err := compileText("class A:\n    X = object\n    class B[T](X): pass\n    def f[T](self, x: X): pass\n")
	if err != nil {
		t.Fatal(err)
	}
	if l := losses(m.Code); len(l) != 1 || !strings.HasPrefix(l[0], "line 3") {
		t.Errorf("unknown: %q, want one place on line 3", l)
	}
}

// TestConstants checks the values of literals.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		source string
		want   ir.Const
	}{
		{`'a' "b" '''c'''`, ir.Const{Kind: ir.Str, Text: "abc"}},
		{`r'\n' u'\x41\101\u00e9\U0001F600\q'`, ir.Const{Kind: ir.Str, Text: `\nAAé😀\q`}},
		{`'\ud800'`, ir.Const{Kind: ir.Str, Text: "\xed\xa0\x80"}},
		{`b'\xff\777' rb'\x'`, ir.Const{Kind: ir.Bytes, Text: "\xff\xff\\x"}},
		{"'a\\\nb'", ir.Const{Kind: ir.Str, Text: "ab"}},
		{"'''a\r\nb'''", ir.Const{Kind: ir.Str, Text: "a\nb"}},
		{"0x_ff", ir.Const{Kind: ir.Int, Int: 255}},
		{"-1", ir.Const{Kind: ir.Int, Int: -1}},
		{"0o17 ", ir.Const{Kind: ir.Int, Int: 15}},
		{"00", ir.Const{Kind: ir.Int}},
		{"-9223372036854775808", ir.Const{Kind: ir.Int, Int: -1 << 63}},
		{"9223372036854775808", ir.Const{Kind: ir.Big}},
		{"True", ir.Const{Kind: ir.Bool, Int: 1}},
		{"None", ir.Const{}},
		{"1.5", ir.Const{Kind: ir.Other}},
		{"...", ir.Const{Kind: ir.Other}},
		{"__debug__", ir.Const{Kind: ir.Bool, Int: 1}},
	} {
		m, err := compileText("x = " + c.source + "\n")
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		got := m.Code.Consts[m.Code.Instrs[0].Arg]
		if fmt.Sprint(m.Code.Instrs[0].Op, got.Kind, got.Int, got.Text) != fmt.Sprint(ir.LoadConst, c.want.Kind, c.want.Int, c.want.Text) {
			t.Errorf("%s: %s %v %d %q", c.source, m.Code.Instrs[0].Op, got.Kind, got.Int, got.Text)
		}
	}
}

// TestOptimized checks that assertions are left out as the interpreter would.
func TestOptimized(t *testing.T) {
	const text = "assert f()\nif __debug__: g()\n"
	for optimized, want := range map[bool]bool{false: true, true: false} {
		m, err := Compile("t.py", []byte(text), Options{Limits: DefaultLimits(), Optimized: optimized})
		if err != nil {
			t.Fatal(err)
		}
		asserts := false
		for _, in := range m.Code.Instrs {
			asserts = asserts || in.Op == ir.LoadBuiltin
		}
		if asserts != want {
			t.Errorf("optimized %v: asserts %v", optimized, asserts)
		}
	}
}

// TestBounds checks that size and nesting are bounded, and that what is refused for
// them is refused soon.
func TestBounds(t *testing.T) {
	deep := func(open, inner, closing string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closing, n) + "\n"
	}
	const n = 30_000
	var blocks, chain strings.Builder
	for i := range 2000 {
		blocks.WriteString(strings.Repeat(" ", i) + "if x:\n")
		fmt.Fprintf(&chain, "%s x:\n  y\n", map[bool]string{true: "if", false: "elif"}[i == 0])
	}
	nested := "pass\n"
	for range 25 {
		nested = "try: pass\nfinally:\n " + strings.ReplaceAll(strings.TrimSuffix(nested, "\n"), "\n", "\n ") + "\n"
	}
	limits := Limits{Bytes: 4 << 20, Tokens: 200_000, Depth: 1000}
	for _, c := range []struct{ name, source, want string }{
		{"bytes", strings.Repeat("#", 5<<20), "more than 4194304 bytes"},
		{"tokens", strings.Repeat("a;", 1<<17), "more than 200000 tokens"},
		{"parentheses", deep("(", "x", ")", n), "deeper than 1000"},
		{"brackets without end", strings.Repeat("[", n), "deeper than 1000"},
		{"unary operators", deep("-", "x", "", n), "deeper than 1000"},
		{"not", deep("not ", "x", "", n), "deeper than 1000"},
		{"powers", deep("x**", "x", "", n), "deeper than 1000"},
		{"sums", deep("x+", "x", "", n), "deeper than 1000"},
		{"attributes", "x" + deep(".x", "", "", n), "deeper than 1000"},
		{"calls", "x" + deep("()", "", "", n), "deeper than 1000"},
		{"lambdas", deep("lambda:", "x", "", n), "deeper than 1000"},
		{"few lambdas", deep("lambda:", "x", "", 200), "nests functions deeper"},
		{"conditional expressions", deep("x if y else ", "z", "", n), "deeper than 1000"},
		{"comprehensions", "[x " + deep("for x in y ", "", "", n)[:11*n] + "]\n", "deeper than 1000"},
		{"nested f-strings", deep("f\"{", "x", "}\"", 1200), "deeper than 1000"},
		{"blocks", blocks.String(), "deeper than 1000"},
		{"elif", chain.String(), "deeper than 1000"},
		{"patterns", "match x:\n case " + deep("[", "y", "]", n) + "  : pass\n", "deeper than 1000"},
		{"finally in finally", nested, "more than 1048576 instructions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile("t.py", []byte(c.source), Options{Limits: limits})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error: %v, want one with %q", err, c.want)
			}
		})
	}
}
