package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/effect"

// Keys of the store under which lists of things to be run later are kept.
var (
	tasksKey    = nameKey("#later", "tasks")
	deferredKey = nameKey("#later", "exit")
	raceKey     = nameKey("#later", "race") // the thread that races; unknown if there are several
)

// runAsync is asyncio.run: runs a coroutine, and what tasks it leaves.
func runAsync(c *call) []outcome {
	main := c.given(0, "main")
	var outs []outcome
	switch main.kind {
	case functionKind, methodKind, partialKind: // trio.run(main)
		next := c.on()
		next.args = c.args[1:]
		outs = next.to(main)
		outs = c.after(outs, func(c *call, v value) []outcome { return c.await(v) })
	default:
		outs = c.await(main)
	}
	return c.after(outs, func(c *call, v value) []outcome {
		return c.after(c.runTasks(), func(c *call, _ value) []outcome { return c.ret(v) })
	})
}

// newTask is asyncio.create_task: the coroutine runs when the program waits for something.
func newTask(c *call) []outcome {
	coro := c.given(0, "coro")
	if coro.kind == threadKind {
		return c.ret(coro)
	}
	if coro.kind != generatorKind {
		return c.mayRaise(unknown, "?")
	}
	id, _ := c.w.fresh(c.f.site(c.pc))
	t := holding(threadKind, id, "task", coro)
	pending := c.w.store.get(tasksKey).items()
	c.w = c.w.with(tasksKey, tuple(append(pending[:len(pending):len(pending)], t)))
	return c.ret(t)
}

// gatherTasks is asyncio.gather: gives something that, awaited, runs all.
func gatherTasks(c *call) []outcome { return c.ret(holding(threadKind, 0, "all", c.args...)) }

func waitTasks(c *call) []outcome {
	return c.ret(holding(threadKind, 0, "all", c.w.sequence(c.given(0, "")).items()...))
}

// runTasks runs the tasks that are pending. What they change is changed at a time that is not known.
func (c *call) runTasks() []outcome {
	pending := c.w.store.get(tasksKey)
	if pending.kind == absentKind {
		return c.ret(none)
	}
	if pending.kind != tupleKind {
		c.w = c.w.with(tasksKey, tuple(nil))
		return c.ret(none)
	}
	c.w = c.w.with(tasksKey, tuple(nil))
	outs := c.ret(none)
	for _, t := range pending.items() {
		outs = c.after(outs, func(c *call, _ value) []outcome {
			before := c.w.state
			done := c.join(t)
			for i := range done {
				if after := done[i].w.state; after.UID != before.UID || after.GID != before.GID || after.Groups != before.Groups {
					done[i].w.state.Race = true
				}
				if done[i].how == raised { // shown when the task is awaited
					done[i].how, done[i].val = returned, none
				}
			}
			return done
		})
	}
	return outs
}

// deferred is atexit.register: the function runs at the program's end.
func deferred(c *call) []outcome {
	if len(c.args) == 0 {
		return c.ret(unknown)
	}
	c.deferCall(holding(threadKind, 0, "deferred", c.args[0], tuple(c.args[1:]), mapping(nil)))
	return c.ret(c.args[0])
}

// onSignal is signal.signal(number, handler): the handler may run at any time.
func onSignal(c *call) []outcome {
	handler := c.given(1, "handler")
	if handler.callee() == nil {
		return c.ret(unknown)
	}
	args := tuple([]value{unknown, unknown})
	if c.path != "signal.signal" {
		args = tuple(c.args[2:])
	}
	c.deferCall(holding(threadKind, 0, "deferred", handler, args, mapping(nil)))
	return c.ret(unknown)
}

func (c *call) deferCall(t value) {
	list := c.w.store.get(deferredKey).items()
	c.w = c.w.with(deferredKey, tuple(append(list[:len(list):len(list)], t)))
}

// runDeferred runs what was left for the end.
func (c *call) runDeferred() []outcome {
	list := c.w.store.get(deferredKey)
	before := c.w
	for _, t := range list.items() {
		next := *c
		next.w = before
		next.invoke(t)
	}
	if list.kind == unknownKind {
		c.doubted()
	}
	return c.ret(none)
}

// serveForever is an event loop or server that runs until the end.
func serveForever(c *call) []outcome {
	return c.after(c.runTasks(), func(c *call, _ value) []outcome {
		c.sink(effect.Sink{Kind: effect.ServeSink}, c.w.state)
		return c.mayRaise(none, "?")
	})
}
