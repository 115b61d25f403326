package trace

// builtinNames are the builtins, apart from exceptions (docs.python.org/3/library/functions.html, constants.html).
var builtinNames = setOf("abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool", "breakpoint", "bytearray", "bytes", "callable", "chr",
	"classmethod", "compile", "complex", "copyright", "credits", "delattr", "dict", "dir", "divmod", "enumerate", "eval", "exec", "exit", "filter",
	"float", "format", "frozenset", "getattr", "globals", "hasattr", "hash", "help", "hex", "id", "input", "int", "isinstance", "issubclass", "iter",
	"len", "license", "list", "locals", "map", "max", "memoryview", "min", "next", "object", "oct", "open", "ord", "pow", "print", "property", "quit",
	"range", "repr", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple", "type", "vars", "zip",
	"__import__", "__build_class__", "NotImplemented", "Ellipsis")

// builtinModels are the builtin functions that matter.
func builtinModels() map[string]model {
	m := map[string]model{
		"builtins.__build_class__": func(c *call) []outcome { return c.buildClass() },
		"builtins.super":           superCall, "builtins.getattr": getAttribute, "builtins.setattr": setAttributeCall,
		"builtins.delattr": setAttributeCall, "builtins.hasattr": hasAttribute, "builtins.isinstance": isInstance,
		"builtins.type": typeOf, "builtins.callable": isCallable, "builtins.len": length,
		"builtins.int": intCall, "builtins.str": strCall, "builtins.bool": boolCall, "builtins.repr": strCall, "builtins.format": strCall, "builtins.print": writing,
		"builtins.list": sequenceCall(listKind), "builtins.tuple": sequenceCall(tupleKind), "builtins.set": sequenceCall(setKind),
		"builtins.frozenset": sequenceCall(setKind), "builtins.sorted": sequenceCall(listKind), "builtins.reversed": reversedCall,
		"builtins.dict": dictCall, "collections.OrderedDict": dictCall, "types.MappingProxyType": dictCall, "types.SimpleNamespace": namespaceCall,
		"builtins.staticmethod":  wrapped("static"),
		"builtins.classmethod":   wrapped("class"),
		"builtins.property":      wrapped("property"),
		"builtins.globals":       func(c *call) []outcome { return c.ret(external("builtins.globals()", StandardLibrary)) },
		"builtins.vars":          func(c *call) []outcome { return c.ret(unknown) },
		"builtins.locals":        func(c *call) []outcome { return c.ret(unknown) },
		"builtins.object":        func(c *call) []outcome { return c.ret(unknown) },
		"builtins.max":           extreme(true),
		"builtins.min":           extreme(false),
		"typing.NewType":         func(c *call) []outcome { return c.ret(builtin("tuple")) },
		"dataclasses.field":      fieldCall,
		"types.MethodType":       boundMethod,
		"dataclasses.replace":    func(c *call) []outcome { return c.ret(unknown) },
		"builtins.BaseException": exceptionCall,
	}
	for name := range exceptionParents {
		m["builtins."+name] = exceptionCall
	}
	for _, name := range []string{"print", "id", "hash", "input", "repr", "format", "chr", "ord", "hex", "oct", "abs", "round", "issubclass", "dir",
		"divmod", "pow", "float", "bytes", "bytearray", "memoryview", "slice", "complex"} {
		if m["builtins."+name] == nil {
			m["builtins."+name] = func(c *call) []outcome { return c.ret(c.derived()) }
		}
	}
	return m
}

func exceptionCall(c *call) []outcome { return c.ret(exceptionOf(c.path)) }

// superCall is super() and super(class, self). Without arguments they are the class's cell and the function's first parameter.
func superCall(c *call) []outcome {
	if len(c.args) == 2 {
		return c.ret(super(c.args[0], c.args[1]))
	}
	class := c.f.content("__class__", &c.w)
	if class.kind != classKind || c.caller == nil || len(c.f.fn.code.Params) == 0 {
		return c.ret(unknown)
	}
	self := c.caller.locals[0]
	if cell := c.f.cell(c.f.fn.code.Params[0]); cell.kind == cellKind {
		self = c.w.content(cell.num)
	}
	return c.ret(super(class, self))
}

func getAttribute(c *call) []outcome {
	obj, name := c.given(0, ""), c.given(1, "")
	if name.kind != stringKind {
		if obj.named("os") {
			return c.ret(external("os.?", StandardLibrary))
		}
		return c.ret(unknown)
	}
	outs := c.attribute(obj, name.text)
	if fallback, ok := c.arg(2, ""); ok && (obj.vague() || len(outs) == 1 && outs[0].val.vague()) {
		return append(outs, c.ret(fallback)...)
	}
	return outs
}

func setAttributeCall(c *call) []outcome {
	obj, name := c.given(0, ""), c.given(1, "")
	v := absent
	if len(c.args) > 2 {
		v = c.args[2]
	}
	switch {
	case name.kind == stringKind:
		return c.setAttribute(obj, name.text, v)
	case obj.kind == instanceKind || obj.kind == classKind:
		c.w = c.w.with(key(obj.num, "#open"), none)
	case obj.kind == externalKind && obj.text == "os", obj.kind == moduleKind:
		return loses(c)
	}
	return c.ret(none)
}

// hasAttribute is decided for the functions of os that every Linux has, so that a guard like hasattr(os, "setuid") does not fork.
func hasAttribute(c *call) []outcome {
	obj, name := c.given(0, ""), c.given(1, "")
	if obj.named("os") && name.kind == stringKind && c.f.a.models["os."+name.text] != nil {
		return c.ret(boolean(true))
	}
	if obj.kind == instanceKind && name.kind == stringKind {
		if c.w.classAttribute(c.w.classOf(obj), name.text).kind != absentKind {
			return c.ret(boolean(true))
		}
		switch own := c.w.store.get(key(obj.num, name.text)); {
		case own.kind == absentKind && obj.data.class.plain(&c.w, "__getattr__", "__getattribute__") && c.w.store.get(key(obj.num, "#open")).kind == absentKind:
			return c.ret(boolean(false))
		case own.kind != absentKind && !own.vague():
			return c.ret(boolean(true))
		}
	}
	return c.ret(unknown)
}

func isInstance(c *call) []outcome {
	v, class := c.given(0, ""), c.given(1, "")
	classes := []value{class}
	if class.kind == tupleKind {
		classes = class.items()
	}
	result := no
	for _, k := range classes {
		switch c.w.isOf(v, k) {
		case yes:
			return c.ret(boolean(true))
		case undecided:
			result = undecided
		}
	}
	return c.ret(asAnswer(result))
}

// isOf says whether v is an instance of the class.
func (w *world) isOf(v, class value) answer {
	if v.kind == instanceKind && class.kind == classKind {
		for _, k := range order(w.classOf(v)) {
			if k.kind == classKind && k.num == class.num {
				return yes
			}
		}
		return no
	}
	if v.kind == exceptionKind {
		return w.matches(v, class)
	}
	name, known := typeNames[v.kind]
	if !known || class.kind != externalKind {
		return undecided
	}
	for _, n := range []string{"str", "int", "bool", "list", "dict", "tuple", "set", "bytes", "float"} {
		if class.text == "builtins."+n {
			return answered(n == name || n == "int" && name == "bool")
		}
	}
	return undecided
}

var typeNames = map[kind]string{
	noneKind: "None", stringKind: "str", intKind: "int", boolKind: "bool", listKind: "list", dictKind: "dict", tupleKind: "tuple",
	setKind: "set", bytesKind: "bytes", secretKind: "str", idKind: "int",
}

func typeOf(c *call) []outcome {
	v := c.given(0, "")
	if v.kind == instanceKind && len(c.args) == 1 {
		return c.ret(c.w.classOf(v))
	}
	if name, ok := typeNames[v.kind]; ok && len(c.args) == 1 {
		return c.ret(builtin(name))
	}
	return c.ret(unknown)
}

func isCallable(c *call) []outcome {
	switch v := c.given(0, ""); v.kind {
	case functionKind, methodKind, classKind, partialKind:
		return c.ret(boolean(true))
	case noneKind, stringKind, intKind, boolKind, tupleKind, listKind, dictKind:
		return c.ret(boolean(false))
	}
	return c.ret(unknown)
}
