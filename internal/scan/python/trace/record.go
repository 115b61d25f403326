package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// recordModels are what programs ask of the fields of their classes.
func recordModels() map[string]model {
	return map[string]model{
		"dataclasses.fields": fieldsCall, "dataclasses.asdict": asDict,
		"collections.namedtuple": namedTuple, "typing.get_type_hints": hintsCall, "inspect.get_annotations": hintsCall,
	}
}

// recordClass is the class of a class or an object of the program's own.
func (w *world) recordClass(v value) (class value, ok bool) {
	if v.kind == instanceKind {
		v = w.classOf(v)
	}
	return v, v.kind == classKind
}

// fieldsCall is dataclasses.fields: an object for each field that says its name.
func fieldsCall(c *call) []outcome {
	class, ok := c.w.recordClass(c.given(0, "class_or_instance"))
	if !ok {
		return c.ret(unknown)
	}
	var all []value
	for _, name := range c.w.fields(class) {
		content := mapping([]value{text("name"), text(name), text("type"), unknown, text("metadata"), unknown})
		all = append(all, c.namespace(content.items()))
	}
	return c.ret(tuple(all))
}

// hints is the content of a class's __annotations__.
func (w *world) hints(class value) value {
	content := mapping(nil)
	for _, name := range w.fields(class) {
		content = put(content, text(name), unknown)
	}
	return content
}

func hintsCall(c *call) []outcome {
	class, ok := c.w.recordClass(c.given(0, "obj"))
	if !ok {
		return c.ret(unknown)
	}
	return c.ret(c.w.newDict(c.f.site(c.pc), c.w.hints(class)))
}

// asDict is dataclasses.asdict, without what is nested.
func asDict(c *call) []outcome {
	obj := c.given(0, "obj")
	if obj.kind != instanceKind {
		return c.ret(unknown)
	}
	content := mapping(nil)
	for _, name := range c.w.fields(c.w.classOf(obj)) {
		v := c.w.store.get(key(obj.num, name))
		if v.kind == absentKind {
			v = unknown
		}
		content = put(content, text(name), v)
	}
	return c.ret(c.w.newDict(c.f.site(c.pc), content))
}

// namespace is an object with those attributes: names and values in turn.
func (c *call) namespace(pairs []value) value {
	id, _ := c.w.fresh(c.f.site(c.pc))
	obj := simple(instanceKind, id, "")
	obj.data = &data{class: &class{object: int64(nameKey("types", "SimpleNamespace")), name: "SimpleNamespace"}}
	for i := 0; i < len(pairs); i += 2 {
		c.w = c.w.with(key(id, pairs[i].text), pairs[i+1])
	}
	return obj
}

// namedTuple is collections.namedtuple: a class with those fields.
func namedTuple(c *call) []outcome {
	name, names := c.given(0, "typename"), c.w.sequence(c.given(1, "field_names"))
	if v := c.given(1, "field_names"); v.kind == stringKind {
		var parts []value
		for _, n := range strings.Fields(strings.ReplaceAll(v.text, ",", " ")) {
			parts = append(parts, text(n))
		}
		names = tuple(parts)
	}
	if name.kind != stringKind || names.kind != tupleKind {
		return c.ret(unknown)
	}
	object, _ := c.w.fresh(c.f.site(c.pc))
	code := &ir.Code{Name: name.text}
	for _, n := range names.items() {
		if n.kind != stringKind {
			return c.ret(unknown)
		}
		code.Fields = append(code.Fields, n.text)
	}
	if v, ok := c.arg(-1, "defaults"); ok {
		defaults := c.w.sequence(v).items()
		for i, d := range defaults {
			if at := len(code.Fields) - len(defaults) + i; at >= 0 {
				c.w = c.w.with(key(object, code.Fields[at]), d)
			}
		}
	}
	made := simple(classKind, object, name.text)
	made.data = &data{class: &class{object: object, name: name.text, module: c.f.fn.module, bases: []value{external("typing.NamedTuple", StandardLibrary)}, code: code}}
	return c.ret(made)
}

// asTuple is the fields of a named tuple in their order.
func (w *world) asTuple(obj value) (value, bool) {
	base, ok := outsideBase(w.classOf(obj))
	if !ok || base.text != "typing.NamedTuple" {
		return value{}, false
	}
	var items []value
	for _, name := range w.fields(w.classOf(obj)) {
		v := w.store.get(key(obj.num, name))
		if v.kind == absentKind {
			v = w.classAttribute(w.classOf(obj), name)
		}
		if v.kind == absentKind {
			v = unknown
		}
		items = append(items, v)
	}
	return tuple(items), true
}
