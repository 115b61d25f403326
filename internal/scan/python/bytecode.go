package python

import (
	"fmt"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// cacheDir is where interpreters keep the bytecode of sources (PEP 3147).
const cacheDir = "__pycache__"

// Bytecode is one bytecode file of the final file system.
type Bytecode struct {
	File   *image.File
	Source string // path of the source that it stands for
	Cached bool   // it lies in __pycache__
	Class  Class  // of its source
	Why    string // by what the class was told

	predicted bool // its content is that of the source
}

// Header returns how the bytecode begins; not ok if its content is not known, as
// in an image that is predicted from a Dockerfile.
func (b *Bytecode) Header() (pyc.Header, bool) {
	if b.predicted {
		return pyc.Header{}, false
	}
	return headers.Of(b.File)
}

// CompiledFrom returns the path of the source as the compiler was told
// (co_filename), and whether docstrings are in the bytecode. It is not ok if that
// was not read: for what lies in __pycache__, and for versions of Python that are
// not understood.
func (b *Bytecode) CompiledFrom() (file string, docstrings, ok bool) {
	c, ok := codes.Of(b.File)
	return c.file, c.documented, ok && c.damage == "" && !b.predicted
}

// Bytecode returns the bytecode files of the final file system, oldest layer
// first. What Python itself would not take for bytecode by its name is left out.
func (inv *Inventory) Bytecode() []*Bytecode { return inv.bytecode }

func (inv *Inventory) compiled() {
	for f := range inv.img.Files() {
		source, ok := packages.SourceOf(f.Path)
		if !ok || f.Buried() || !f.Mode.IsRegular() {
			continue
		}
		b := &Bytecode{File: f, Source: source, Cached: path.Base(path.Dir(f.Path)) == cacheDir}
		b.predicted = inv.img.Predicted
		b.Class, b.Why = inv.Whose(f)
		inv.bytecode = append(inv.bytecode, b)
		if path.Base(source) == "__init__.py" {
			inv.regular[path.Dir(source)] = true
		}
	}
}

// A State is what becomes of bytecode when its module is imported.
type State uint8

// The states.
const (
	Undecided State = iota // it can't be told from the image
	Loads                  // an interpreter of the image loads it
	Unused                 // something else stands for the module: its source, or other bytecode
	Fails                  // no interpreter of the image loads it, and nothing else is there
)

// An Import is what becomes of one module's bytecode.
type Import struct {
	State State
	Why   string // the fact that decided it; what is missing if Undecided
}

func undecided(format string, args ...any) Import {
	return Import{Undecided, fmt.Sprintf(format, args...)}
}

// Import says what the interpreters of the image make of b without its source
// (Python reference, 5, "The import system"; importlib, SourcelessFileLoader).
func (inv *Inventory) Import(b *Bytecode) Import {
	switch source := inv.img.Lookup(b.Source); {
	case source != nil && source.Live():
		return Import{Unused, "the source is what is imported"}
	case source != nil:
		return undecided("whether %s is still there is not known", b.Source)
	}
	switch {
	case inv.native[strings.TrimSuffix(b.Source, ".py")]: // it comes before bytecode (importlib, _get_supported_file_loaders)
		return Import{Unused, "a shared object is what is imported"}
	case b.Cached:
		return inv.cached(b)
	}
	return inv.beside(b)
}

// cached judges bytecode in __pycache__, which only counts with its source.
func (inv *Inventory) cached(b *Bytecode) Import {
	why := inv.mayHold(b.Source)
	switch {
	case inv.img.Lookup(b.Source+"c") != nil:
		return Import{Unused, "the bytecode beside " + cacheDir + " is what is imported"}
	case why != "":
		return undecided("whether %s is there is not known: %s", b.Source, why)
	case !inv.ever[b.Source] && inv.sourced[path.Dir(b.Source)]:
		return Import{Unused, "is stale: the directory has sources, and none of that name"}
	case len(inv.interpreters) == 0 && !inv.img.Predicted:
		return undecided("no Python interpreter was found in the image")
	}
	return Import{Fails, "lies in " + cacheDir + ", where Python looks only while the source is there"}
}

// beside judges bytecode where its source would be.
func (inv *Inventory) beside(b *Bytecode) Import {
	if strings.Contains(strings.TrimSuffix(path.Base(b.Source), ".py"), ".") {
		return Import{Fails, "has a dot in its name, which no import can name"}
	}
	return inv.Run(b)
}

// Run says what the interpreters of the image make of b if they are told to run it:
// as a script, bytecode runs wherever it lies, if it is theirs.
func (inv *Inventory) Run(b *Bytecode) Import {
	h, ok := b.Header()
	switch {
	case !ok:
		return undecided("which Python compiles %s is not known", b.File.Path)
	case len(inv.interpreters) == 0:
		return undecided("no Python interpreter was found in the image")
	}
	i := inv.accepts(h)
	if c, ok := codes.Of(b.File); ok && i.State == Loads && c.damage != "" {
		return Import{Fails, "is damaged: " + c.damage}
	}
	return i
}

// accepts says which interpreter loads bytecode that begins with h.
func (inv *Inventory) accepts(h pyc.Header) Import {
	unknown := ""
	for _, in := range inv.interpreters {
		magic, ok := in.Magic()
		switch {
		case ok && magic == h.Magic:
			return Import{Loads, in.String() + " loads it"}
		case !ok || h.Preview().String() == in.Version:
			unknown = in.String()
		}
	}
	if unknown != "" {
		return undecided("what bytecode %s loads is not known", unknown)
	}
	var want []string
	for _, in := range inv.interpreters {
		magic, _ := in.Magic()
		want = append(want, fmt.Sprintf("%s loads only magic number %d", in, magic))
	}
	return Import{Fails, fmt.Sprintf("is %s, and %s", h, strings.Join(want, ", "))}
}

// mayHold says why there may be a file at p that is not known; empty if there is
// none.
func (inv *Inventory) mayHold(p string) string {
	if !inv.img.Predicted && !inv.img.Complete() {
		return "a part of the image was not read"
	}
	for _, u := range inv.img.Unseen {
		if u.Path == "/" || strings.HasPrefix(p, u.Path+"/") || p == u.Path {
			return u.Why
		}
	}
	return ""
}

// Namespace returns the directory of a package that an import still finds, empty,
// although b and all else in it fails: one without any module is a namespace
// package (PEP 420), so that a test that only imports it passes. It returns "" if
// there is none.
func (inv *Inventory) Namespace(b *Bytecode) string {
	dir := path.Dir(b.Source)
	if !b.Cached || inv.modules[dir] || !inv.regular[dir] {
		return ""
	}
	return dir
}

// HasModules reports whether imports find anything in a directory of the final file
// system.
func (inv *Inventory) HasModules(dir string) bool { return inv.modules[dir] }

// MayHoldModules reports whether there may be modules in dir that are not known.
func (inv *Inventory) MayHoldModules(dir string) bool {
	return inv.mayHold(path.Join(dir, "any.py")) != ""
}
