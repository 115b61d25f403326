package trace

import "strings"

// buildClass makes a class: runs its body, and keeps what the body bound as its attributes.
func (c *call) buildClass() []outcome {
	body := c.given(0, "")
	if body.kind != functionKind || len(c.args) < 2 {
		return c.ret(unknown)
	}
	fn := body.data.function
	w := c.w
	object, _ := w.fresh(c.f.a.link(fn.code).id << 24)
	cls := &class{object: object, name: c.args[1].text, module: fn.module, bases: c.args[2:], meta: c.given(-1, "metaclass"), code: fn.code}
	v := simple(classKind, object, cls.name)
	v.data = &data{class: cls}
	f, ctl := c.f.a.enter(fn, c.f.a.fileOf(fn.module), nil, w)
	f.class = object
	outs := c.f.a.nested(f, ctl)
	for i := range outs {
		if outs[i].how != returned {
			continue
		}
		if cell := outs[i].val; cell.kind == cellKind {
			outs[i].w.setContent(cell.num, v)
		}
		if cell := f.cell("__class__"); cell.kind == cellKind {
			outs[i].w.setContent(cell.num, v)
		}
		outs[i].val = v
	}
	return c.after(c.after(c.after(outs, (*call).namesAttributes), (*call).born), (*call).subclassed)
}

// subclassed calls what a base of a new class wants to be called for it.
func (c *call) subclassed(class value) []outcome {
	if class.kind != classKind {
		return c.ret(class)
	}
	for _, base := range class.data.class.bases {
		if hook := c.w.classAttribute(base, "__init_subclass__"); base.kind == classKind && hook.callee() != nil {
			fn := hook
			if hook.kind == staticKind {
				fn = hook.items()[0]
			}
			return c.after(c.on(class).to(fn), func(c *call, _ value) []outcome { return c.ret(class) })
		}
	}
	return c.ret(class)
}

// order is the method resolution order: the class and its bases, each before its own bases, what comes twice at its last place.
func order(v value) []value {
	var all []value
	var walk func(v value, depth int)
	walk = func(v value, depth int) {
		if depth > 20 || len(all) > 100 {
			return
		}
		all = append(all, v)
		if v.kind == classKind {
			for _, b := range v.data.class.bases {
				walk(b, depth+1)
			}
		}
	}
	walk(v, 0)
	var out []value
	for i, x := range all {
		last := true
		for _, y := range all[i+1:] {
			last = last && !x.same(y)
		}
		if last {
			out = append(out, x)
		}
	}
	return out
}

// classAttribute is what a class or its bases have under a name: absent if nothing.
func (w *world) classAttribute(class value, name string) value {
	for _, k := range order(class) {
		if k.kind == classKind {
			if v := w.store.get(key(k.num, name)); v.kind != absentKind {
				return v
			}
		}
	}
	return absent
}

func (w *world) classOf(instance value) value {
	v := simple(classKind, instance.data.class.object, instance.data.class.name)
	v.data = &data{class: instance.data.class}
	return v
}

// outsideBase is the first base of a class that isn't the program's: "threading.Thread".
func outsideBase(class value) (value, bool) {
	for _, k := range order(class) {
		if k.kind != classKind && !k.named("builtins.object") {
			return k, true
		}
	}
	return value{}, false
}

// plain reports whether the program defines none of the methods for the class.
func (k *class) plain(w *world, names ...string) bool {
	v := simple(classKind, k.object, k.name)
	v.data = &data{class: k}
	for _, n := range names {
		if w.classAttribute(v, n).kind != absentKind {
			return false
		}
	}
	_, outside := outsideBase(v)
	return !outside
}

// bound is what an attribute of a class becomes when it is read from obj, which may be an instance.
func (c *call) bound(v, obj, class value, instance bool) value {
	switch v.kind {
	case functionKind, factoryKind:
		if instance {
			return holding(methodKind, 0, "", obj, v)
		}
	case partialKind:
		if parts := v.items(); instance && v.text == "method" {
			return holding(partialKind, 0, "", parts[0], tuple(append([]value{obj}, parts[1].items()...)), parts[2])
		}
	case staticKind:
		switch v.text {
		case "static":
			return v.items()[0]
		case "class":
			return holding(methodKind, 0, "", class, v.items()[0])
		}
	}
	return v
}

// instanceAttribute is an attribute of an instance: its own, or its class's.
func (c *call) instanceAttribute(obj value, name string) []outcome {
	class := c.w.classOf(obj)
	v := c.w.classAttribute(class, name)
	if v.kind == staticKind && v.text == "property" {
		cl := c.on(obj)
		return cl.to(v.items()[0])
	}
	own := c.w.store.get(key(obj.num, name))
	if v.kind == instanceKind && c.describes(v, "__set__") {
		own = absent // a data descriptor comes first
	}
	if own.kind != absentKind {
		return c.ret(own)
	}
	if v.kind == instanceKind {
		if outs, ok := c.special(v, "__get__", obj, class); ok {
			return outs
		}
	}
	if v.kind != absentKind {
		if open := c.w.store.get(key(obj.num, "#open")); open.kind != absentKind && v.callee() == nil {
			return c.ret(unknown)
		}
		return c.ret(c.bound(v, obj, class, true))
	}
	switch name {
	case "__class__":
		return c.ret(class)
	case "__dict__":
		return c.ret(unknown)
	}
	if outs, ok := c.special(obj, "__getattr__", text(name)); ok {
		return outs
	}
	if base, ok := outsideBase(class); ok && base.kind == externalKind {
		return c.ret(holding(methodKind, 0, "", obj, external(base.text+"."+name, base.origin())))
	}
	return c.ret(unknown)
}

func classFallback(class value, name string) value {
	switch name {
	case "__name__", "__qualname__":
		return text(class.data.class.name)
	case "__doc__":
		return none
	}
	if base, ok := outsideBase(class); ok && base.kind == externalKind && !strings.HasPrefix(name, "__") {
		return external(base.text+"."+name, base.origin())
	}
	return unknown
}

// special calls a special method of an object, if the program defines it.
func (c *call) special(obj value, name string, args ...value) ([]outcome, bool) {
	if obj.kind != instanceKind {
		return nil, false
	}
	class := c.w.classOf(obj)
	v := c.w.classAttribute(class, name)
	if v.kind == absentKind {
		return nil, false
	}
	cl := *c
	cl.args = args
	return cl.to(c.bound(v, obj, class, true)), true
}

// setProperty calls a property's setter, if there is one that is known.
func (c *call) setProperty(p, obj, v value) []outcome {
	if len(p.items()) > 1 && v.kind != absentKind {
		return c.on(obj, v).to(p.items()[1])
	}
	c.w = c.w.with(key(obj.num, "#open"), none)
	return c.ret(none)
}

// describes reports whether an object that is a class's attribute has that method of a descriptor.
func (c *call) describes(v value, method string) bool {
	return c.w.classAttribute(c.w.classOf(v), method).kind != absentKind
}

// ofClass is an attribute of a class that neither it nor its bases have.
func (c *call) ofClass(class value, name string) []outcome {
	if meta, ok := metaclass(class); ok {
		if v := c.w.classAttribute(meta, name); v.kind != absentKind {
			if v.kind == staticKind && v.text == "property" {
				return c.on(class).to(v.items()[0])
			}
			return c.ret(c.bound(v, class, meta, true))
		}
	}
	if name == "__annotations__" {
		return c.ret(c.w.newDict(c.f.site(c.pc), c.w.hints(class)))
	}
	return c.ret(classFallback(class, name))
}
