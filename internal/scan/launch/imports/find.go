package imports

import (
	"fmt"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

// A Module is what an import finds.
type Module struct {
	Status Status
	// Why is the fact behind Status, or what is missing to know it.
	Why string

	Name    string      // "fw.drop"; "__main__" for a program
	Import  string      // by which name it was found; empty for a program that is a file
	File    *image.File // that holds it; nil for text after -c and for a namespace package
	Member  string      // of File, if that is a zip file
	Package bool

	// Text is the source of an Own module, or its bytecode with header.
	Text     string
	Compiled bool // Text is bytecode

	dirs []string // __path__ of a package; in a zip file "/app.pyz/fw"
}

// Status is whose a module is.
type Status uint8

// The statuses.
const (
	Unknown  Status = iota // it may be there, and what it is can't be told
	Absent                 // it is not there: the import fails
	Standard               // of the standard library
	Third                  // of a distribution that somebody else made
	Own                    // first-party: Text holds it
)

func (s Status) String() string {
	return [...]string{"unknown", "absent", "standard library", "third party", "first party"}[s]
}

// A Path finds the modules of one program.
type Path struct {
	x     *Index
	l     layout
	found map[string]Module
}

// String shows where the path leads.
func (p *Path) String() string { return strings.Join(p.l.entries, ":") + " " + p.l.loose }

// maxModules bounds how many modules of one program are looked for.
const maxModules = 5000

// Version is the interpreter's, "3.12"; empty if it is not known.
func (p *Path) Version() string { return p.l.version }

// Find finds a module by its absolute name.
func (p *Path) Find(name string) Module {
	if m, ok := p.found[name]; ok {
		return m
	}
	if len(p.found) >= maxModules {
		return Module{Name: name, Why: fmt.Sprintf("more than %d modules are imported", maxModules)}
	}
	m := p.find(name)
	m.Name, m.Import = name, name
	p.found[name] = m
	return m
}

// Add puts a directory on the path while the program runs, before all others or
// behind them. Modules that were found stay what they are.
func (p *Path) Add(dir string, first bool) {
	switch {
	case dir == "":
		p.l.loose = "a directory that the program puts on the import path is not known"
	case first:
		p.l.entries = append([]string{dir}, p.l.entries...)
	default:
		p.l.add(dir)
	}
	for name, m := range p.found {
		if m.Status == Absent || m.Status == Unknown {
			delete(p.found, name)
		}
	}
}

// Customized are the first-party modules that the site module imports before the
// program (Python, "site": sitecustomize, usercustomize).
func (p *Path) Customized(c Command) []string {
	var names []string
	for _, name := range []string{"sitecustomize", "usercustomize"} {
		if name == "usercustomize" && c.NoUserSite {
			continue
		}
		if m, ok := p.x.in(p.l.site, name); ok && m.Status == Own {
			p.found[name] = m
			names = append(names, name)
		}
	}
	return names
}

func (p *Path) find(name string) Module {
	if loaded[name] {
		return Module{Status: Standard, Why: "it is loaded before the program"}
	}
	parent, last := "", name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		parent, last = name[:i], name[i+1:]
	}
	if last == "" || strings.ContainsAny(last, "/\\") {
		return Module{Status: Absent, Why: "no module can have that name"}
	}
	if parent == "" {
		return p.top(last)
	}
	in := p.Find(parent)
	switch {
	case in.Status == Standard || in.Status == Third || in.Status == Absent:
		return Module{Status: in.Status, Why: in.Why}
	case in.Status == Unknown && len(in.dirs) == 0:
		return Module{Why: in.Why}
	case !in.Package:
		return Module{Status: Absent, Why: parent + " is no package"}
	}
	m, ok := p.x.in(in.dirs, last)
	if why := p.x.mayHold(in.dirs); !ok && why != "" {
		return Module{Why: why}
	}
	if !ok {
		return Module{Status: Absent, Why: fmt.Sprintf("%s has no %s", parent, last)}
	}
	return m
}

// top finds a top-level module: one of the program's own directories stands for a
// module of the standard library of the same name.
func (p *Path) top(name string) Module {
	m, ok := p.x.in(p.l.entries, name)
	switch {
	case ok:
		return m
	case standard[name]:
		return Module{Status: Standard, Why: "it is built into the interpreter, or comes with it"}
	case p.l.loose != "":
		return Module{Why: p.l.loose}
	}
	if why := p.x.mayHold(p.l.entries); why != "" {
		return Module{Why: why}
	}
	return Module{Status: Absent, Why: "no directory of the import path has it"}
}

// in finds a module in directories, as the finders of importlib do: in each one a
// package comes before a module, an extension before source, and source before
// bytecode. Directories without an __init__ are a namespace package together, if no
// directory has anything else (PEP 420).
func (x *Index) in(dirs []string, name string) (Module, bool) {
	var portions []string
	for _, dir := range dirs {
		at := path.Join(dir, name)
		if m, ok := x.module(path.Join(at, "__init__")); ok {
			m.Package, m.dirs = true, []string{at}
			return m, true
		}
		if m, ok := x.module(at); ok {
			return m, true
		}
		if x.dirs[at] {
			portions = append(portions, at)
		}
	}
	if len(portions) == 0 {
		return Module{}, false
	}
	return Module{Status: Own, Why: "a namespace package", Package: true, dirs: portions}, true
}

// module finds what can stand for the module at a path without extension.
func (x *Index) module(at string) (Module, bool) {
	if f := x.extensions[at]; f != nil {
		m := x.judged(Module{File: f})
		if m.Status == Own {
			m.Status, m.Why = Unknown, f.Path+" is machine code"
		}
		return m, true
	}
	for _, ext := range []string{".py", ".pyc"} {
		f := x.img.Lookup(at + ext)
		if f == nil || !f.Mode.IsRegular() || f.Buried() {
			continue
		}
		if ext == ".py" {
			if c := x.unchecked(at); c != nil {
				f = c
			}
		}
		return x.load(f), true
	}
	return x.member(at)
}

// load reads a module of the image.
func (x *Index) load(f *image.File) Module {
	m := x.judged(Module{File: f})
	if m.Status != Own {
		return m
	}
	text, ok := codes.Of(f)
	switch {
	case f.Fate.How == image.Perhaps:
		m.Status, m.Why = Unknown, fmt.Sprintf("a command that could not be understood may have changed %s", f.Path)
	case !ok && f.Size != 0:
		m.Status, m.Why = Unknown, fmt.Sprintf("the text of %s was not kept", f.Path)
	}
	m.Text = text.String()
	m.Compiled = isBytecode(m.Text)
	return m
}

// judged says whose a file is.
func (x *Index) judged(m Module) Module {
	class, why := x.inv.Whose(m.File)
	m.Status, m.Why = Own, m.File.Path+" is "+why
	switch {
	case class == python.StandardLibrary, class == python.Distribution && x.inv.Standard(m.File.Path):
		m.Status = Standard // also where the distribution packages the interpreter
	case class == python.ThirdParty, class == python.Distribution:
		m.Status = Third
	}
	return m
}

// mayHold says why one of the directories may hold modules that are not known.
func (x *Index) mayHold(dirs []string) string {
	if x.img.UnreadBase != "" {
		return fmt.Sprintf("the base image %s was not read", x.img.UnreadBase)
	}
	for _, dir := range dirs {
		if x.inv.MayHoldModules(dir) {
			return fmt.Sprintf("there may be files in %s that are not known", dir)
		}
		if f := x.img.Lookup(dir); f != nil && f.Mode.IsRegular() && x.archive(f) == nil {
			return fmt.Sprintf("what %s holds was not kept", f.Path)
		}
	}
	return ""
}
