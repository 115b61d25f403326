package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// with enters a with block, or leaves it with an exception.
func (r *run) with(c *control, in *ir.Instr) *control {
	if in.Op == ir.WithExcept {
		exit, exc := *c.top(in.Arg), asException(*c.top(1))
		return r.apply(c, r.call(c).exit(exit, exc), true)
	}
	m := c.pop()
	c.push(holding(exitKind, 0, "", m))
	return r.apply(c, r.call(c).enterManager(m), true)
}

// enterManager is m.__enter__(), or awaits __aenter__().
func (c *call) enterManager(m value) []outcome {
	switch m.kind {
	case managerKind:
		return c.next(m.items()[0])
	case instanceKind:
		if outs, ok := c.special(m, "__enter__"); ok {
			return outs
		}
		if outs, ok := c.special(m, "__aenter__"); ok {
			return outs
		}
	case externalKind:
		if model := c.f.a.models[m.text+".__enter__"]; model != nil {
			return model(c)
		}
	case threadKind:
		return c.ret(m)
	}
	return c.ret(m)
}

// exit calls what a with statement calls at its end; the result says whether the exception, if there is one, is swallowed.
func (c *call) exit(exit, exc value) []outcome {
	if exit.kind == methodKind { // a bound __exit__ that the front end loaded itself
		return c.exitMethod(exit, exc)
	}
	if exit.kind != exitKind {
		return c.ret(unknown)
	}
	m := exit.items()[0]
	switch m.kind {
	case managerKind:
		return c.leaveGenerator(m.items()[0], exc)
	case instanceKind:
		for _, name := range []string{"__exit__", "__aexit__"} {
			if outs, ok := c.special(m, name, exc, exc, none); ok {
				return outs
			}
		}
		return c.ret(boolean(false))
	case threadKind:
		return c.leavePool(m)
	case tupleKind: // contextlib.suppress
		if exc.kind != exceptionKind {
			return c.ret(boolean(false))
		}
		return c.ret(asAnswer(c.w.matches(exc, m)))
	case externalKind:
		if m.origin() == StandardLibrary || m.text == "" {
			return c.ret(boolean(false))
		}
	}
	if exc.kind != exceptionKind || m.kind == externalKind && !swallows(m.text) && !c.w.state.DropFailed {
		return c.ret(boolean(false))
	}
	lost := *c
	lost.f.a.lose(c.place(), "a context manager that is not known may swallow an exception here")
	lost.w.state.Lost = true
	return append(c.ret(boolean(false)), lost.ret(boolean(true))...)
}

// swallows reports whether the name of a third-party context manager says that it swallows exceptions. Most only watch them pass, but round a drop
// that fails none is trusted to.
func swallows(path string) bool {
	path = strings.ToLower(path)
	for _, part := range []string{"suppress", "ignore", "swallow", "catch", "silen", "safe", "quiet", "fail", "best_effort"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

func (c *call) exitMethod(exit, exc value) []outcome {
	self := exit.items()[0]
	if self.kind == instanceKind {
		c.args = []value{exc, exc, none}
		return c.to(exit)
	}
	return c.exit(holding(exitKind, 0, "", self), exc)
}

// leaveGenerator ends a with block of contextlib.contextmanager.
func (c *call) leaveGenerator(gen, exc value) []outcome {
	outs := c.resume(gen, exc)
	for i := range outs {
		switch {
		case outs[i].how == yielded, outs[i].how == returned:
			outs[i].how, outs[i].val = returned, boolean(exc.kind == exceptionKind)
		case outs[i].how == raised && exc.kind == exceptionKind && outs[i].val.same(exc):
			outs[i].how, outs[i].val = returned, boolean(false)
		}
	}
	return outs
}

// manager is a call of a function under contextlib.contextmanager.
func (c *call) manager(factory value) []outcome {
	return c.after(c.to(factory.items()[0]), func(c *call, gen value) []outcome {
		if gen.kind != generatorKind {
			return c.ret(unknown)
		}
		return c.ret(holding(managerKind, 0, "", gen))
	})
}
