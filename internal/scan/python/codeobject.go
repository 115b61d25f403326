package python

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// documented reports whether c or a code object in it has a docstring.
func documented(c *pyc.Code) bool {
	todo := []*pyc.Code{c}
	seen := map[*pyc.Code]bool{} // references make a graph of what looks like a tree
	for len(todo) > 0 {
		c, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if seen[c] {
			continue
		}
		seen[c] = true
		if docstring(c) {
			return true
		}
		for _, k := range c.Constants {
			if inner, ok := k.(*pyc.Code); ok {
				todo = append(todo, inner)
			}
		}
	}
	return false
}

// docstring reports whether the code itself has one. The compiler puts that of a
// function first among its constants; of a module and a class it makes a name.
func docstring(c *pyc.Code) bool {
	first := false
	if len(c.Constants) > 0 {
		_, first = c.Constants[0].(pyc.Text)
	}
	switch {
	case strings.HasPrefix(c.Name, "<") && c.Name != "<module>": // comprehensions, lambdas, generic parameters
		return false
	case c.Flags&pyc.Optimized != 0 && c.Version >= 14:
		return c.Flags&pyc.HasDocstring != 0
	case c.Flags&pyc.Optimized != 0:
		return first
	case c.Name == "<module>":
		return first && len(c.Names) > 0 && c.Names[0] == "__doc__"
	}
	// A class first names what it is and where it is from.
	const preamble = 6
	return slices.Contains(c.Names[:min(preamble, len(c.Names))], "__doc__") &&
		slices.ContainsFunc(c.Constants[min(1, len(c.Constants)):], func(k pyc.Constant) bool { _, ok := k.(pyc.Text); return ok })
}

// A compiled module is what bytecode tells besides its instructions.
type compiled struct {
	file       string // source, as the compiler was told
	documented bool   // it has docstrings
	damage     string // why no Python loads it; empty if one does, or if that is not known
}

// codes reads bytecode that could be imported without its source: what lies in
// __pycache__ can't.
var codes = &image.Probe[compiled]{
	Name: "python-bytecode", Version: 2,
	Want: func(e image.Entry) bool {
		return path.Ext(e.Path) == ".pyc" && path.Base(path.Dir(e.Path)) != cacheDir
	},
	Read: func(e image.Entry, b []byte) (compiled, bool) {
		if int64(len(b)) < e.Size {
			return compiled{}, false
		}
		f, err := pyc.Read(b, pyc.DefaultLimits())
		switch {
		case errors.Is(err, pyc.ErrLimit) || errors.Is(err, pyc.ErrVersion):
			return compiled{}, false
		case err != nil:
			return compiled{damage: err.Error()}, true
		}
		return compiled{file: strings.Clone(f.Code.File), documented: documented(f.Code)}, true
	},
}

// headers reads how bytecode files begin.
var headers = &image.Probe[pyc.Header]{
	Name: "python-bytecode-header", Version: 1, Head: pyc.HeaderBytes,
	Want: func(e image.Entry) bool { return path.Ext(e.Path) == ".pyc" },
	Read: func(_ image.Entry, b []byte) (pyc.Header, bool) { return pyc.ReadHeader(b), true },
}
