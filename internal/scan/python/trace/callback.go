package trace

import "strings"

// callers are functions of the standard library that call what they are given before they return.
var callers = setOf("re.sub", "re.subn", "re.compile().sub", "re.compile().subn", "itertools.starmap", "itertools.takewhile", "itertools.dropwhile",
	"itertools.filterfalse", "itertools.accumulate", "itertools.groupby", "heapq.nlargest", "heapq.nsmallest", "heapq.merge", "json.loads",
	"json.load", "json.dumps", "json.dump", "timeit.timeit", "timeit.repeat", "functools.cmp_to_key", "shutil.copytree", "shutil.rmtree",
	"bisect.bisect", "bisect.insort", "cProfile.Profile().runcall", "operator.call")

// callbackModels are functions that call what they are given, besides what they are modelled to do.
func callbackModels() map[string]model {
	run := func(c *call) []outcome {
		next := c.on(c.args[min(1, len(c.args)):]...)
		next.names, next.values, next.open = c.names, c.values, c.open
		return next.to(c.given(0, ""))
	}
	return map[string]model{
		"builtins.sorted": callsBack(sequenceCall(listKind)), "builtins.max": callsBack(extreme(true)), "builtins.min": callsBack(extreme(false)),
		"collections.defaultdict":        callsBack(func(c *call) []outcome { return c.ret(c.w.newDict(c.f.site(c.pc), unknown)) }),
		"contextvars.copy_context().run": run, "contextvars.Context().run": run,
		"logging.getLogger().addHandler": addHandler, "logging.root.addHandler": addHandler,
		"enum.auto": automatic,
	}
}

// callsBack calls the functions among the arguments, with what is not known, and goes on with m.
func callsBack(m model) model {
	return func(c *call) []outcome {
		outs := c.ret(none)
		for _, list := range [][]value{c.args, c.values} {
			for _, v := range list {
				if v.callee() == nil && (v.kind != externalKind || v.origin() != ThirdParty) {
					continue
				}
				outs = c.after(outs, func(c *call, _ value) []outcome {
					next := c.on()
					next.open = true
					return next.to(v)
				})
			}
		}
		return c.after(outs, func(c *call, _ value) []outcome { return m(c) })
	}
}

// handlersKey is the key of the store under which the program's own handlers of the logging module are kept.
var handlersKey = nameKey("#later", "handlers")

func addHandler(c *call) []outcome {
	if h := c.given(0, "hdlr"); h.kind == instanceKind {
		have := c.w.store.get(handlersKey).items()
		c.w = c.w.with(handlersKey, tuple(append(have[:len(have):len(have)], h)))
	}
	return c.ret(none)
}

// logs is a call of the logging module: what is logged is turned into text, and goes to the handlers.
func (c *call) logs(result value) []outcome {
	outs := writing(c)
	last := c.path[strings.LastIndexByte(c.path, '.')+1:]
	if logs[last] && last != "getLogger" {
		for _, h := range c.w.store.get(handlersKey).items() {
			outs = c.after(outs, func(c *call, _ value) []outcome {
				if handled, ok := c.special(h, "emit", unknown); ok {
					return handled
				}
				return c.ret(none)
			})
		}
	}
	return c.after(outs, func(c *call, _ value) []outcome { return c.ret(result) })
}

// automatic is enum.auto: the next number.
func automatic(c *call) []outcome {
	k := key(c.f.class, "#auto")
	n := countOf(c.w.store.get(k)) + 1
	c.w = c.w.with(k, simple(countKind, n, ""))
	return c.ret(integer(n))
}
