package trace

import "strings"

// inherited is a method that an object of the program's own has from outside: of threading.Thread, or of object.
func (c *call) inherited(name string) ([]outcome, bool) {
	switch {
	case name == "__enter__" || name == "__aenter__":
		return c.enterManager(c.self), true
	case name == "__exit__" || name == "__aexit__":
		return c.exit(holding(exitKind, 0, "", c.self), none), true
	case strings.HasPrefix(c.path, "object."):
		return c.ofObject(name), true
	case c.self.kind == instanceKind && c.origin == StandardLibrary:
		switch name {
		case "start":
			return startThread(c), true
		case "join":
			return c.joinInstance(), true
		case "serve_forever":
			return serveForever(c), true
		case "__init__":
			return c.initOutside(), true
		}
		return c.mayRaise(unknown, "?"), true
	}
	return nil, false
}

// joinInstance waits for an object of a subclass of Thread.
func (c *call) joinInstance() []outcome {
	if base, ok := outsideBase(c.w.classOf(c.self)); ok && base.text == "threading.Thread" {
		run := c.attribute(c.self, "run")
		return c.join(holding(threadKind, c.self.num, "thread", run[0].val, tuple(nil), mapping(nil)))
	}
	return c.ret(none)
}

// initOutside is __init__ of a base outside the program. What Thread is given to run is kept.
func (c *call) initOutside() []outcome {
	if fn, ok := c.arg(-1, "target"); ok {
		args := tuple(nil)
		if v, ok := c.arg(-1, "args"); ok {
			args = c.w.sequence(v)
		}
		p := holding(partialKind, 0, "", fn, args, mapping(nil))
		c.w = c.w.with(key(c.self.num, "run"), p)
	}
	return c.ret(none)
}

// ofObject is a method of object.
func (c *call) ofObject(name string) []outcome {
	switch name {
	case "__init__", "__init_subclass__":
		return c.ret(none)
	case "__setattr__":
		if n := c.given(0, ""); n.kind == stringKind {
			return c.setAttribute(c.self, n.text, c.given(1, ""))
		}
	case "__new__":
		if cls := c.given(0, ""); cls.kind == classKind {
			if made := c.w.store.get(key(cls.num, "#new")); made.kind == instanceKind {
				return c.ret(made)
			}
		}
	}
	return c.ret(unknown)
}
