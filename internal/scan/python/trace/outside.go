package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// models are the functions outside the program whose effects matter, by dotted path. A path with "()" is what a call gives.
func models() map[string]model {
	all := map[string]model{}
	for _, part := range []map[string]model{
		credentialModels(), environModels(), processModels(), threadModels(), builtinModels(), codeModels(), functionToolModels(),
		networkModels(), contextModels(), iterationModels(), pathModels(), metaclassModels(), recordModels(), prototypeModels(), callbackModels(),
		pathlibModels(), regexModels(),
	} {
		for name, m := range part {
			all[name] = m
		}
	}
	return all
}

// methods are the methods of values that are not the program's own, by "kind.name".
func methods() map[string]model {
	all := map[string]model{}
	for _, part := range []map[string]model{stringMethods(), listMethods(), dictMethods(), generatorMethods(), commandMethods(), pathlibModels(), regexModels()} {
		for name, m := range part {
			all[name] = m
		}
	}
	return all
}

// outside calls something that is not the program's own.
func (c *call) outside(callee value) []outcome {
	c.path, c.origin = callee.text, callee.origin()
	if m := c.f.a.models[c.path]; m != nil {
		return m(c)
	}
	if m := c.f.a.methods[c.path]; m != nil && c.self.kind != unknownKind {
		return m(c)
	}
	last := c.path[strings.LastIndexByte(c.path, '.')+1:]
	if c.self.kind != unknownKind {
		if outs, ok := c.inherited(last); ok {
			return outs
		}
	}
	c.bindings(last)
	switch {
	case isForeignCall(c.path):
		name, _ := isForeign(c.path)
		return c.foreign(name)
	case strings.HasPrefix(c.path, "typing."), strings.HasPrefix(c.path, "collections.abc."):
		return c.decorated()
	case c.origin == StandardLibrary:
		return c.standard(last)
	}
	return c.thirdParty(last)
}

func isForeignCall(path string) bool {
	_, ok := isForeign(path)
	return ok
}

// standard is a function of the standard library that is not modelled: harmless, apart from the exceptions that it may raise.
func (c *call) standard(last string) []outcome {
	top, _, _ := strings.Cut(c.path, ".")
	result := external(strings.TrimSuffix(c.path, "()")+"()", StandardLibrary)
	if strings.HasSuffix(c.path, "()") && len(c.path) > 120 {
		result = unknown
	}
	if outs, ok := c.asDecorator(); ok {
		return outs
	}
	if last == "serve_forever" || last == "run_forever" {
		return serveForever(c)
	}
	if schedules[last] {
		return c.schedule(result)
	}
	if top == "argparse" && last == "set_defaults" {
		c.setDefaults()
		return c.ret(none)
	}
	if exceptionParents[exceptionName(c.path)] != "" {
		return c.ret(exceptionOf(c.path))
	}
	c.escape()
	switch {
	case top == "logging":
		return c.logs(result)
	case callers[c.path]:
		return callsBack(func(c *call) []outcome { return c.mayRaise(result, raisesOf(top)) })(c)
	}
	if quiet[top] || quiet[c.path] {
		return c.ret(result)
	}
	return c.mayRaise(result, raisesOf(top))
}

func exceptionOf(path string) value { return exception(exceptionName(path)) }

// raisesOf is the exception that functions of a module raise, "?" for any.
func raisesOf(top string) string {
	switch top {
	case "os", "shutil", "socket", "pathlib", "tempfile", "io":
		return "OSError"
	}
	return "?"
}

// schedules are names of methods that take a function to be called later.
var schedules = setOf("submit", "apply_async", "call_soon", "call_later", "call_at", "run_in_executor", "create_task", "start_soon",
	"to_thread", "run_sync", "run_coroutine_threadsafe", "spawn", "spawn_later", "Timer", "start_new_thread", "Thread", "Process", "run_until_complete")

// schedule runs what a method like submit is given: the first argument that can be called, with the arguments behind it.
func (c *call) schedule(result value) []outcome {
	for i, v := range c.args {
		switch {
		case v.kind == generatorKind && v.text == "coroutine":
			return c.meanwhile(holding(threadKind, 0, "task", v), result)
		case v.callee() != nil, v.kind == externalKind && v.num != int64(StandardLibrary):
			return c.meanwhile(holding(threadKind, 0, "future", v, tuple(c.args[i+1:]), mapping(nil)), result)
		}
	}
	if fn, ok := c.arg(-1, "target"); ok {
		return c.meanwhile(holding(threadKind, 0, "future", fn, c.w.sequence(c.given(-1, "args")), mapping(nil)), result)
	}
	c.escape()
	return c.mayRaise(result, "?")
}

// asDecorator is a call with a function or class as its only argument, as a decorator is called: it is taken to give what it decorates.
func (c *call) asDecorator() ([]outcome, bool) {
	if len(c.args) != 1 || len(c.names) > 0 || c.open {
		return nil, false
	}
	switch v := c.args[0]; v.kind {
	case functionKind, classKind, factoryKind, commandKind:
		return c.ret(v), true
	case staticKind, partialKind:
		return c.ret(v), strings.HasSuffix(c.path, "()")
	}
	return nil, false
}

func (c *call) decorated() []outcome {
	if outs, ok := c.asDecorator(); ok {
		return outs
	}
	if strings.HasSuffix(c.path, ".cast") {
		return c.ret(c.given(1, "val"))
	}
	return c.ret(external(c.path+"()", StandardLibrary))
}

// transparent are third-party modules whose decorators leave it to the caller when the function runs, and pass on what it raises.
var transparent = setOf("click", "asyncclick", "typer", "tenacity", "retry", "retrying", "backoff", "pydantic", "beartype", "typeguard",
	"structlog", "loguru", "sentry_sdk", "opentelemetry", "attr", "attrs", "decorator", "wrapt", "hydra", "invoke", "numba", "pytest")

// thirdParty is a call into third-party code.
func (c *call) thirdParty(last string) []outcome {
	result := external(strings.TrimSuffix(c.path, "()")+"()", c.origin)
	if outs, ok := c.commandLine(); ok {
		return outs
	}
	if outs, ok := c.asDecorator(); ok {
		top, _, _ := strings.Cut(c.path, ".")
		if fn := c.args[0].callee(); fn != nil && !transparent[top] && c.f.a.touches(fn.code) {
			c.f.a.escaped = true
			c.doubted()
			outs[0].w = c.w
		}
		return outs
	}
	switch {
	case dropsByName(last):
		return loses(c)
	case last == "set_keepcaps": // of the bindings of prctl
		c.w.state.KeepCaps = !c.given(0, "").same(boolean(false)) && !c.given(0, "").same(integer(0))
		c.note(effect.Effect{Kind: effect.Prctl})
	}
	c.escape()
	s := &c.w.state
	switch {
	case takes(c.path) != goesOn:
		c.note(effect.Effect{Kind: effect.CallOut})
		c.sink(effect.Sink{Kind: effect.HandOffSink, Perhaps: takes(c.path) == mayTakeOver}, *s)
	case s.UID.Real.Class == effect.User && s.UID.Effective.Class == effect.User && s.UID.Saved.Class == effect.User && !logs[last]:
		c.sink(effect.Sink{Kind: effect.CallSink}, *s)
	}
	if schedules[last] {
		return c.schedule(result)
	}
	return c.mayRaise(result, "?")
}

// logs are names of functions that only tell of something.
var logs = setOf("info", "debug", "warning", "warn", "error", "exception", "critical", "log", "getLogger", "get_logger", "bind", "configure",
	"basicConfig", "setLevel", "print", "echo", "init", "capture_exception", "capture_message", "set_tag", "add", "remove", "trace", "success")

// dropsByName reports whether a function's name says that it changes credentials or environment.
func dropsByName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"drop_priv", "droppriv", "dropprivileges", "drop_root", "droproot", "setuid", "setgid", "setgroups", "demote",
		"become_user", "switch_user", "switch_uid", "change_user", "daemoncontext", "set_owner_process", "setproctitle_uid", "drop_to",
		"unset_env", "clear_env", "scrub_env", "strip_env", "sanitize_env"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
