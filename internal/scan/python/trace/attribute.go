package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// attribute does attribute access.
func (r *run) attribute(c *control, in *ir.Instr) *control {
	switch in.Op {
	case ir.LoadAttr:
		obj := c.pop()
		return r.apply(c, r.call(c).attribute(obj, in.Name), true)
	case ir.StoreAttr:
		obj, v := c.pop(), c.pop()
		cl := r.call(c)
		outs := cl.setAttribute(obj, in.Name, v)
		return r.apply(c, outs, false)
	case ir.LoadSuperAttr:
		self, class := c.pop(), c.pop()
		c.pop()
		return r.apply(c, r.call(c).attribute(super(class, self), in.Name), true)
	}
	obj := c.pop()
	cl := r.call(c)
	return r.apply(c, cl.setAttribute(obj, in.Name, absent), false)
}

// attribute is obj.name. A property of the program's own runs.
func (c *call) attribute(obj value, name string) []outcome {
	switch obj.kind {
	case externalKind:
		return c.externalAttribute(obj, name)
	case moduleKind:
		return c.moduleAttribute(obj, name)
	case instanceKind:
		return c.instanceAttribute(obj, name)
	case classKind:
		return c.classValue(obj, name)
	case superKind:
		return c.superAttribute(obj, name)
	case regexKind:
		if name != "match" && name != "fullmatch" && name != "search" {
			return c.ret(external("re.compile()."+name, StandardLibrary))
		}
	case pathKind:
		return c.ret(pathAttribute(obj, name))
	case accountKind:
		return c.ret(accountField(obj, name, c.f.a.options))
	case intKind, boolKind, idKind:
		if name == "value" || name == "real" { // of an enumeration's member
			return c.ret(obj)
		}
	case stringKind, secretKind:
		if name == "value" {
			return c.ret(obj)
		}
		return c.ret(method(obj, "str."+name))
	case staticKind:
		if name == "setter" || name == "getter" || name == "deleter" {
			return c.ret(method(obj, "property."+name))
		}
	case functionKind:
		if name == "__name__" {
			return c.ret(text(obj.data.function.code.Name))
		}
		if name == "__wrapped__" {
			return c.ret(unknown)
		}
	}
	if kind := methodsOf[obj.kind]; kind != "" {
		return c.ret(method(obj, kind+"."+name))
	}
	return c.ret(simple(memberKind, 0, name))
}

// classValue is an attribute of a class.
func (c *call) classValue(obj value, name string) []outcome {
	v := c.w.classAttribute(obj, name)
	if v.kind == absentKind {
		return c.ofClass(obj, name)
	}
	if v.kind == instanceKind {
		if outs, ok := c.special(v, "__get__", none, obj); ok {
			return outs
		}
	}
	return c.ret(c.bound(v, obj, obj, false))
}

// methodsOf names the kinds of values whose methods are modelled.
var methodsOf = map[kind]string{
	listKind: "list", setKind: "set", dictKind: "dict", tupleKind: "tuple", iteratorKind: "iterator", generatorKind: "generator",
	threadKind: "thread", managerKind: "manager", bytesKind: "bytes", settingKind: "text", otherKind: "text", factoryKind: "factory", commandKind: "command", regexKind: "regex",
}

// method is a method of a value that isn't the program's own.
func method(self value, path string) value {
	return holding(methodKind, 0, "", self, external(path, StandardLibrary))
}

// externalAttribute is an attribute of something outside the program.
func (c *call) externalAttribute(obj value, name string) []outcome {
	path := obj.text
	if path == "posix" {
		path = "os"
	}
	if v := c.w.store.get(nameKey("external:"+path, name)); v.kind != absentKind {
		return c.ret(v)
	}
	if full := path + "." + name; full == "sys.executable" && c.f.a.options.Executable != "" {
		return c.ret(text(c.f.a.options.Executable))
	}
	if v, ok := externalConstants[path+"."+name]; ok {
		return c.ret(v)
	}
	if path == "builtins.globals()" {
		return c.ret(simple(memberKind, 0, name))
	}
	if isArguments(path) {
		if defaults := c.w.store.get(nameKey("#defaults", name)); defaults.kind == tupleKind {
			var outs []outcome
			for _, v := range defaults.items() {
				outs = append(outs, c.ret(v)...)
			}
			return outs
		}
		return c.ret(simple(settingKind, 0, "--"+strings.ReplaceAll(name, "_", "-")))
	}
	if path+"."+name == "os.environb" {
		name = "environ"
	}
	return c.ret(external(path+"."+name, obj.origin()))
}

// isArguments reports whether a path is what a parser made of the command line, which whoever starts the container decides.
func isArguments(path string) bool {
	return strings.HasPrefix(path, "argparse.ArgumentParser().") &&
		(strings.HasSuffix(path, ".parse_args()") || strings.HasSuffix(path, ".parse_known_args()[]"))
}

// setDefaults keeps what a parser, or one for a part of the command line, gives under a name.
func (c *call) setDefaults() {
	for i, name := range c.names {
		k := nameKey("#defaults", name)
		have := c.w.store.get(k).items()
		c.w = c.w.with(k, tuple(append(have[:len(have):len(have)], c.values[i])))
	}
}

// externalConstants are values of the standard library that are the same in every Linux container.
var externalConstants = map[string]value{
	"sys.platform": text("linux"), "os.name": text("posix"), "sys.byteorder": text("little"), "os.sep": text("/"),
	"sys.maxsize": integer(1<<63 - 1), "signal.SIGTERM": integer(15), "signal.SIGINT": integer(2), "signal.SIGKILL": integer(9),
	"os.curdir": text("."), "os.linesep": text("\n"), "os.devnull": text("/dev/null"),
}

// setAttribute is obj.name = v, or its deletion if v is absent.
func (c *call) setAttribute(obj value, name string, v value) []outcome {
	switch obj.kind {
	case externalKind:
		if obj.text == "os" && (name == "environ" || name == "environb") {
			c.rebindEnviron(v)
		}
		if obj.text == "sys" && name == "path" {
			c.w = c.w.with(nameKey("sys.path", ""), none)
		}
		c.w = c.w.with(nameKey("external:"+obj.text, name), v)
	case moduleKind:
		c.w = c.w.with(nameKey(obj.text, name), v)
	case instanceKind:
		if p := c.w.classAttribute(c.w.classOf(obj), name); p.kind == staticKind && p.text == "property" {
			return c.setProperty(p, obj, v)
		} else if p.kind == instanceKind && v.kind != absentKind {
			if outs, ok := c.special(p, "__set__", obj, v); ok {
				return outs
			}
		}
		c.w = c.w.with(key(obj.num, name), v)
	case classKind:
		c.w = c.w.with(key(obj.num, name), v)
	}
	return c.ret(none)
}

// accountField is a field of a passwd or group entry.
func accountField(obj value, name string, o Options) value {
	id := obj.data.id
	switch name {
	case "pw_uid", "gr_gid":
		return ident(id)
	case "pw_gid":
		return ident(groupOf(id, o))
	case "pw_name", "gr_name":
		if id.Name != "" {
			return text(id.Name)
		}
	}
	return unknown
}

// groupOf is the primary group of a user. What is not known of a named user's group is taken for not 0, as its uid is.
func groupOf(user effect.ID, o Options) effect.ID {
	if user.Name != "" && o.User != nil {
		if _, gid, known := o.User(user.Name); known {
			return effect.Number(gid)
		}
	}
	if user.Name != "" || user.Class == effect.Root {
		return effect.ID{Class: user.Class, Name: user.Name, Known: user.Class == effect.Root}
	}
	return effect.ID{}
}
