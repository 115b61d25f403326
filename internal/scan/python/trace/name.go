package trace

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// load is the value of a name.
func (r *run) load(c *control, in *ir.Instr) value {
	f := r.f
	switch in.Op {
	case ir.LoadLocal:
		return c.locals[f.prog.slots[c.pc]]
	case ir.TakeLocal:
		slot := f.prog.slots[c.pc]
		v := c.locals[slot]
		c.locals[slot] = absent
		return v
	case ir.LoadClosure:
		return f.cell(in.Name)
	case ir.LoadCell:
		return f.content(in.Name, &c.w)
	case ir.LoadBuiltin:
		return builtin(in.Name)
	case ir.LoadBuildClass:
		return builtin("__build_class__")
	case ir.LoadClassCell:
		if v := f.classNamed(in.Name, &c.w); v.kind != absentKind {
			return v
		}
		return f.content(in.Name, &c.w)
	case ir.LoadName:
		if v := f.classNamed(in.Name, &c.w); v.kind != absentKind {
			return v
		}
		if in.Name == "__annotations__" {
			return f.annotations(c)
		}
	}
	return f.global(in.Name, &c.w)
}

func builtin(name string) value { return external("builtins."+name, StandardLibrary) }

// cell is the frame's cell of that name.
func (f *frame) cell(name string) value {
	if i, ok := f.prog.cells[name]; ok && i < len(f.cells) {
		return f.cells[i]
	}
	return unknown
}

func (f *frame) content(name string, w *world) value {
	if cell := f.cell(name); cell.kind == cellKind {
		if v := w.content(cell.num); v.kind != absentKind {
			return v
		}
	}
	return unknown
}

// classNamed is what the class body that is running has under a name.
func (f *frame) classNamed(name string, w *world) value {
	if f.class == 0 {
		return absent
	}
	return w.store.get(key(f.class, name))
}

// global is a name of the module, or of the builtins.
func (f *frame) global(name string, w *world) value {
	if v := w.store.get(nameKey(f.fn.module, name)); v.kind != absentKind {
		return v
	}
	known := isBuiltin(name)
	if from := w.store.get(nameKey(f.fn.module, "*")); from.kind != absentKind && (!known || from.text == "os") {
		if from.kind == externalKind {
			return external(from.text+"."+name, from.origin())
		}
		return unknown
	}
	if name == "__debug__" {
		return boolean(true)
	}
	if !known {
		return unknown // bound in a way that was not seen
	}
	return builtin(name)
}

func isBuiltin(name string) bool {
	_, exception := exceptionParents[exceptionName(name)]
	return builtinNames[name] || exception
}

// annotations is the dict in which a class body or module notes the types of its variables.
func (f *frame) annotations(c *control) value {
	k := nameKey(f.fn.module, "__annotations__")
	if f.class != 0 {
		k = key(f.class, "__annotations__")
	}
	if v := c.w.store.get(k); v.kind != absentKind {
		return v
	}
	d := c.w.newDict(f.site(1<<19), mapping(nil))
	c.w = c.w.with(k, d)
	return d
}

// store binds a name; absent unbinds it.
func (r *run) store(c *control, in *ir.Instr, v value) {
	f := r.f
	switch in.Op {
	case ir.StoreLocal, ir.DeleteLocal:
		c.locals[f.prog.slots[c.pc]] = v
	case ir.StoreCell, ir.DeleteCell:
		if cell := f.cell(in.Name); cell.kind == cellKind {
			c.w.setContent(cell.num, v)
		}
	case ir.StoreName, ir.DeleteName:
		if f.class != 0 {
			c.w = c.w.with(key(f.class, in.Name), v)
			return
		}
		fallthrough
	default:
		c.w = c.w.with(nameKey(f.fn.module, in.Name), v)
	}
}
