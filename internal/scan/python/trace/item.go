package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// item does subscription.
func (r *run) item(c *control, in *ir.Instr) *control {
	switch in.Op {
	case ir.BuildSlice:
		parts := c.popn(in.Arg)
		for len(parts) < 3 {
			parts = append(parts, none)
		}
		c.push(holding(sliceKind, 0, "", parts...))
		return c.next()
	case ir.LoadItem:
		k, obj := c.pop(), c.pop()
		return r.apply(c, r.call(c).item(obj, k), true)
	case ir.StoreItem:
		k, obj, v := c.pop(), c.pop(), c.pop()
		return r.apply(c, r.call(c).setItem(obj, k, v), false)
	}
	k, obj := c.pop(), c.pop()
	return r.apply(c, r.call(c).deleteItem(obj, k), false)
}

// item is obj[k].
func (c *call) item(obj, k value) []outcome {
	switch obj.kind {
	case externalKind:
		return c.externalItem(obj, k)
	case tupleKind:
		return c.ret(at(obj, k))
	case listKind:
		return c.ret(at(c.w.content(obj.num), k))
	case accountKind:
		if k.kind == intKind {
			return c.attribute(obj, accountFields[k.num])
		}
	case secretKind:
		return c.ret(obj)
	case dictKind:
		content := c.w.content(obj.num)
		if content.kind == watchedKind {
			return c.fromCopy(obj, k, absent)
		}
		switch v := lookup(content, k); {
		case v.kind == absentKind:
			return c.raise("KeyError")
		case v.kind == unknownKind && content.kind == mapKind:
			return c.alternatives(content, true)
		default:
			return c.ret(v)
		}
	case classKind:
		if enumeration(obj) && k.kind == stringKind {
			return c.attribute(obj, k.text)
		}
	case instanceKind:
		if outs, ok := c.special(obj, "__getitem__", k); ok {
			return outs
		}
		if all, ok := c.w.asTuple(obj); ok {
			return c.ret(at(all, k))
		}
	}
	return c.ret(unknown)
}

// accountFields are the fields of passwd entries by index; those of groups are looked up as well.
var accountFields = map[int64]string{0: "pw_name", 2: "pw_uid", 3: "pw_gid"}

// alternatives is each value of a dict whose key is not known, in a world of its own; and the missing key, if it can be missing.
func (c *call) alternatives(content value, missing bool) []outcome {
	g := gather{a: c.f.a}
	for i, v := range content.items() {
		if i%2 == 1 {
			g.add(outcome{how: returned, val: v, w: c.w})
		}
	}
	if missing {
		g.list = append(g.list, c.raise("KeyError")...)
	}
	return g.list
}

// at is seq[k], for an integer or a slice.
func at(seq, k value) value {
	if seq.kind != tupleKind {
		return unknown
	}
	items := seq.items()
	switch n := int64(len(items)); k.kind {
	case intKind, boolKind:
		i := k.num
		if i < 0 {
			i += n
		}
		if i >= 0 && i < n {
			return items[i]
		}
	case sliceKind:
		lo, ok1 := bound(k.items()[0], 0, n)
		hi, ok2 := bound(k.items()[1], n, n)
		if ok1 && ok2 && k.items()[2].kind == noneKind {
			return tuple(items[lo:max(lo, hi)])
		}
	}
	return unknown
}

func bound(v value, otherwise, n int64) (int64, bool) {
	if v.kind == noneKind {
		return otherwise, true
	}
	i := v.num
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n), v.kind == intKind
}

// setItem is obj[k] = v.
func (c *call) setItem(obj, k, v value) []outcome {
	switch obj.kind {
	case externalKind:
		if obj.text == "os.environ" {
			c.what = "os.environ[" + c.shownValue(k, 0) + "] = ..."
			c.setVariable(k, v)
		}
		if obj.text == "builtins.globals()" {
			if k.kind != stringKind {
				return loses(c)
			}
			c.w = c.w.with(nameKey(c.f.fn.module, k.text), v)
		}
		if obj.text == "sys.path" {
			c.w = c.w.with(nameKey("sys.path", ""), none)
		}
		if obj.text == "sys.modules" && k.kind == stringKind {
			c.w = c.w.with(nameKey("sys.modules", k.text), v)
		}
	case dictKind:
		content := c.w.content(obj.num)
		if content.kind == watchedKind {
			c.w.setContent(obj.num, c.putCopy(content, k, v))
		} else {
			c.w.setContent(obj.num, put(content, k, v))
		}
	case listKind:
		content := c.w.content(obj.num)
		if i := k.num; content.kind == tupleKind && k.kind == intKind && i >= 0 && i < int64(len(content.items())) {
			items := append([]value(nil), content.items()...)
			items[i] = v
			c.w.setContent(obj.num, tuple(items))
		} else {
			c.w.setContent(obj.num, unknown)
		}
	case instanceKind:
		if outs, ok := c.special(obj, "__setitem__", k, v); ok {
			return outs
		}
	}
	return c.ret(none)
}

// deleteItem is del obj[k].
func (c *call) deleteItem(obj, k value) []outcome {
	switch obj.kind {
	case externalKind:
		if obj.text == "os.environ" {
			c.what = "del os.environ[" + c.shownValue(k, 0) + "]"
			return c.removeVariable(k, absent, false)
		}
	case dictKind:
		content := c.w.content(obj.num)
		if content.kind == watchedKind {
			c.w.setContent(obj.num, simple(watchedKind, content.num&^int64(c.watched(k)), ""))
			c.what = "del of " + c.shownValue(k, 0)
			c.seems(k, "only a copy of the environment loses it")
			return c.ret(none)
		}
		if lookup(content, k).kind == absentKind {
			return c.raise("KeyError")
		}
		c.w.setContent(obj.num, without(content, k))
	case listKind:
		c.w.setContent(obj.num, unknown)
	case instanceKind:
		if outs, ok := c.special(obj, "__delitem__", k); ok {
			return outs
		}
	}
	return c.ret(none)
}

// externalItem is a subscription of something outside the program.
func (c *call) externalItem(obj, k value) []outcome {
	switch {
	case obj.text == "os.environ":
		c.what = "os.environ[" + c.shownValue(k, 0) + "]"
		return c.readVariable(k, absent)
	case obj.text == "sys.modules" && k.kind == stringKind:
		if v := c.w.store.get(nameKey("sys.modules", k.text)); v.kind != absentKind {
			return c.ret(v)
		}
		return c.ret(c.moduleNamed(k.text))
	case strings.HasPrefix(obj.text, "ctypes.") && k.kind == stringKind: // libc["setuid"]
		return c.ret(external(obj.text+"."+k.text, obj.origin()))
	case obj.text == "builtins.globals()":
		if k.kind != stringKind {
			return c.ret(unknown)
		}
		return c.attribute(simple(moduleKind, 0, c.f.fn.module), k.text)
	case obj.text == "sys.argv":
		return append(c.ret(unknown), c.raise("IndexError")...)
	}
	return c.ret(external(obj.text+"[]", obj.origin()))
}

// variable is the set that holds the watched variable of that name; empty if none has it.
func (a *analysis) variable(name value) effect.Variables {
	if name.kind != stringKind && name.kind != bytesKind {
		return 0
	}
	for i, n := range a.options.Watched {
		if n == name.text {
			return 1 << i
		}
	}
	return 0
}

func (c *call) watched(name value) effect.Variables { return c.f.a.variable(name) }
