package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// instance makes an instance of a class: __new__ of the program's own, then __init__.
func (c *call) instance(class value) []outcome {
	if enumeration(class) && len(c.args) == 1 {
		return c.ret(c.args[0]) // looks a member up by its value
	}
	id, ok := c.w.fresh(c.f.site(c.pc))
	obj := simple(instanceKind, id, "")
	obj.hash = mix(obj.hash, class.hash)
	obj.data = &data{class: class.data.class}
	if !ok {
		c.w = c.w.with(key(id, "#open"), none)
	}
	for _, name := range []string{"__new__", "__init__"} {
		init := c.w.classAttribute(class, name)
		if init.kind == absentKind {
			continue
		}
		if name == "__new__" {
			return c.made(class, init, obj)
		}
		cl := *c
		cl.args = append([]value{obj}, c.args...)
		outs := cl.to(init)
		for i := range outs {
			if outs[i].how == returned {
				outs[i].val = obj
			}
		}
		return outs
	}
	return c.withoutInit(class, obj)
}

// enumerations are the bases of classes whose call looks a member up.
var enumerations = map[string]bool{"enum.Enum": true, "enum.IntEnum": true, "enum.StrEnum": true, "enum.Flag": true, "enum.IntFlag": true}

// made runs __new__ of the program's own. What it gives is taken to be the object.
func (c *call) made(class, new, obj value) []outcome {
	fn := new
	if new.kind == staticKind {
		fn = new.items()[0]
	}
	cl := *c
	cl.args = append([]value{class}, c.args...)
	cl.w = cl.w.with(key(class.num, "#new"), obj)
	outs := cl.to(fn)
	init := c.w.classAttribute(class, "__init__")
	var all []outcome
	for _, o := range outs {
		if o.how != returned || init.kind == absentKind || o.val.kind != instanceKind {
			all = append(all, o)
			continue
		}
		next := *c
		next.w, next.args = o.w, append([]value{o.val}, c.args...)
		for _, p := range next.to(init) {
			if p.how == returned {
				p.val = o.val
			}
			all = append(all, p)
		}
	}
	return all
}

// withoutInit is an instance of a class without __init__ of the program's own: a dataclass, a named tuple, an exception. Its fields are the
// annotated names in their order.
func (c *call) withoutInit(class, obj value) []outcome {
	fields := c.w.fields(class)
	open := c.open || len(c.args) > len(fields)
	for i, v := range c.args {
		if i < len(fields) {
			c.w = c.w.with(key(obj.num, fields[i]), v)
		}
	}
	for i, name := range c.names {
		c.w = c.w.with(key(obj.num, name), c.values[i])
	}
	for _, name := range fields { // what dataclasses.field says of a field
		if f := c.w.classAttribute(class, name); f.kind == fieldKind && c.w.store.get(key(obj.num, name)).kind == absentKind {
			for _, o := range c.on().fieldDefault(f)[:1] {
				c.w = o.w.with(key(obj.num, name), o.val)
			}
		}
	}
	if open {
		c.w = c.w.with(key(obj.num, "#open"), none)
	}
	if outs, ok := c.special(obj, "__post_init__"); ok {
		for i := range outs {
			if outs[i].how == returned {
				outs[i].val = obj
			}
		}
		return outs
	}
	return c.ret(obj)
}

// fieldDefault is the value that dataclasses.field gives.
func (c *call) fieldDefault(f value) []outcome {
	if f.text == "factory" {
		for _, o := range c.to(f.items()[0]) {
			if o.how == returned {
				return []outcome{o}
			}
		}
		return c.ret(unknown)
	}
	return c.ret(f.items()[0])
}

// fields are the annotated names of a class and its bases, those of the bases first.
func (w *world) fields(class value) []string {
	var names []string
	all := order(class)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].kind != classKind {
			continue
		}
		for _, n := range w.annotated(all[i]) {
			if indexOf(names, n) < 0 {
				names = append(names, n)
			}
		}
	}
	return names
}

// annotated are the names that a class's body annotates: noted by the front end, in a dict (until 3.13), or by a function of their own.
func (w *world) annotated(class value) []string {
	if code := class.data.class.code; code != nil && len(code.Fields) > 0 {
		return code.Fields
	}
	var names []string
	if notes := w.store.get(key(class.num, "__annotations__")); notes.kind == dictKind {
		for _, k := range every(w.content(notes.num).items(), 2) {
			names = append(names, k.text)
		}
	}
	for _, attr := range []string{"__annotate_func__", "__annotate__"} {
		if fn := w.store.get(key(class.num, attr)); fn.kind == functionKind {
			names = append(names, annotates(fn.data.function.code)...)
		}
	}
	return names
}

// annotates are the names under which an annotation function stores.
func annotates(code *ir.Code) []string {
	var names []string
	for i, in := range code.Instrs {
		if in.Op == ir.StoreItem && i > 0 && code.Instrs[i-1].Op == ir.LoadConst {
			names = append(names, code.Consts[code.Instrs[i-1].Arg].Text)
		}
	}
	return names
}
