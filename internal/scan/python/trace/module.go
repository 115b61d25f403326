package trace

import (
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// runModule runs a module's body.
func (a *analysis) runModule(name, pkg string, m *ir.Module, w world) []outcome {
	a.files[name] = m.File
	w = w.with(nameKey(name, "__name__"), text(name)).with(nameKey(name, "__package__"), text(pkg)).
		with(nameKey(name, "__file__"), text(m.File)).with(nameKey(name, "__doc__"), none)
	fn := &function{code: m.Code, module: name}
	f, ctl := a.enter(fn, m.File, nil, w)
	return a.nested(f, ctl)
}

// fileOf is the file of a module that was run.
func (a *analysis) fileOf(module string) string { return a.files[module] }

// find asks for a module, once.
func (a *analysis) find(name string) Found {
	if f, ok := a.known[name]; ok {
		return f
	}
	f := Found{Origin: NotKnown}
	if a.modules != nil && len(name) < 200 {
		f = a.modules.Find(name)
	}
	switch name {
	case a.options.Name:
		f = Found{Origin: FirstParty, Module: a.entry}
	case "os", "posix":
		f = Found{Origin: StandardLibrary}
	}
	a.known[name] = f
	return f
}

// importInstr does import statements.
func (r *run) importInstr(c *control, in *ir.Instr) *control {
	switch in.Op {
	case ir.Import:
		from, level := c.pop(), c.pop()
		cl := r.call(c)
		name := cl.absolute(in.Name, level)
		return r.apply(c, cl.importModule(name, from.kind == tupleKind && len(from.items()) > 0 || level.num > 0, from), true)
	case ir.ImportFrom:
		m := *c.top(1)
		return r.apply(c, r.call(c).importFrom(m, in.Name), true)
	}
	m := c.pop()
	return r.apply(c, r.call(c).importStar(m), false)
}

// absolute is the absolute name of what a relative import names.
func (c *call) absolute(name string, level value) string {
	if level.kind != intKind || level.num <= 0 {
		return name
	}
	pkg := c.w.store.get(nameKey(c.f.fn.module, "__package__")).text
	for range level.num - 1 {
		pkg = pkg[:max(strings.LastIndexByte(pkg, '.'), 0)]
	}
	return strings.Trim(pkg+"."+name, ".")
}

// importModule imports a module and the packages above it. whole asks for the module itself, not for the topmost package.
func (c *call) importModule(name string, whole bool, from value) []outcome {
	if v := c.w.store.get(nameKey("sys.modules", name)); v.kind != absentKind {
		return c.ret(v)
	}
	outs := c.ret(none)
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '.' {
			continue
		}
		part := name[:i]
		outs = c.after(outs, func(c *call, _ value) []outcome { return c.loadModule(part) })
	}
	result := name
	if !whole {
		result, _, _ = strings.Cut(name, ".")
	}
	return c.after(outs, func(c *call, _ value) []outcome {
		c.bindSubmodules(name)
		return c.after(c.loadNamed(name, from), func(c *call, _ value) []outcome { return c.ret(c.moduleNamed(result)) })
	})
}

// loadNamed loads the submodules among the names of "from package import names".
func (c *call) loadNamed(pkg string, from value) []outcome {
	outs := c.ret(none)
	if !c.f.a.find(pkg).Package {
		return outs
	}
	for _, n := range from.items() {
		sub := pkg + "." + n.text
		if n.kind == stringKind && n.text != "*" && c.w.store.get(nameKey(pkg, n.text)).kind == absentKind && c.f.a.find(sub).Origin == FirstParty {
			outs = c.after(outs, func(c *call, _ value) []outcome { return c.loadModule(sub) })
		}
	}
	return outs
}

// bindSubmodules makes the program's own submodules attributes of their packages.
func (c *call) bindSubmodules(name string) {
	for i := strings.LastIndexByte(name, '.'); i > 0; i = strings.LastIndexByte(name[:i], '.') {
		pkg, sub := name[:i], name[i+1:]
		if c.f.a.find(name).Origin == FirstParty {
			c.w = c.w.with(nameKey(pkg, sub), simple(moduleKind, 0, name))
		}
		name = pkg
	}
}

// moduleNamed is the value of a module that was loaded.
func (c *call) moduleNamed(name string) value {
	found := c.f.a.find(name)
	if found.Origin == FirstParty && found.Module != nil {
		return simple(moduleKind, 0, name)
	}
	if name == "posix" {
		name = "os"
	}
	return external(name, found.Origin)
}

// loadModule runs a module of the program's own when it is first imported.
func (c *call) loadModule(name string) []outcome {
	a := c.f.a
	found := a.find(name)
	switch found.Origin {
	case FirstParty:
		if found.Module != nil {
			return c.loadOwn(name, found)
		}
		a.lose(c.place(), "the module "+name+" can't be read: "+found.Reason)
		c.w.state.Lost = true
		return c.ret(none)
	case Absent:
		if c.w.store.get(nameKey("sys.path", "")).kind == absentKind {
			return c.raise("ModuleNotFoundError")
		}
		a.lose(c.place(), "the module "+name+" is in a directory that the program puts on the import path, and which that is is not known")
		c.w.state.Lost = true
		return c.mayRaise(none, "ImportError")
	case StandardLibrary:
		if name == "os" || strings.HasPrefix(name, "os.") || a.certain[name] {
			return c.ret(none)
		}
	}
	return c.mayRaise(none, "ImportError")
}

func (c *call) loadOwn(name string, found Found) []outcome {
	k := nameKey(name, "#loaded")
	if c.w.store.get(k).kind != absentKind {
		return c.ret(none)
	}
	c.f.a.ran(found.Module.File, c.place(), c.w.state)
	pkg := name
	if !found.Package {
		pkg = name[:max(strings.LastIndexByte(name, '.'), 0)]
	}
	return c.after(c.f.a.runModule(name, pkg, found.Module, c.w.with(k, none)), func(c *call, _ value) []outcome { return c.ret(none) })
}

// ran remembers that a module runs: as root, or only when that was given up.
func (a *analysis) ran(file string, at effect.Place, s effect.State) {
	if s.Privileged() != effect.User {
		if indexOf(a.loaded, file) < 0 {
			a.loaded = append(a.loaded, file)
		}
		return
	}
	if late := (effect.Import{File: file, Place: at}); !slices.Contains(a.late, late) {
		a.late = append(a.late, late)
	}
}

// importFrom is "from m import name".
func (c *call) importFrom(m value, name string) []outcome {
	if m.kind == moduleKind {
		if v := c.w.store.get(nameKey(m.text, name)); v.kind != absentKind {
			return c.ret(v)
		}
		sub := m.text + "." + name
		if c.f.a.find(sub).Origin == FirstParty {
			return c.after(c.loadModule(sub), func(c *call, _ value) []outcome { return c.ret(c.moduleNamed(sub)) })
		}
	}
	return c.attribute(m, name)
}

// importStar is "from m import *".
func (c *call) importStar(m value) []outcome {
	star := nameKey(c.f.fn.module, "*")
	if m.kind != moduleKind {
		if m.kind == externalKind && c.w.store.get(star).kind == absentKind {
			c.w = c.w.with(star, m)
		} else {
			c.w = c.w.with(star, unknown)
		}
		return c.ret(none)
	}
	for _, name := range c.f.a.publicNames(m.text) {
		if v := c.w.store.get(nameKey(m.text, name)); v.kind != absentKind {
			c.w = c.w.with(nameKey(c.f.fn.module, name), v)
		}
	}
	return c.ret(none)
}

// publicNames are the names that a module's body may bind and a star import brings.
func (a *analysis) publicNames(module string) []string {
	found := a.find(module)
	if found.Module == nil {
		return nil
	}
	seen := map[string]bool{}
	var names []string
	for i := range found.Module.Code.Instrs {
		in := &found.Module.Code.Instrs[i]
		if (in.Op == ir.StoreName || in.Op == ir.StoreGlobal) && !strings.HasPrefix(in.Name, "_") && !seen[in.Name] {
			seen[in.Name] = true
			names = append(names, in.Name)
		}
	}
	return names
}

// moduleAttribute is an attribute of one of the program's own modules.
func (c *call) moduleAttribute(obj value, name string) []outcome {
	if v := c.w.store.get(nameKey(obj.text, name)); v.kind != absentKind {
		return c.ret(v)
	}
	if star := c.w.store.get(nameKey(obj.text, "*")); star.kind == externalKind {
		return c.ret(external(star.text+"."+name, star.origin()))
	}
	if sub := obj.text + "." + name; c.f.a.find(sub).Origin == FirstParty && c.w.store.get(nameKey(sub, "#loaded")).kind != absentKind {
		return c.ret(simple(moduleKind, 0, sub))
	}
	if get := c.w.store.get(nameKey(obj.text, "__getattr__")); get.callee() != nil {
		return c.on(text(name)).to(get)
	}
	return c.ret(unknown)
}
