package python

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A codeObject is what a module, class or function is compiled to (Python
// reference, 3.2.13.1, "Code objects").
type codeObject struct {
	arguments      int // positional-only ones are among them
	positionalOnly int
	keywordOnly    int
	stack          int
	flags          int // co_flags: see the constants
	instructions   octets
	constants      tuple
	names          []string // globals, attributes and imported names
	variables      []string // locals, then cells, then free variables, as instructions count them
	kinds          octets   // of variables, since Python 3.11; else empty
	file           string   // co_filename: the source, as the compiler was told
	name           string
	qualified      string // co_qualname; before Python 3.11 the name
	firstLine      int
	lines          octets
	exceptions     octets // since Python 3.11
}

// Flags of code objects (CPython, Include/cpython/code.h).
const (
	optimized    = 0x1       // its variables are slots: a function
	hasDocstring = 0x4000000 // since Python 3.14
)

// code reads a code object after its type (CPython, Python/marshal.c, TYPE_CODE).
func (r *reader) code() *codeObject {
	c := &codeObject{arguments: r.int(), positionalOnly: r.int(), keywordOnly: r.int()}
	if r.minor < 11 {
		r.int() // the number of locals, which the variables tell too
	}
	c.stack, c.flags = r.int(), r.int()
	c.instructions = r.octets()
	c.constants = r.tuple()
	c.names = r.strings()
	c.variables = r.strings()
	if r.minor < 11 {
		free := r.strings()
		c.variables = append(append(c.variables, r.strings()...), free...)
	} else {
		c.kinds = r.octets()
	}
	c.file, c.name = r.text(), r.text()
	c.qualified = c.name
	if r.minor >= 11 {
		c.qualified = r.text()
	}
	c.firstLine = r.int()
	c.lines = r.octets()
	if r.minor >= 11 {
		c.exceptions = r.octets()
	}
	return c
}

func (r *reader) tuple() tuple {
	t, ok := r.object().(tuple)
	if !ok {
		r.fail(errNotCode)
	}
	return t
}

func (r *reader) octets() octets {
	b, ok := r.object().(octets)
	if !ok {
		r.fail(errNotCode)
	}
	return b
}

func (r *reader) text() string {
	s, ok := r.object().(text)
	if !ok {
		r.fail(errNotCode)
	}
	return string(s)
}

func (r *reader) strings() []string {
	var out []string
	for _, v := range r.tuple() {
		s, ok := v.(text)
		if !ok {
			r.fail(errNotCode)
			return nil
		}
		out = append(out, string(s))
	}
	return out
}

// readCode reads the module that a bytecode file of Python 3.minor holds behind
// its header. What it returns shares the memory of body. CPython ignores what
// stands behind the code, and so does this.
func readCode(body string, minor int) (*codeObject, error) {
	r := &reader{rest: body, minor: minor}
	c, ok := r.object().(*codeObject)
	if r.err == nil && !ok {
		r.err = errNotCode
	}
	if r.err != nil {
		return nil, r.err
	}
	return c, nil
}

// documented reports whether c or a code object in it has a docstring. Python
// 3.minor made it.
func (c *codeObject) documented(minor int) bool {
	todo := []*codeObject{c}
	seen := map[*codeObject]bool{} // references make a graph of what looks like a tree
	for len(todo) > 0 {
		c, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if seen[c] {
			continue
		}
		seen[c] = true
		if c.docstring(minor) {
			return true
		}
		for _, k := range c.constants {
			if inner, ok := k.(*codeObject); ok {
				todo = append(todo, inner)
			}
		}
	}
	return false
}

// docstring reports whether the code itself has one. The compiler puts that of a
// function first among its constants; of a module and a class it makes a name.
func (c *codeObject) docstring(minor int) bool {
	first := false
	if len(c.constants) > 0 {
		_, first = c.constants[0].(text)
	}
	switch {
	case strings.HasPrefix(c.name, "<") && c.name != "<module>": // comprehensions, lambdas, generic parameters
		return false
	case c.flags&optimized != 0 && minor >= 14:
		return c.flags&hasDocstring != 0
	case c.flags&optimized != 0:
		return first
	case c.name == "<module>":
		return first && len(c.names) > 0 && c.names[0] == "__doc__"
	}
	// A class first names what it is and where it is from.
	const preamble = 6
	return slices.Contains(c.names[:min(preamble, len(c.names))], "__doc__") &&
		slices.ContainsFunc(c.constants[min(1, len(c.constants)):], func(k constant) bool { _, ok := k.(text); return ok })
}

// A compiled module is what bytecode tells besides its instructions.
type compiled struct {
	file       string // source, as the compiler was told
	documented bool   // it has docstrings
	damage     string // why no Python loads it; empty if one does, or if that is not known
}

// The versions of Python 3 whose code objects are read.
const (
	oldest = 8
	newest = 14
)

// codes reads bytecode that could be imported without its source: what lies in
// __pycache__ can't.
var codes = &image.Probe[compiled]{
	Name: "python-bytecode", Version: 1,
	Want: func(e image.Entry) bool {
		return path.Ext(e.Path) == ".pyc" && path.Base(path.Dir(e.Path)) != cacheDir
	},
	Read: func(e image.Entry, b []byte) (compiled, bool) {
		minor, ok := readable(header(b).Version())
		if !ok || int64(len(b)) < e.Size {
			return compiled{}, false
		}
		c, err := readCode(string(b[headerBytes:]), minor)
		switch {
		case errors.Is(err, errLimit):
			return compiled{}, false
		case err != nil:
			return compiled{damage: err.Error()}, true
		}
		return compiled{file: strings.Clone(c.file), documented: c.documented(minor)}, true
	},
}

// readable returns the minor version of a Python whose code objects are read.
func readable(version string) (minor int, ok bool) {
	minor, err := strconv.Atoi(strings.TrimPrefix(version, "3."))
	return minor, err == nil && oldest <= minor && minor <= newest
}
