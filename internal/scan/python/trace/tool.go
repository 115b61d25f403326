package trace

import "strings"

// functionToolModels are functools and other things that make functions of functions.
func functionToolModels() map[string]model {
	same := func(c *call) []outcome { // @decorator and @decorator(...)
		if len(c.args) == 1 && (c.args[0].callee() != nil || c.args[0].kind == classKind) {
			return c.ret(c.args[0])
		}
		return c.ret(external("functools.wraps()", StandardLibrary))
	}
	m := map[string]model{
		"functools.partial": partial, "functools.partialmethod": partial,
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
		"os.path.join": joinPath,
		"sys.intern":   func(c *call) []outcome { return c.ret(c.given(0, "")) },
		"copy.copy":    copyCall, "copy.deepcopy": copyCall,
	}
}

// changesPath notes that modules may come from elsewhere now.
func changesPath(c *call) []outcome {
	c.w = c.w.with(nameKey("sys.path", ""), none)
	return c.ret(none)
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
