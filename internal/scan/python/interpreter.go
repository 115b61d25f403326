package python

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// An Interpreter is a Python of the final file system that can be started.
type Interpreter struct {
	Name    string // "CPython" or "PyPy"
	Version string // "3.13"
	Prefix  string // sys.prefix: "/usr/local"
	Path    string // of the executable: "/usr/local/bin/python3.13"
	File    *image.File
}

func (in Interpreter) String() string {
	name := in.Name
	if name == cpython {
		name = "Python"
	}
	return fmt.Sprintf("%s %s (%s)", name, in.Version, in.Path)
}

// Magic returns the number that bytecode must start with for the interpreter to
// load it. It is not ok if that is not known: of another implementation than
// CPython, or of a newer version.
func (in Interpreter) Magic() (n uint16, ok bool) {
	v, known := pyc.ParseVersion(in.Version)
	if in.Name != cpython || !known {
		return 0, false
	}
	return v.Magic()
}

const (
	cpython = "CPython"
	pypy    = "PyPy"
)

// Interpreters returns the interpreters of the final file system, by path. The
// links to one of them that virtual environments hold are none.
func (inv *Inventory) Interpreters() []Interpreter { return inv.interpreters }

// executable is an interpreter by its name.
var executable = regexp.MustCompile(`^(.*)/bin/(python|pypy)(\d+\.\d+)t?d?$`)

// interpret finds the interpreters: programs named after their version, and those
// that a library has beside it under a shorter name.
func (inv *Inventory) interpret() {
	seen := map[*image.File]bool{}
	add := func(name, version, prefix string, f *image.File) {
		if f == nil || seen[f] || !f.Mode.IsRegular() || f.Mode&0o111 == 0 {
			return
		}
		seen[f] = true
		inv.interpreters = append(inv.interpreters, Interpreter{name, version, cmp.Or(prefix, "/"), f.Path, f})
	}
	for f := range inv.img.Files() {
		if f.Buried() || !strings.Contains(f.Path, "/bin/py") { // few paths need the slow look
			continue
		}
		if m := executable.FindStringSubmatch(f.Path); m != nil {
			add(implementation(m[2]), m[3], m[1], f)
		}
	}
	for _, in := range inv.installations {
		if in.Lib == "" {
			continue
		}
		kind := implementation(path.Base(in.Lib) + path.Base(path.Dir(in.Lib)))
		for _, name := range []string{"python3", "python", "pypy3", "pypy"} {
			f := inv.img.Lookup(path.Join(in.Prefix, "bin", name))
			if f != nil && executable.FindStringSubmatch(f.Path) == nil {
				add(kind, in.Version, in.Prefix, f)
			}
		}
	}
	slices.SortFunc(inv.interpreters, func(a, b Interpreter) int { return cmp.Compare(a.Path, b.Path) })
}

// implementation tells one by a name of its program or library directory.
func implementation(name string) string {
	if strings.Contains(name, "pypy") || strings.Contains(name, "lib-python") {
		return pypy
	}
	return cpython
}
