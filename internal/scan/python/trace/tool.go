package trace

import (
	"path"
	"strings"
)

// functionToolModels are functools and other things that make functions of functions.
func functionToolModels() map[string]model {
	same := func(c *call) []outcome { // @decorator and @decorator(...)
		if len(c.args) == 1 && (c.args[0].callee() != nil || c.args[0].kind == classKind) {
			return c.ret(c.args[0])
		}
		return c.ret(external("functools.wraps()", StandardLibrary))
	}
	m := map[string]model{
		"functools.partial": partial, "functools.partialmethod": partialMethod,
		"functools.wraps()": same, "functools.wraps": func(c *call) []outcome { return c.ret(external("functools.wraps()", StandardLibrary)) },
		"functools.cached_property": wrapped("property"), "contextlib.contextmanager": factory, "contextlib.asynccontextmanager": factory,
		"abc.abstractproperty": wrapped("property"),
		"property.setter": func(c *call) []outcome {
			return c.ret(holding(staticKind, 0, "property", c.self.items()[0], c.given(0, "fset")))
		},
		"property.getter":  wrapped("property"),
		"property.deleter": func(c *call) []outcome { return c.ret(c.self) },
	}
	for _, name := range []string{"functools.lru_cache", "functools.cache", "functools.singledispatch", "functools.total_ordering",
		"dataclasses.dataclass", "abc.abstractmethod", "enum.unique", "typing.final", "typing.overload", "typing.runtime_checkable",
		"functools.update_wrapper", "asyncio.coroutine", "types.coroutine"} {
		m[name] = same
		m[name+"()"] = same
	}
	m["functools.update_wrapper"] = func(c *call) []outcome { return c.ret(c.given(0, "wrapper")) }
	return m
}

func partial(c *call) []outcome {
	if len(c.args) == 0 || c.open {
		return c.ret(unknown)
	}
	content := mapping(nil)
	for i, n := range c.names {
		content = put(content, text(n), c.values[i])
	}
	return c.ret(holding(partialKind, 0, "", c.args[0], tuple(append([]value(nil), c.args[1:]...)), content))
}

// partialMethod is a partial that is bound to an object as a function is.
func partialMethod(c *call) []outcome {
	outs := partial(c)
	if v := outs[0].val; v.kind == partialKind {
		outs[0].val = holding(partialKind, 0, "method", v.items()...)
	}
	return outs
}

// factory is contextlib.contextmanager.
func factory(c *call) []outcome {
	if fn := c.given(0, ""); fn.kind == functionKind {
		return c.ret(holding(factoryKind, 0, "", fn))
	}
	return c.ret(unknown)
}

// contextModels are the context managers of contextlib.
func contextModels() map[string]model {
	return map[string]model{
		"contextlib.#within":  within,
		"contextlib.suppress": func(c *call) []outcome { return c.ret(tuple(append([]value(nil), c.args...))) },
		"contextlib.nullcontext": func(c *call) []outcome {
			return c.ret(external("contextlib.nullcontext()", StandardLibrary))
		},
		"contextlib.closing":                   func(c *call) []outcome { return c.ret(c.given(0, "")) },
		"contextlib.ExitStack().enter_context": enterContext, "contextlib.AsyncExitStack().enter_async_context": enterContext,
		"contextlib.AsyncExitStack().enter_context": enterContext,
		"contextlib.ExitStack().callback":           deferred,
		"contextlib.ExitStack().push":               func(c *call) []outcome { return c.ret(c.given(0, "")) },
		"asyncio.TaskGroup().__exit__":              func(c *call) []outcome { return c.runTasks() },
	}
}

// enterContext enters a manager; what it does at its end, which is the stack's, is not followed, unless it swallows exceptions.
func enterContext(c *call) []outcome {
	m := c.given(0, "cm")
	if m.kind == tupleKind || m.kind == managerKind || m.kind == instanceKind || m.vague() {
		c.f.a.lose(c.place(), "what an ExitStack does at its end is not followed")
		c.w.state.Lost = true
	}
	return c.enterManager(m)
}

// pathModels are constants in the shape of calls.
func pathModels() map[string]model {
	return map[string]model{
		"platform.system": func(c *call) []outcome { return c.ret(text("Linux")) },
		"sys.path.insert": changesPath, "sys.path.append": changesPath, "sys.path.extend": changesPath, "site.addsitedir": changesPath,
		"os.path.join": joinPath, "os.path.dirname": onPath(path.Dir), "os.path.basename": onPath(path.Base),
		"os.path.abspath": onPath(absolute), "os.path.realpath": onPath(absolute), "os.path.normpath": onPath(path.Clean),
		"sys.intern": func(c *call) []outcome { return c.ret(c.given(0, "")) },
		"copy.copy":  copyCall, "copy.deepcopy": copyCall,
	}
}

// changesPath puts directories on the import path, or notes that modules may come from elsewhere now.
func changesPath(c *call) []outcome {
	at, first := 0, false
	if strings.HasSuffix(c.path, ".insert") {
		at, first = 1, true
	}
	dirs := tuple([]value{c.given(at, "")})
	if strings.HasSuffix(c.path, ".extend") {
		dirs = c.w.sequence(c.given(at, ""))
	}
	to, ok := c.f.a.modules.(Extensible)
	for _, dir := range dirs.items() {
		ok = ok && (dir.kind == stringKind || dir.kind == pathKind)
	}
	if !ok || dirs.kind != tupleKind {
		c.w = c.w.with(nameKey("sys.path", ""), none)
		return c.ret(none)
	}
	for _, dir := range dirs.items() {
		to.Extend(dir.text, first)
	}
	for name, found := range c.f.a.known {
		if found.Origin == Absent || found.Origin == NotKnown {
			delete(c.f.a.known, name)
		}
	}
	return c.ret(none)
}

// onPath is a function of os.path on a path that is known.
func onPath(f func(string) string) model {
	return func(c *call) []outcome {
		if v := c.given(0, "path"); v.kind == stringKind {
			return c.ret(text(f(v.text)))
		}
		return c.ret(c.derived())
	}
}

func joinPath(c *call) []outcome {
	var parts []string
	for _, v := range c.args {
		if v.kind != stringKind {
			return c.ret(c.derived())
		}
		if strings.HasPrefix(v.text, "/") {
			parts = nil
		}
		parts = append(parts, strings.TrimSuffix(v.text, "/"))
	}
	return c.ret(text(strings.Join(parts, "/")))
}

// copyCall is copy.copy; of os.environ a copy is a shell around the same variables, for the process's environment is one.
func copyCall(c *call) []outcome {
	switch v := c.given(0, ""); v.kind {
	case dictKind, listKind, setKind:
		return c.ret(c.w.newObject(v.kind, c.f.site(c.pc), c.w.content(v.num)))
	case externalKind, instanceKind:
		return c.ret(unknown)
	default:
		return c.ret(v)
	}
}

func absolute(p string) string {
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return p // from the working directory, which whoever resolves it knows
}
