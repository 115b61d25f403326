package trace

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// threadModels are what runs functions of the program at another time: threads, processes, executors, tasks.
func threadModels() map[string]model {
	m := map[string]model{
		"threading.Thread": newThread("thread", "target"), "threading.Timer": newThread("thread", "function"),
		"multiprocessing.Process": newThread("process", "target"), "multiprocessing.context.Process": newThread("process", "target"),
		"multiprocessing.get_context().Process": newThread("process", "target"),
		"_thread.start_new_thread":              startNewThread, "thread.start": startThread, "thread.run": runThread,
		"thread.join": joinThread, "thread.result": joinThread, "thread.get": joinThread, "thread.wait": joinThread,
		"asyncio.run": runAsync, "asyncio.Runner().run": runAsync, "trio.run": runAsync, "anyio.run": runAsync, "uvloop.run": runAsync,
		"asyncio.to_thread": submit(0), "asyncio.create_task": newTask, "asyncio.ensure_future": newTask, "asyncio.shield": newTask,
		"asyncio.gather": gatherTasks, "asyncio.wait_for": newTask, "asyncio.wait": waitTasks,
		"asyncio.TaskGroup().create_task": newTask,
		"atexit.register":                 deferred, "signal.signal": onSignal, "weakref.finalize": deferred,
		"asyncio.run_coroutine_threadsafe": newTask,
	}
	for _, loop := range eventLoops {
		m[loop+".run_until_complete"], m[loop+".create_task"] = runAsync, newTask
		m[loop+".run_in_executor"] = submit(1)
		m[loop+".call_soon"], m[loop+".call_soon_threadsafe"] = submit(0), submit(0)
		m[loop+".call_later"], m[loop+".call_at"] = submit(1), submit(1)
		m[loop+".add_signal_handler"] = onSignal
		m[loop+".run_forever"] = serveForever
	}
	for _, pool := range executors {
		m[pool+".submit"], m[pool+".apply_async"] = submit(0), submit(0)
		m[pool+".apply"] = submit(0)
		m[pool+".map"], m[pool+".imap"], m[pool+".starmap"] = mapOver, mapOver, mapOver
	}
	return m
}

var eventLoops = []string{
	"asyncio.get_event_loop()", "asyncio.new_event_loop()", "asyncio.get_running_loop()", "uvloop.new_event_loop()", "asyncio.events.get_event_loop()",
}

var executors = []string{
	"concurrent.futures.ThreadPoolExecutor()", "concurrent.futures.ProcessPoolExecutor()", "multiprocessing.Pool()",
	"multiprocessing.pool.ThreadPool()", "multiprocessing.dummy.Pool()", "concurrent.futures.thread.ThreadPoolExecutor()",
}

// newThread makes a thread or process that is not started yet.
func newThread(what, target string) model {
	return func(c *call) []outcome {
		fn, ok := c.arg(1, target)
		if !ok {
			fn = none
		}
		args, kwargs := tuple(nil), mapping(nil)
		argsAt := 3
		if target == "function" {
			argsAt = 2
		}
		if v, ok := c.arg(argsAt, "args"); ok {
			args = c.w.sequence(v)
		}
		if v, ok := c.arg(argsAt+1, "kwargs"); ok && v.kind == dictKind {
			kwargs = c.w.content(v.num)
		}
		id, _ := c.w.fresh(c.f.site(c.pc))
		return c.ret(holding(threadKind, id, what, fn, args, kwargs))
	}
}

// invoke calls what a thread, future or task is to run.
func (c *call) invoke(t value) []outcome {
	parts := t.items()
	switch t.text {
	case "task":
		return c.await(parts[0])
	case "all", "next": // they are awaited, and have no function
		return c.ret(unknown)
	}
	next := c.on()
	next.args, next.open = parts[1].items(), parts[1].kind != tupleKind
	next.keywords(parts[2])
	return next.to(parts[0])
}

// startThread starts a thread, at a time of its own; or a process, whose effects stay its own.
func startThread(c *call) []outcome {
	t := c.self
	if t.kind == instanceKind { // of a subclass of Thread
		run := c.attribute(t, "run")
		t = holding(threadKind, t.num, "thread", run[0].val, tuple(nil), mapping(nil))
		if base, ok := outsideBase(c.w.classOf(c.self)); ok && base.text != "threading.Thread" {
			t.text = "process"
		}
	}
	if t.kind != threadKind || t.text == "all" || t.text == "next" || t.items()[0].kind == noneKind {
		return c.ret(none)
	}
	c.note(effect.Effect{Kind: effect.StartThread, Call: t.text + " started"})
	if t.text == "process" {
		child := *c
		child.w.state.Child = true
		child.invoke(t)
		return c.ret(none)
	}
	return c.meanwhile(t, none)
}

// meanwhile runs something beside the program: what untrusted code it starts is noted as of now. If it changes credentials or environment,
// when it does so is not known until it is joined.
func (c *call) meanwhile(t value, result value) []outcome {
	beside := *c
	for _, o := range beside.invoke(t) {
		before, after := c.w.state, o.w.state
		before.Switched, after.Switched, before.DropFailed, after.DropFailed = false, false, false, false
		before.Read, after.Read = 0, 0
		if before != after {
			c.races(t)
		}
	}
	return c.ret(result)
}

// races notes that t changes credentials or environment at a time that is not known.
func (c *call) races(t value) {
	who := simple(intKind, t.num, "")
	if other := c.w.store.get(raceKey); other.kind != absentKind && !other.same(who) {
		who = unknown
	}
	c.w = c.w.with(raceKey, who)
	c.w.state.Race = true
}

// settled notes that t has ended.
func (c *call) settled(t value) {
	if c.w.store.get(raceKey).same(simple(intKind, t.num, "")) {
		c.w.state.Race = false
	}
}

func startNewThread(c *call) []outcome {
	args := c.w.sequence(c.given(1, ""))
	return c.meanwhile(holding(threadKind, 0, "thread", c.given(0, ""), args, mapping(nil)), unknown)
}

// joinThread waits for a thread, future or task: what it does is done then.
func joinThread(c *call) []outcome { return c.join(c.self) }

func (c *call) join(t value) []outcome {
	switch t.text {
	case "next":
		return c.nextAsync(t.items()[0])
	case "process":
		return c.ret(none)
	case "all":
		outs := c.ret(none)
		for _, x := range t.items() {
			outs = c.after(outs, func(c *call, _ value) []outcome { return c.await(x) })
		}
		return c.after(outs, func(c *call, _ value) []outcome { return c.ret(unknown) })
	}
	if t.kind != threadKind || t.items()[0].kind == noneKind {
		return c.ret(none)
	}
	done := key(t.num, "#done")
	if v := c.w.store.get(done); v.kind != absentKind {
		return c.ret(v)
	}
	next := *c
	next.settled(t)
	outs := next.invoke(t)
	for i := range outs {
		switch {
		case outs[i].how == returned:
			outs[i].w = outs[i].w.with(done, outs[i].val)
		case outs[i].how == raised && t.text == "thread": // ends that thread, nothing else
			outs[i].how, outs[i].val = returned, none
			outs[i].w = outs[i].w.with(done, none)
		}
	}
	return outs
}

// nextAsync is one step of async for.
func (c *call) nextAsync(it value) []outcome {
	if it.kind != generatorKind && it.kind != instanceKind {
		return append(c.ret(unknown), c.raise("StopAsyncIteration")...)
	}
	outs := c.next(it)
	for i := range outs {
		if outs[i].how == raised && outs[i].val.text == "StopIteration" {
			outs[i].val = exception("StopAsyncIteration")
		}
	}
	if it.kind == instanceKind {
		return c.after(outs, func(c *call, v value) []outcome {
			if v.kind == generatorKind {
				return c.await(v)
			}
			return c.ret(v)
		})
	}
	return outs
}

// submit gives a function to an executor or event loop; the function is the at-th argument, its own arguments follow.
func submit(at int) model {
	return func(c *call) []outcome {
		if len(c.args) <= at {
			c.escape()
			return c.mayRaise(unknown, "?")
		}
		fn := c.args[at]
		if fn.kind == noneKind {
			return c.ret(unknown)
		}
		content := mapping(nil)
		for i, n := range c.names {
			content = put(content, text(n), c.values[i])
		}
		id, _ := c.w.fresh(c.f.site(c.pc))
		t := holding(threadKind, id, "future", fn, tuple(c.args[at+1:]), content)
		c.note(effect.Effect{Kind: effect.StartThread, Call: "submitted"})
		return c.meanwhile(t, t)
	}
}

// mapOver gives a function to a pool, for each of some items.
func mapOver(c *call) []outcome {
	if len(c.args) < 2 {
		return c.ret(unknown)
	}
	items := c.w.sequence(c.args[1])
	if items.kind != tupleKind {
		t := holding(threadKind, 0, "future", c.args[0], tuple([]value{unknown}), mapping(nil))
		return c.meanwhile(t, unknown)
	}
	outs := c.ret(none)
	for _, x := range items.items() {
		outs = c.after(outs, func(c *call, _ value) []outcome {
			return c.meanwhile(holding(threadKind, 0, "future", c.args[0], tuple([]value{x}), mapping(nil)), unknown)
		})
	}
	return outs
}

// leavePool ends a with block of a thread or future.
func (c *call) leavePool(t value) []outcome {
	return c.after(c.join(t), func(c *call, _ value) []outcome { return c.ret(boolean(false)) })
}

func runThread(c *call) []outcome { return c.invoke(c.self) }
