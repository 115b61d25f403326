package pyc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The samples are one module, compiled by every version from 3.8 to 3.14.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/helper-*.pyc")
	if err != nil || len(files) != 7 {
		t.Fatal("samples:", len(files), err)
	}
	for _, file := range files {
		version, ok := ParseVersion(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "helper-"), ".pyc"))
		t.Run(version.String(), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := Read(b, DefaultLimits())
			if err != nil || !ok {
				t.Fatal(err)
			}
			if f.Version != version || f.Header.Kind() != "timestamp" {
				t.Errorf("header: %s, %s", f.Header, f.Header.Kind())
			}
			c := f.Code
			outline(t, c, "<module> <module> [agentrt seclib drop_privileges take_secrets main] []")
			if c.File != "/app/g14_helper_module.py" || c.FirstLine > 2 || len(c.Bytecode) < 40 {
				t.Errorf("%s:%d, %d bytes of code", c.File, c.FirstLine, len(c.Bytecode))
			}
			if imported, ok := c.Constants[2].(Tuple); !ok || fmt.Sprint(imported) != "[drop_privileges take_secrets]" || c.Constants[0] != int64(0) || c.Constants[1] != nil {
				t.Errorf("constants: %v", c.Constants)
			}
			inner, ok := c.Constants[3].(*Code)
			if !ok {
				t.Fatalf("constants: %v", c.Constants)
			}
			outline(t, inner, "main main [take_secrets drop_privileges agentrt serve] [creds]")
			if inner.FirstLine != 5 || inner.Flags&Optimized == 0 || inner.Arguments != 0 || inner.StackSize < 2 || inner.Locals != 1 {
				t.Errorf("main: line %d, flags %#x, %d arguments, stack %d", inner.FirstLine, inner.Flags, inner.Arguments, inner.StackSize)
			}
			for i := range b {
				if _, err := Read(b[:i], DefaultLimits()); err == nil {
					t.Fatalf("nothing is amiss with its first %d bytes of %d", i, len(b))
				}
			}
		})
	}
}

func outline(t *testing.T, c *Code, want string) {
	t.Helper()
	if got := fmt.Sprint(c.Name, " ", c.Qualified, " ", c.Names, " ", c.VariablesOf(Local)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// file returns a bytecode file of Python 3.12 with body behind its header.
func file(body string) []byte {
	return []byte("\xcb\x0d\r\n" + strings.Repeat("\x00", HeaderBytes-4) + body)
}

func TestErrors(t *testing.T) {
	many := "\xcb\x0d\r\n"
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"a limit of ours is no damage", file(strings.Repeat(")\x01", 2000)), ErrLimit},
		{"a preview", append([]byte("\xca\x0d\r\n"), make([]byte, 40)...), ErrVersion},
		{"nothing", nil, ErrVersion},
		{"cut off in the header", []byte(many), ErrVersion},
		{"no code", file("N"), errNotCode},
	} {
		if _, err := Read(c.data, DefaultLimits()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// A tuple of names that many code objects share is counted for each.
func TestSharedNames(t *testing.T) {
	names := "\xa8" + "\x00\x04\x00\x00" + strings.Repeat("z\x00", 1024) // the second object of the file
	code := "c" + strings.Repeat("\x00", 20) + "s\x00\x00\x00\x00" + ")\x00" + "r\x01\x00\x00\x00" + "r\x01\x00\x00\x00" +
		"s\x00\x04\x00\x00" + strings.Repeat("\x20", 1024) + strings.Repeat("z\x01f", 3) + strings.Repeat("\x00", 4) + "s\x00\x00\x00\x00s\x00\x00\x00\x00"
	body := "\xa9\x02" + names + "\xa8\x00\x01\x00\x00" + strings.Repeat(code, 256)
	for objects, want := range map[int]error{500_000: ErrLimit, 1_000_000: errNotCode} {
		if _, err := Read(file(body), Limits{Nesting: 100, Objects: objects}); !errors.Is(err, want) {
			t.Errorf("%d objects: %v, want %v", objects, err, want)
		}
	}
}

// Each version has as many opcodes as its own opcode module lists.
func TestOpcodes(t *testing.T) {
	for v, want := range map[Version]int{6: 118, 8: 120, 11: 110, 12: 129, 13: 138, 14: 143, 15: 143} {
		names := v.Opcodes()
		if len(names) != want {
			t.Errorf("%s has %d opcodes, want %d", v, len(names), want)
		}
	}
	for v := Oldest; v <= Newest; v++ {
		for _, op := range opcodes()[v] {
			if v < 11 && op.caches != 0 || v > 11 && op.name == "LOAD_CONST" && !op.argument {
				t.Errorf("%s: %+v", v, op)
			}
		}
	}
}

// The lines of the samples are those of the source, whatever the version, but for what is in
// front of the first ones.
func TestLines(t *testing.T) {
	for v := Version(8); v <= 14; v++ {
		b, err := os.ReadFile("testdata/helper-" + v.String() + ".pyc")
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read(b, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			code *Code
			want string
		}{{f.Code, "[3 5 10]"}, {f.Code.Constants[3].(*Code), "[6 7 8]"}} {
			var lines []int
			for _, l := range c.code.LineStarts() {
				if l.Line > 2 && l.Line != c.code.FirstLine {
					lines = append(lines, l.Line)
				}
			}
			if got := fmt.Sprint(lines); got != c.want {
				t.Errorf("%s: %s: %s, want %s", v, c.code.Name, got, c.want)
			}
			if n := len(c.code.Instructions()); n < 8 || c.code.Instructions()[n-1].Next != len(c.code.Bytecode) {
				t.Errorf("%s: %s: %d instructions", v, c.code.Name, n)
			}
		}
	}
}
