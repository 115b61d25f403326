package lift

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc/pyctest"
)

// Whatever a compiler writes is translated into a program whose stack is consistent
// and not deeper than the interpreter's, and nothing in it is lost.
func TestStandardLibrary(t *testing.T) {
	for _, in := range pyctest.Interpreters(t) {
		if in.Version < oldest || in.Version > newest {
			continue
		}
		t.Run(in.Version.String(), func(t *testing.T) {
			codes := 0
			in.Modules(t, false, func(m pyctest.Module) {
				f, err := pyc.Read(m.Bytecode, pyc.DefaultLimits())
				if err != nil {
					t.Errorf("%s: %v", m.File, err)
					return
				}
				got, err := Module(f, m.File, DefaultLimits())
				if err != nil {
					t.Errorf("%s: %v", m.File, err)
					return
				}
				each(f.Code, got.Code, func(c *pyc.Code, p *ir.Code) {
					codes++
					compare(t, m.File, c, p)
				})
			})
			t.Logf("%d code objects", codes)
		})
	}
}

// compare checks a translation against its code object.
func compare(t *testing.T, file string, c *pyc.Code, p *ir.Code) {
	t.Helper()
	most := max(c.StackSize, 1) // to return a constant is one instruction since Python 3.12
	if c.Version < 9 {
		most += ir.SixSlots.Slots() + finallySlots
	}
	if p.MaxStack > most {
		t.Errorf("%s: %s has a stack of %d, want %d at most", file, p.Qualname, p.MaxStack, most)
	}
	for _, in := range p.Instrs {
		if in.Op == ir.Lost || in.Op == ir.Nop {
			t.Errorf("%s:%d: %s: %s: %s", file, in.Line, p.Qualname, in.Op, in.Name)
		}
	}
}

// each calls f for a code object and its translation, and for those in it.
func each(c *pyc.Code, p *ir.Code, f func(*pyc.Code, *ir.Code)) {
	f(c, p)
	for i, k := range c.Constants {
		if inner, ok := k.(*pyc.Code); ok {
			each(inner, p.Consts[i].Code, f)
		}
	}
}

// Every instruction has a translation, but those that are never stored in a file;
// and every translation is of an instruction.
func TestEveryInstruction(t *testing.T) {
	never := map[string]bool{"CACHE": true, "RESERVED": true, "EXTENDED_ARG": true, "ENTER_EXECUTOR": true, "INTERPRETER_EXIT": true, "EXIT_INIT_CHECK": true, "TRACE_RECORD": true}
	seen := map[string]bool{}
	known := func(name string) bool {
		for _, table := range tables {
			if table[name] != nil {
				return true
			}
		}
		return false
	}
	for v := oldest; v <= newest; v++ {
		for _, name := range v.Opcodes() {
			seen[name] = true
			if want := !never[name] && !strings.HasPrefix(name, "INSTRUMENTED_"); known(name) != want {
				t.Errorf("%s: %s has a translation: %v", v, name, !want)
			}
		}
	}
	for _, table := range tables {
		for name := range table {
			if !seen[name] {
				t.Errorf("%s is no instruction", name)
			}
		}
	}
}

// sample returns testdata/constructs.py as a version compiles it.
func sample(t testing.TB, v pyc.Version) *pyc.File {
	t.Helper()
	b, err := os.ReadFile("testdata/constructs-" + v.String() + ".pyc")
	if err != nil {
		t.Fatal(err)
	}
	f, err := pyc.Read(b, pyc.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestVersions(t *testing.T) {
	for v := pyc.Oldest; v <= pyc.Newest; v++ {
		_, err := Module(&pyc.File{Version: v, Code: &pyc.Code{Version: v}}, "x.pyc", DefaultLimits())
		if translated := v >= oldest && v <= newest; errors.Is(err, ErrVersion) == translated || err == nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}

func TestLimits(t *testing.T) {
	f := sample(t, 12)
	for _, c := range []struct {
		name string
		set  func(*Limits)
	}{
		{"code", func(l *Limits) { l.Code = 3000 }},
		{"instructions", func(l *Limits) { l.Instructions = 500 }},
		{"constants", func(l *Limits) { l.Constants = 50 }},
		{"nesting", func(l *Limits) { l.Nesting = 3 }},
	} {
		l := DefaultLimits()
		c.set(&l)
		if _, err := Module(f, "x.pyc", l); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A graph that looks like a tree of 2^40 code objects, or constants, is over a limit
// at once.
func TestSharedConstants(t *testing.T) {
	code := &pyc.Code{Version: 12, Bytecode: "\x79\x00", Constants: pyc.Tuple{nil}}
	tuple := pyc.Tuple{nil}
	for range 40 {
		code = &pyc.Code{Version: 12, Bytecode: "\x79\x00", Constants: pyc.Tuple{nil, code, code}}
		tuple = pyc.Tuple{tuple, tuple}
	}
	for name, c := range map[string]*pyc.Code{"code": code, "tuples": {Version: 12, Bytecode: "\x79\x00", Constants: pyc.Tuple{nil, tuple}}} {
		if _, err := Module(&pyc.File{Version: 12, Code: c}, "x.pyc", DefaultLimits()); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzModule(f *testing.F) {
	for v := oldest; v <= newest; v++ {
		name := "testdata/constructs-" + v.String() + ".pyc"
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := pyc.Read(b, pyc.DefaultLimits())
		if err != nil {
			return
		}
		m, err := Module(file, "x.pyc", DefaultLimits())
		if (m == nil) == (err == nil) {
			t.Fatalf("module %v, error %v", m, err)
		}
	})
}
