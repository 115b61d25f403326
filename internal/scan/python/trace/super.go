package trace

import "slices"

// super is what super() gives in a method of class, called on self.
func super(class, self value) value { return holding(superKind, 0, "", class, self) }

// superAttribute looks a name up behind the class in the order of the object's own class.
func (c *call) superAttribute(obj value, name string) []outcome {
	class, self := obj.items()[0], obj.items()[1]
	start := class
	switch self.kind {
	case instanceKind:
		start = c.w.classOf(self)
	case classKind:
		start = self
		if meta, ok := metaclass(self); ok && !slices.ContainsFunc(order(self), class.same) {
			start = meta // a method of the metaclass, whose instance the class is
		}
	}
	behind := false
	for _, k := range order(start) {
		if !behind {
			behind = k.same(class)
			continue
		}
		if k.kind == externalKind {
			if k.text == "builtins.object" {
				return c.ret(method(self, "object."+name))
			}
			return c.ret(holding(methodKind, 0, "", self, external(k.text+"."+name, k.origin())))
		}
		if k.kind == classKind {
			if v := c.w.store.get(key(k.num, name)); v.kind != absentKind {
				if v.kind == staticKind && v.text == "property" {
					return c.on(self).to(v.items()[0])
				}
				return c.ret(c.bound(v, self, start, self.kind == instanceKind))
			}
		}
	}
	return c.ret(method(self, "object."+name))
}
