package python

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// The samples are one module, compiled by every version that is read.
func TestReadCode(t *testing.T) {
	files, err := filepath.Glob("testdata/helper-*.pyc")
	if err != nil || len(files) != newest-oldest+1 {
		t.Fatal("samples:", len(files), err)
	}
	for _, file := range files {
		version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "helper-"), ".pyc")
		t.Run(version, func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if h := header(b); h.Version() != version || h.Kind() != "timestamp" {
				t.Errorf("header: %s, %s", h, h.Kind())
			}
			minor, _ := readable(version)
			c, err := readCode(string(b[headerBytes:]), minor)
			if err != nil {
				t.Fatal(err)
			}
			outline(t, c, "<module> <module> [agentrt seclib drop_privileges take_secrets main] []")
			if c.file != "/app/g14_helper_module.py" || c.firstLine > 2 || len(c.instructions) < 40 || c.documented(minor) {
				t.Errorf("%s:%d, %d bytes of code, docstrings: %v", c.file, c.firstLine, len(c.instructions), c.documented(minor))
			}
			if imported, ok := c.constants[2].(tuple); !ok || fmt.Sprint(imported) != "[drop_privileges take_secrets]" || c.constants[0] != int64(0) || c.constants[1] != nil {
				t.Errorf("constants: %v", c.constants)
			}
			inner, ok := c.constants[3].(*codeObject)
			if !ok {
				t.Fatalf("constants: %v", c.constants)
			}
			outline(t, inner, "main main [take_secrets drop_privileges agentrt serve] [creds]")
			if inner.firstLine != 5 || inner.flags&optimized == 0 || inner.arguments != 0 || inner.stack < 2 {
				t.Errorf("main: line %d, flags %#x, %d arguments, stack %d", inner.firstLine, inner.flags, inner.arguments, inner.stack)
			}
			if since311 := minor >= 11; (len(inner.kinds) == 1) != since311 {
				t.Errorf("main: kinds %q", inner.kinds)
			}
			for i := range len(b) - headerBytes {
				if _, err := readCode(string(b[headerBytes:headerBytes+i]), minor); err == nil {
					t.Fatalf("nothing is amiss with its first %d bytes of %d", i, len(b)-headerBytes)
				}
			}
		})
	}
}

func outline(t *testing.T, c *codeObject, want string) {
	t.Helper()
	if got := fmt.Sprint(c.name, " ", c.qualified, " ", c.names, " ", c.variables); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Which code objects have a docstring, by what the compilers of each version make of
// a function, a class and a module with one and without.
func TestDocstring(t *testing.T) {
	for _, c := range []struct {
		name  string
		minor int
		code  codeObject
		want  bool
	}{
		{"function", 8, codeObject{name: "f", flags: optimized, constants: tuple{text("doc"), int64(1)}}, true},
		{"function without", 12, codeObject{name: "f", flags: optimized, constants: tuple{nil, text("x")}}, false},
		{"function, by its flag", 14, codeObject{name: "f", flags: optimized | hasDocstring, constants: tuple{text("doc")}}, true},
		{"function without, by its flag", 14, codeObject{name: "f", flags: optimized, constants: tuple{text("x")}}, false},
		{"comprehension", 8, codeObject{name: "<listcomp>", flags: optimized, constants: tuple{text("x")}}, false},
		{"class", 12, codeObject{name: "A", names: []string{"__name__", "__module__", "__qualname__", "__doc__"}, constants: tuple{text("A"), text("doc"), nil}}, true},
		{"class", 13, codeObject{name: "A", names: []string{"__name__", "__module__", "__qualname__", "__firstlineno__", "__doc__"},
			constants: tuple{text("A"), int64(4), text("doc")}}, true},
		{"class without", 12, codeObject{name: "A", names: []string{"__name__", "__module__", "__qualname__", "x"}, constants: tuple{text("A"), text("x")}}, false},
		{"module", 12, codeObject{name: "<module>", names: []string{"__doc__", "os"}, constants: tuple{text("doc"), nil}}, true},
		{"module that reads the one it has not", 12, codeObject{name: "<module>", names: []string{"print", "__doc__"}, constants: tuple{text("x"), nil}}, false},
		{"empty", 12, codeObject{name: "<module>"}, false},
		{"empty class", 12, codeObject{}, false},
	} {
		if got := c.code.documented(c.minor); got != c.want {
			t.Errorf("%s of 3.%d: %v, want %v", c.name, c.minor, got, c.want)
		}
	}
}

// A graph that looks like a tree of 2^40 code objects is read and walked at once.
func TestDocumentedGraph(t *testing.T) {
	c := &codeObject{name: "f", flags: optimized, constants: tuple{nil}}
	for range 40 {
		c = &codeObject{name: "f", flags: optimized, constants: tuple{nil, c, c}}
	}
	if c.documented(12) {
		t.Error("there is no docstring")
	}
}

func FuzzMarshal(f *testing.F) {
	for minor := oldest; minor <= newest; minor++ {
		magic, _ := Magic(fmt.Sprintf("3.%d", minor))
		f.Add([]byte(scantest.Bytecode(magic, "/app/main.py", "doc")), uint8(minor))
	}
	for _, s := range []string{"\xa9\x02r\x00\x00\x00\x00N", "{NNz\x01a)\x010", "(\xff\xff\xff\x7f", "l\x00\x00\x00\x80", strings.Repeat(")\x01", 600)} {
		f.Add([]byte(strings.Repeat("\x00", headerBytes)+s), uint8(12))
	}
	f.Fuzz(func(t *testing.T, b []byte, minor uint8) {
		m := oldest + int(minor)%(newest-oldest+1)
		if len(b) < headerBytes {
			header(b)
			return
		}
		c, err := readCode(string(b[headerBytes:]), m)
		if (c == nil) == (err == nil) {
			t.Fatalf("code %v, error %v", c, err)
		}
		if c != nil {
			c.documented(m)
		}
	})
}
