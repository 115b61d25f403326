package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// processModels are the functions that start other programs, or fork.
func processModels() map[string]model {
	m := map[string]model{
		"os.fork": fork, "os.forkpty": fork, "pty.fork": fork,
		"os._exit": leaves, "os.abort": leaves,
		"sys.exit":      func(c *call) []outcome { return c.raise("SystemExit") },
		"builtins.exit": func(c *call) []outcome { return c.raise("SystemExit") },
		"builtins.quit": func(c *call) []outcome { return c.raise("SystemExit") },
		"os.system":     shellCommand, "os.popen": shellCommand, "pty.spawn": spawnCommand,
		"subprocess.getoutput": shellCommand, "subprocess.getstatusoutput": shellCommand,
		"asyncio.create_subprocess_exec":  func(c *call) []outcome { return c.spawn(c.args) },
		"asyncio.create_subprocess_shell": spawnCommand,
	}
	for _, name := range []string{"run", "Popen", "call", "check_call", "check_output"} {
		m["subprocess."+name] = spawnCommand
	}
	for _, name := range []string{"execv", "execve", "execvp", "execvpe", "execl", "execle", "execlp", "execlpe"} {
		m["os."+name] = replace
	}
	for _, name := range []string{"spawnv", "spawnve", "spawnvp", "spawnvpe", "spawnl", "spawnle", "spawnlp", "spawnlpe"} {
		m["os."+name] = spawnMode
	}
	m["os.posix_spawn"], m["os.posix_spawnp"] = posixSpawn, posixSpawn
	return m
}

// fork goes on as the child, and as the parent.
func fork(c *call) []outcome {
	child := *c
	child.w.state.Child = true
	child.note(effect.Effect{Kind: effect.Fork, Note: "the child"})
	pid, childPid := ident(effect.ID{Class: effect.User}), integer(0)
	if c.path != "os.fork" {
		pid, childPid = tuple([]value{pid, unknown}), tuple([]value{childPid, unknown})
	}
	outs := child.ret(childPid)
	c.note(effect.Effect{Kind: effect.Fork, Note: "the parent"})
	return append(outs, c.ret(pid)...)
}

func leaves(c *call) []outcome { return []outcome{{how: exited, val: none, w: c.w}} }

func spawnCommand(c *call) []outcome { return c.spawn([]value{c.given(0, "args")}) }

func shellCommand(c *call) []outcome {
	line := c.given(0, "cmd")
	if line.vague() {
		line = c.given(0, "command")
	}
	return c.spawn([]value{line})
}

// spawnMode is os.spawn*(mode, file, args..., env).
func spawnMode(c *call) []outcome {
	next := *c
	next.args = c.args[min(1, len(c.args)):]
	return next.execLike(effect.SpawnSink)
}

func replace(c *call) []outcome { return c.execLike(effect.ReplaceSink) }

// execLike is os.exec*: with a list of arguments or several of them, with an environment or without.
func (c *call) execLike(kind effect.SinkKind) []outcome {
	name := c.path[strings.LastIndexByte(c.path, '.')+1:]
	name = strings.TrimPrefix(strings.TrimPrefix(name, "spawn"), "exec")
	env, argv := none, c.args[min(1, len(c.args)):]
	if strings.HasSuffix(name, "e") {
		env = unknown
		if n := len(argv); n > 0 && !c.open {
			env, argv = argv[n-1], argv[:n-1]
		}
	}
	if i := indexOf(c.names, "env"); i >= 0 {
		env = c.values[i]
	}
	if strings.HasPrefix(name, "v") && len(argv) > 0 {
		argv = c.w.words(argv[0])
	}
	if len(argv) > 0 && len(c.args) > 0 && c.args[0].kind == stringKind {
		rest := argv[1:]
		if argv[0].vague() && len(rest) == 0 {
			rest = argv // how many words there are is not known either
		}
		argv = append([]value{c.args[0]}, rest...)
	}
	again := kind == effect.ReplaceSink && command(argv) == nil && len(c.args) > 0 && c.args[0].isInterpreter(c.f.a.options.Executable)
	if again && !c.done(kind, argv, env) {
		c.f.a.lose(c.place(), "the program may start itself again")
		c.w.state.Lost = true
	}
	c.start(kind, argv, env, c.w.state)
	if kind == effect.SpawnSink {
		return c.mayRaise(unknown, "OSError")
	}
	w := c.w
	w.guessed = true
	return []outcome{{how: exited, val: none, w: c.w}, {how: raised, val: exception("OSError"), w: w}}
}

// done reports whether the next program has neither root nor a watched variable: then nothing changes with which program that is.
func (c *call) done(kind effect.SinkKind, argv []value, env value) bool {
	s := c.started(kind, argv, env, c.w.state)
	p := effect.Path{Past: c.w.past, State: c.w.state.Exec(s.Env), Sink: s}
	drop, _ := p.Dropped()
	left, _ := p.Environment()
	return drop == effect.Yes && left == effect.Yes
}

// isInterpreter reports whether v is the path of the interpreter that runs the program.
func (v value) isInterpreter(executable string) bool {
	return v.named("sys.executable") || v.kind == stringKind && v.text != "" && v.text == executable
}

// words is an argv as a list of values; nil if it is not known.
func (w *world) words(v value) []value {
	if v.kind == stringKind || v.kind == secretKind || v.vague() {
		return []value{v}
	}
	if seq := w.sequence(v); seq.kind == tupleKind {
		return seq.items()
	}
	return []value{unknown}
}

// started is a program that is started with an argv and an environment.
func (c *call) started(kind effect.SinkKind, argv []value, env value, state effect.State) effect.Sink {
	s := effect.Sink{Kind: kind, EnvGiven: env.kind != noneKind, Command: command(argv)}
	s.Env, s.EnvKnown = c.environOf(env)
	if !s.EnvGiven {
		s.EnvKnown = state.Maybe&state.Process == 0
	}
	for _, v := range argv {
		s.Argv |= secretsIn(v)
	}
	return s
}

// start notes that a program is started.
func (c *call) start(kind effect.SinkKind, argv []value, env value, state effect.State) {
	s := c.started(kind, argv, env, state)
	what := effect.StartProcess
	if kind == effect.ReplaceSink {
		what = effect.ReplaceProcess
	}
	if s.Argv != 0 {
		c.note(effect.Effect{Kind: effect.Argument, Variables: s.Argv})
	}
	c.note(effect.Effect{Kind: what, Variables: s.Env})
	c.sink(s, state.Exec(s.Env))
}

// command is an argv of which every word is known. One text is a shell's line.
func command(argv []value) []string {
	var out []string
	for _, v := range argv {
		if v.kind != stringKind {
			return nil
		}
		out = append(out, v.text)
	}
	if len(out) == 1 && strings.ContainsAny(out[0], "|&;<>()$`\\\"'*?[#~=%!{} \t\n") {
		if strings.ContainsAny(out[0], "|&;<>()$`\n") {
			return []string{"sh", "-c", out[0]}
		}
		return strings.Fields(out[0])
	}
	return out
}

// spawn is subprocess.Popen and its kin: a child with user, group and environment of its own.
func (c *call) spawn(argv []value) []outcome {
	if len(argv) == 1 {
		argv = c.w.words(argv[0])
	}
	env, _ := c.arg(-1, "env")
	if !c.has("env") && !c.open {
		env = none
	}
	parent := c.w.past
	for _, state := range c.demoted() {
		c.w.past = parent
		c.start(effect.SpawnSink, argv, env, state)
	}
	return c.mayRaise(external("subprocess.Popen()", StandardLibrary), "?")
}

func (c *call) has(name string) bool { return indexOf(c.names, name) >= 0 }

// demoted is the states in which a child of subprocess can start: after preexec_fn, group, extra_groups and user, in the order in which
// CPython's _posixsubprocess applies them: setgroups, gid, uid, then preexec_fn.
func (c *call) demoted() []effect.State {
	s := c.w.state
	if v, ok := c.arg(-1, "extra_groups"); ok && v.kind != noneKind && !c.open {
		s.Groups = effect.GroupsUnknown
		if list := c.w.sequence(v); list.kind == tupleKind {
			s.Groups = c.namedGroups(list.items())
		}
	}
	if v, ok := c.arg(-1, "group"); ok && v.kind != noneKind && !c.open {
		s.GID = effect.Same(c.accountID(v, c.f.a.groupID))
	}
	if v, ok := c.arg(-1, "user"); ok && v.kind != noneKind && !c.open {
		s.UID = effect.Same(c.accountID(v, c.f.a.userID))
	}
	before, ok := c.arg(-1, "preexec_fn")
	if !ok || before.kind == noneKind {
		if c.open {
			s.Lost = true
		}
		return []effect.State{s}
	}
	child := c.on()
	child.w.state = s
	child.w.state.Child = true
	seen := map[effect.State]bool{}
	var states []effect.State
	for _, o := range child.to(before) {
		if st := o.w.state; o.how == returned && !seen[st] {
			seen[st] = true
			st.Child = s.Child
			st.Lost = st.Lost || before.callee() == nil && before.kind != externalKind
			states = append(states, st)
		}
	}
	return states
}

// accountID is the id that user= or group= of subprocess names.
func (c *call) accountID(v value, lookup func(string) effect.ID) effect.ID {
	if v.kind == stringKind {
		return lookup(v.text)
	}
	return toID(v)
}

func (c *call) namedGroups(items []value) effect.Groups {
	ids := make([]value, len(items))
	for i, v := range items {
		ids[i] = ident(c.accountID(v, c.f.a.groupID))
	}
	return groupsOf(ids)
}

// posixSpawn is os.posix_spawn(path, argv, env, ...).
func posixSpawn(c *call) []outcome {
	c.start(effect.SpawnSink, c.w.words(c.given(1, "argv")), c.given(2, "env"), c.w.state)
	return c.mayRaise(ident(effect.ID{Class: effect.User}), "OSError")
}
