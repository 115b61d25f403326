package python

import (
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// Which code objects have a docstring, by what the compilers of each version make of
// a function, a class and a module with one and without.
func TestDocstring(t *testing.T) {
	for _, c := range []struct {
		name    string
		version pyc.Version
		code    pyc.Code
		want    bool
	}{
		{"function", 8, pyc.Code{Name: "f", Flags: pyc.Optimized, Constants: pyc.Tuple{pyc.Text("doc"), int64(1)}}, true},
		{"function without", 12, pyc.Code{Name: "f", Flags: pyc.Optimized, Constants: pyc.Tuple{nil, pyc.Text("x")}}, false},
		{"function, by its flag", 14, pyc.Code{Name: "f", Flags: pyc.Optimized | pyc.HasDocstring, Constants: pyc.Tuple{pyc.Text("doc")}}, true},
		{"function without, by its flag", 14, pyc.Code{Name: "f", Flags: pyc.Optimized, Constants: pyc.Tuple{pyc.Text("x")}}, false},
		{"comprehension", 8, pyc.Code{Name: "<listcomp>", Flags: pyc.Optimized, Constants: pyc.Tuple{pyc.Text("x")}}, false},
		{"class", 12, pyc.Code{Name: "A", Names: []string{"__name__", "__module__", "__qualname__", "__doc__"}, Constants: pyc.Tuple{pyc.Text("A"), pyc.Text("doc"), nil}}, true},
		{"class", 13, pyc.Code{Name: "A", Names: []string{"__name__", "__module__", "__qualname__", "__firstlineno__", "__doc__"},
			Constants: pyc.Tuple{pyc.Text("A"), int64(4), pyc.Text("doc")}}, true},
		{"class without", 12, pyc.Code{Name: "A", Names: []string{"__name__", "__module__", "__qualname__", "x"}, Constants: pyc.Tuple{pyc.Text("A"), pyc.Text("x")}}, false},
		{"module", 12, pyc.Code{Name: "<module>", Names: []string{"__doc__", "os"}, Constants: pyc.Tuple{pyc.Text("doc"), nil}}, true},
		{"module that reads the one it has not", 12, pyc.Code{Name: "<module>", Names: []string{"print", "__doc__"}, Constants: pyc.Tuple{pyc.Text("x"), nil}}, false},
		{"empty", 12, pyc.Code{Name: "<module>"}, false},
		{"empty class", 12, pyc.Code{}, false},
	} {
		c.code.Version = c.version
		if got := documented(&c.code); got != c.want {
			t.Errorf("%s of %s: %v, want %v", c.name, c.version, got, c.want)
		}
	}
}

// A graph that looks like a tree of 2^40 code objects is read and walked at once.
func TestDocumentedGraph(t *testing.T) {
	c := &pyc.Code{Version: 12, Name: "f", Flags: pyc.Optimized, Constants: pyc.Tuple{nil}}
	for range 40 {
		c = &pyc.Code{Version: 12, Name: "f", Flags: pyc.Optimized, Constants: pyc.Tuple{nil, c, c}}
	}
	if documented(c) {
		t.Error("there is no docstring")
	}
}
