package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// A command of a command line is a function that a third-party module calls with what the command line says. A group has other commands, of which
// the command line names one: they are kept in the store under the group.

// commandLines are third-party modules that make commands of functions.
var commandLines = setOf("click", "asyncclick", "rich_click", "cloup", "typer", "cyclopts")

// commandLine is a call into such a module, or of what it gives.
func (c *call) commandLine() ([]outcome, bool) {
	parts := strings.Split(c.path, ".")
	if !commandLines[parts[0]] {
		if c.path == "fire.Fire" && c.given(0, "").callee() != nil {
			return c.withSettings(c.args[0]), true
		}
		return nil, false
	}
	fn := c.given(0, "")
	isDecorator := len(c.args) == 1 && len(c.names) == 0 && fn.callee() != nil
	switch last := parts[len(parts)-1]; {
	case c.path == "typer.run" && isDecorator:
		return c.exits(c.withSettings(fn)), true
	case len(parts) == 2 && (last == "command" || last == "group" || last == "command()" || last == "group()"):
		if isDecorator {
			return c.ret(holding(commandKind, int64(fn.hash), "", fn)), true
		}
	case strings.HasSuffix(c.path, ".command()"), strings.HasSuffix(c.path, ".callback()"), strings.HasSuffix(c.path, ".default()"):
		if isDecorator { // of an application of typer: the function stays what it is
			c.register(nameKey("#commands", strings.Join(parts[:len(parts)-1], ".")), holding(commandKind, int64(fn.hash), "", fn))
			return c.ret(fn), true
		}
	case c.path == "typer.Typer()" || c.path == "cyclopts.App()":
		return c.exits(c.alternately(nameKey("#commands", c.path))), true
	}
	return nil, false
}

// commandMethods are the methods of a command.
func commandMethods() map[string]model {
	made := func(c *call) []outcome {
		register := func(c *call, fn value) []outcome {
			cmd := holding(commandKind, int64(fn.hash), "", fn)
			c.register(commandsOf(c.self), cmd)
			return c.ret(cmd)
		}
		if fn := c.given(0, ""); fn.callee() != nil && fn.kind != commandKind {
			return register(c, fn)
		}
		return c.ret(holding(partialKind, 0, "", method(c.self, "command.command"), tuple(nil), mapping(nil)))
	}
	return map[string]model{
		"command.command": made, "command.group": made,
		"command.add_command": func(c *call) []outcome {
			if cmd := c.given(0, "cmd"); cmd.kind == commandKind {
				c.register(commandsOf(c.self), cmd)
			}
			return c.ret(none)
		},
		"command.main":     func(c *call) []outcome { return c.exits(c.runCommand(c.self)) },
		"command.callback": func(c *call) []outcome { return c.to(c.self.items()[0]) },
	}
}

func commandsOf(group value) uint64 { return key(group.num, "#commands") }

func (c *call) register(k uint64, cmd value) {
	have := c.w.store.get(k).items()
	c.w = c.w.with(k, tuple(append(have[:len(have):len(have)], cmd)))
}

// runCommand calls a command's function, and then one of the commands that it has as a group.
func (c *call) runCommand(cmd value) []outcome {
	outs := c.withSettings(cmd.items()[0])
	if c.w.store.get(commandsOf(cmd)).kind == absentKind {
		return outs
	}
	return c.after(outs, func(c *call, _ value) []outcome { return c.alternately(commandsOf(cmd)) })
}

// alternately runs each command that is registered under a key, in a world of its own.
func (c *call) alternately(k uint64) []outcome {
	commands := c.w.store.get(k)
	if commands.kind != tupleKind || c.f.a.calls > maxCalls/2 {
		return c.notKnown()
	}
	g := gather{a: c.f.a}
	for _, cmd := range commands.items() {
		for _, o := range c.on().runCommand(cmd) {
			g.add(o)
		}
	}
	return g.list
}

// exits ends the program, as such modules do when the command has run, unless they are told not to.
func (c *call) exits(outs []outcome) []outcome {
	if v, told := c.arg(-1, "standalone_mode"); told && !v.same(boolean(true)) {
		return outs
	}
	return c.after(outs, func(c *call, _ value) []outcome { return c.raise("SystemExit") })
}

// withSettings calls a function with arguments that the command line decides.
func (c *call) withSettings(fn value) []outcome {
	next := c.on()
	f := fn.callee()
	if f == nil {
		return next.to(fn)
	}
	if fn.kind != functionKind {
		next.open = true
		return next.to(fn)
	}
	for i, name := range f.code.Params[:f.code.Positional+f.code.KeywordOnly] {
		v := simple(settingKind, 0, "--"+strings.ReplaceAll(name, "_", "-"))
		if i < f.code.Positional {
			next.args = append(next.args, v)
		} else {
			next.names, next.values = append(next.names, name), append(next.values, v)
		}
	}
	outs := next.to(fn)
	if f.code.Flow == ir.Coroutine {
		return c.after(outs, func(c *call, v value) []outcome { return c.await(v) })
	}
	return outs
}
