package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// environModels are os.environ and the functions around it.
func environModels() map[string]model {
	return map[string]model{
		"os.getenv": getVariable, "os.getenvb": getVariable, "os.environ.get": getVariable,
		"os.environ.pop": func(c *call) []outcome {
			fallback, ok := c.arg(1, "default")
			if !ok {
				fallback = absent
			}
			return c.removeVariable(c.given(0, "key"), fallback, !c.discarded())
		},
		"os.environ.__delitem__": func(c *call) []outcome { return c.removeVariable(c.given(0, ""), absent, false) },
		"os.environ.__getitem__": func(c *call) []outcome { return c.readVariable(c.given(0, ""), absent) },
		"os.environ.__contains__": func(c *call) []outcome {
			return c.ret(asAnswer(c.w.inEnviron(c.given(0, ""))))
		},
		"os.environ.__setitem__": func(c *call) []outcome { c.setVariable(c.given(0, ""), c.given(1, "")); return c.ret(none) },
		"os.environ.popitem":     func(c *call) []outcome { c.w.state.Maybe |= c.all(); return c.ret(unknown) },
		"os.environ.clear":       clearEnviron,
		"os.environ.copy":        func(c *call) []outcome { return c.ret(c.w.newDict(c.f.site(c.pc), c.environCopy())) },
		"os.environ.keys":        func(c *call) []outcome { return c.ret(external("os.environ", StandardLibrary)) },
		"os.environ.items":       func(c *call) []outcome { return c.pairs(c.environNamesAll()) },
		"os.environ.values":      func(c *call) []outcome { return c.ret(unknown) },
		"os.environ.update":      updateEnviron,
		"os.environ.setdefault":  func(c *call) []outcome { return c.readVariable(c.given(0, ""), c.given(1, "")) },
		"os.unsetenv":            processOnly, "os.putenv": processOnly,
	}
}

func (c *call) all() effect.Variables { return effect.All(len(c.f.a.options.Watched)) }

// discarded reports whether the result of the call is thrown away at once: then nobody reads it.
func (c *call) discarded() bool {
	next := c.pc + 1
	return next < len(c.f.prog.code.Instrs) && c.f.prog.code.Instrs[next].Op == ir.Pop
}

func getVariable(c *call) []outcome {
	fallback, ok := c.arg(1, "default")
	if !ok {
		fallback = none
	}
	return c.readVariable(c.given(0, "key"), fallback)
}

// readVariable reads a variable from os.environ; absent as fallback raises KeyError if it isn't there.
func (c *call) readVariable(name, fallback value) []outcome {
	missing := func() []outcome {
		if fallback.kind == absentKind {
			return c.raise("KeyError")
		}
		return c.ret(fallback)
	}
	v := c.watched(name)
	if v == 0 {
		return c.readOther(name, fallback)
	}
	s := &c.w.state
	if s.Mapping&v == 0 {
		if s.Read&v == 0 {
			s.Late |= v
			c.note(effect.Effect{Kind: effect.ReadVariable, Variables: v, Note: "after it was removed"})
		}
		return missing()
	}
	s.Read |= v
	c.note(effect.Effect{Kind: effect.ReadVariable, Variables: v})
	outs := c.ret(secret(v))
	if s.Maybe&v != 0 {
		outs = append(outs, missing()...)
	}
	return outs
}

// readOther reads a variable that is not watched, or whose name is not known.
func (c *call) readOther(name, fallback value) []outcome {
	if name.kind != stringKind && name.kind != bytesKind {
		if fallback.kind == absentKind {
			return c.mayRaise(unknown, "KeyError")
		}
		return c.ret(unknown)
	}
	if set := c.w.store.get(nameKey("environ", name.text)); set.kind != absentKind {
		if set.kind != nullKind {
			return c.ret(set)
		}
		if fallback.kind == absentKind {
			return c.raise("KeyError")
		}
		return c.ret(fallback)
	}
	if v, ok := c.f.a.options.Env[name.text]; ok {
		c.note(effect.Effect{Kind: effect.Condition, Call: name.text, Note: effect.ImageSetting})
		return c.ret(text(v))
	}
	if fallback.kind == absentKind {
		return c.mayRaise(simple(settingKind, 0, name.text), "KeyError")
	}
	return c.ret(simple(settingKind, 0, name.text))
}

// removeVariable is os.environ.pop and del: gone from the mapping and from the process (os.environ calls unsetenv).
func (c *call) removeVariable(name, fallback value, reads bool) []outcome {
	v := c.watched(name)
	s := &c.w.state
	switch {
	case name.kind == otherKind:
		return c.ret(unknown)
	case v == 0 && (name.kind == stringKind || name.kind == bytesKind):
		outs := c.readOther(name, fallback)
		for i := range outs {
			outs[i].w = outs[i].w.with(nameKey("environ", name.text), null)
		}
		return outs
	case v == 0:
		s.Maybe |= c.all()
		c.note(effect.Effect{Kind: effect.RemoveVariable, Note: "which one is not known"})
		return c.mayRaise(unknown, "KeyError")
	case s.Mapping&v == 0:
		if reads && s.Read&v == 0 {
			return c.readVariable(name, fallback)
		}
		if fallback.kind == absentKind {
			return c.raise("KeyError")
		}
		return c.ret(fallback)
	}
	if reads {
		s.Read |= v
	}
	s.Mapping, s.Process, s.Maybe = s.Mapping&^v, s.Process&^v, s.Maybe&^v
	c.note(effect.Effect{Kind: effect.RemoveVariable, Variables: v})
	return c.ret(secret(v))
}

func clearEnviron(c *call) []outcome {
	s := &c.w.state
	c.note(effect.Effect{Kind: effect.RemoveVariable, Variables: s.Mapping, Note: "all variables"})
	s.Process &^= s.Mapping
	s.Mapping, s.Maybe = 0, 0
	return c.ret(none)
}

// setVariable is os.environ[name] = v.
func (c *call) setVariable(name, v value) {
	s := &c.w.state
	w := c.watched(name)
	switch {
	case w == 0 && name.kind == stringKind:
		c.w = c.w.with(nameKey("environ", name.text), v)
		if leaked := secretsIn(v); leaked != 0 {
			s.Mapping, s.Process = s.Mapping|leaked, s.Process|leaked
			c.note(effect.Effect{Kind: effect.AddVariable, Variables: leaked, Note: "under another name"})
		}
	case w == 0 && name.kind == otherKind:
	case w == 0:
		put := secretsIn(v)
		if v.vague() {
			put = c.all()
		}
		s.Maybe |= put &^ s.Mapping
		s.Mapping, s.Process = s.Mapping|put, s.Process|put
	case v.kind == stringKind: // a known text is no secret: the value is gone
		s.Mapping, s.Process, s.Maybe = s.Mapping&^w, s.Process&^w, s.Maybe&^w
		c.note(effect.Effect{Kind: effect.RemoveVariable, Variables: w, Note: "overwritten"})
	default:
		s.Mapping, s.Process = s.Mapping|w, s.Process|w
		c.note(effect.Effect{Kind: effect.AddVariable, Variables: w})
	}
}

func updateEnviron(c *call) []outcome {
	for i, name := range c.names {
		c.setVariable(text(name), c.values[i])
	}
	if from, ok := c.arg(0, ""); ok {
		c.addAll(from)
	}
	return c.ret(none)
}

// addAll puts all entries of a mapping into os.environ.
func (c *call) addAll(from value) {
	entries := from
	if from.kind == dictKind {
		entries = c.w.content(from.num)
	}
	switch entries.kind {
	case mapKind:
		pairs := entries.items()
		for i := 0; i < len(pairs); i += 2 {
			c.setVariable(pairs[i], pairs[i+1])
		}
	case watchedKind:
		put := effect.Variables(entries.num)
		s := &c.w.state
		s.Mapping, s.Process = s.Mapping|put, s.Process|put
		if put != 0 {
			c.note(effect.Effect{Kind: effect.AddVariable, Variables: put, Note: "from a copy of the environment"})
		}
	default:
		if !from.named("os.environ") {
			c.setVariable(unknown, unknown)
		}
	}
}

// rebindEnviron is os.environ = v: the process's environment is what it was.
func (c *call) rebindEnviron(v value) {
	s := &c.w.state
	held, known := c.environOf(v)
	if !known {
		held = s.Mapping
		s.Maybe |= held
	}
	s.Mapping, s.Rebound = held, true
	c.note(effect.Effect{Kind: effect.KeepVariable, Call: "os.environ = ...", Variables: s.Process, Note: "the process's environment keeps them"})
}

// processOnly is os.putenv and os.unsetenv, which do not change os.environ.
func processOnly(c *call) []outcome {
	name := c.given(0, "")
	v := c.watched(name)
	if v == 0 && name.kind != stringKind && name.kind != bytesKind && name.kind != otherKind {
		return c.ret(none) // nothing is shown to be removed
	}
	if v != 0 {
		c.w.state.Process &^= v
		if strings.HasSuffix(c.path, "putenv") && c.given(1, "").kind != stringKind {
			c.w.state.Process |= v
		}
		c.seems(name, "os.environ still has it")
	}
	return c.ret(none)
}

// seems notes a removal that isn't one.
func (c *call) seems(name value, why string) {
	if v := c.watched(name); v != 0 {
		c.note(effect.Effect{Kind: effect.KeepVariable, Variables: v, Note: why})
	}
}

// inEnviron says whether a variable is in os.environ. Those that are watched are taken to be set when the program starts.
func (w *world) inEnviron(name value) answer {
	v := w.a.variable(name)
	if v == 0 || w.state.Rebound || w.state.Maybe&v != 0 {
		return undecided
	}
	return answered(w.state.Mapping&v != 0)
}
