package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// metaclass is the program's own class of a class: the one it names, or that of a base.
func metaclass(class value) (value, bool) {
	for _, k := range order(class) {
		if k.kind == classKind && k.data.class.meta.kind == classKind {
			return k.data.class.meta, true
		}
	}
	return value{}, false
}

// construct is a call of a class: a metaclass of the program's own can do something else than make an instance.
func (c *call) construct(class value) []outcome {
	if meta, ok := metaclass(class); ok {
		if own := c.w.classAttribute(meta, "__call__"); own.kind != absentKind {
			cl := *c
			cl.args = append([]value{class}, c.args...)
			return cl.to(own)
		}
	}
	return c.instance(class)
}

// metaclassModels are the methods of type that those of a metaclass call.
func metaclassModels() map[string]model {
	return map[string]model{
		"builtins.type.__call__": func(c *call) []outcome {
			if c.self.kind != classKind && len(c.args) > 0 {
				c.self, c.args = c.args[0], c.args[1:]
			}
			if c.self.kind != classKind {
				return c.notKnown()
			}
			return c.instance(c.self)
		},
		"builtins.type.__new__": func(c *call) []outcome {
			meta := c.given(0, "")
			if made := c.w.store.get(key(meta.num, "#new")); meta.kind == classKind && made.kind == classKind {
				return c.ret(made)
			}
			return c.ret(unknown)
		},
		"builtins.type.__init__":    func(c *call) []outcome { return c.ret(none) },
		"builtins.type.__prepare__": func(c *call) []outcome { return c.ret(c.w.newDict(c.f.site(c.pc), mapping(nil))) },
	}
}

// born calls what a new class's metaclass wants to be called for it. What it gives is taken to be the class.
func (c *call) born(class value) []outcome {
	meta, ok := metaclass(class)
	if !ok || class.kind != classKind {
		return c.ret(class)
	}
	outs := c.ret(class)
	arguments := func(first value) []value {
		return []value{first, text(class.data.class.name), tuple(class.data.class.bases), unknown}
	}
	for _, hook := range []struct {
		name string
		self value
	}{{"__new__", meta}, {"__init__", class}} {
		fn := c.w.classAttribute(meta, hook.name)
		if fn.kind == staticKind {
			fn = fn.items()[0]
		}
		if fn.callee() == nil {
			continue
		}
		outs = c.after(outs, func(c *call, _ value) []outcome {
			cl := c.on(arguments(hook.self)...)
			cl.w = cl.w.with(key(meta.num, "#new"), class)
			return c.after(cl.to(fn), func(c *call, _ value) []outcome { return c.ret(class) })
		})
	}
	return outs
}

// namesAttributes calls __set_name__ of what a class's body binds.
func (c *call) namesAttributes(class value) []outcome {
	outs := c.ret(class)
	if class.kind != classKind {
		return outs
	}
	for _, name := range bodyNames(class.data.class.code) {
		v := c.w.store.get(key(class.num, name))
		if v.kind != instanceKind || c.w.classAttribute(c.w.classOf(v), "__set_name__").kind == absentKind {
			continue
		}
		outs = c.after(outs, func(c *call, _ value) []outcome {
			called, _ := c.on().special(v, "__set_name__", class, text(name))
			return c.after(called, func(c *call, _ value) []outcome { return c.ret(class) })
		})
	}
	return outs
}

// bodyNames are the names that a class's body binds, in order.
func bodyNames(code *ir.Code) []string {
	var names []string
	for i := range code.Instrs {
		if in := &code.Instrs[i]; in.Op == ir.StoreName && indexOf(names, in.Name) < 0 {
			names = append(names, in.Name)
		}
	}
	return names
}

// members are the values of an enumeration's members, in order; ok is false for a class that is none.
func (w *world) members(class value) (members []value, ok bool) {
	if class.kind != classKind || !enumeration(class) {
		return nil, false
	}
	for _, name := range bodyNames(class.data.class.code) {
		v := w.store.get(key(class.num, name))
		if name[0] == '_' || v.kind == absentKind || v.kind == staticKind || v.callee() != nil {
			continue
		}
		members = append(members, v)
	}
	return members, true
}

// enumeration reports whether a class is derived from one of enum.
func enumeration(class value) bool {
	for _, k := range order(class) {
		if k.kind == externalKind && enumerations[k.text] {
			return true
		}
	}
	return false
}
