package launch

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// shown is the place as evidence calls it.
func (p Place) shown() effect.Place {
	if p.File == nil {
		return effect.Place{File: "entrypoint", Line: p.Line}
	}
	return effect.Place{File: p.File.Path, Line: p.Line}
}

// lose records where and why a path can't be followed.
func (t *tracer) lose(c *call, why string) {
	if !c.aside {
		t.losses = append(t.losses, effect.Loss{Place: c.at.shown(), Reason: why})
		t.wrote(c)
	}
}

// ends records a path. Of what runs before or beside that for which the container is
// started only those count that run code which nobody can know, and those that hand
// over to code of others and go on running.
func (t *tracer) ended(c *call, p effect.Path) {
	t.wrote(c)
	if c.aside {
		switch fixed := p.Sink.Command != nil; p.Sink.Kind {
		case effect.CodeSink, effect.ModuleSink:
		case effect.SpawnSink, effect.ReplaceSink:
			if fixed {
				return
			}
		case effect.HandOffSink:
			if !c.beside || p.State.Lost {
				return
			}
		default:
			return
		}
	}
	key := fmt.Sprint(p.State, p.Sink)
	if t.queued["path "+key] {
		return
	}
	if t.queued["path "+key] = true; len(t.paths) >= maxPaths {
		t.cut = true
		return
	}
	t.paths = append(t.paths, p)
	t.parents = append(t.parents, c.proc.parents)
}

const maxPaths = 500

// given ends a path with a command that is whatever others say: what is the part of
// it that says so.
func (t *tracer) given(c *call, what string) {
	env, _ := t.environ(c.vars)
	t.ended(c, effect.Path{Past: c.proc.trail.h, State: c.proc.state,
		Sink: effect.Sink{Kind: effect.ReplaceSink, Call: what, Place: c.at.shown(), Env: env, EnvKnown: true}})
}

// idle ends a path with a program that does nothing: what runs in the container is
// run from outside.
func (t *tracer) idle(c *call) { t.finish(c, c.proc.state) }

// opaque ends a path with a program that is not followed. Who it runs as, it can
// change only as root; what it does with its environment is not known.
func (t *tracer) opaque(c *call, why string) {
	t.unclear(c, "%s", why)
	s := c.proc.state
	if s.Privileged() == effect.User {
		s.Maybe |= s.Mapping | s.Process
	} else {
		s.Lost = true
	}
	t.ended(c, effect.Path{Past: c.proc.trail.h, State: s,
		Sink: effect.Sink{Kind: effect.HandOffSink, Call: c.argv[0].Name(), Place: c.at.shown()}})
}

func (t *tracer) finish(c *call, s effect.State) {
	t.ended(c, effect.Path{Past: c.proc.trail.h, State: s,
		Sink: effect.Sink{Kind: effect.EndSink, Call: c.argv[0].Name(), Place: c.at.shown()}})
}

// starts records a program that is started.
func (t *tracer) starts(l Link) {
	key := fmt.Sprint("started ", l.Argv, l.Path, l.By)
	if !t.queued[key] && len(t.started) < maxRan {
		t.queued[key] = true
		t.started = append(t.started, l)
	}
}

// runs records what is run, or read as a script, as root.
func (t *tracer) runs(l Link, p process) {
	if p.state.Privileged() == effect.User {
		return
	}
	key := "ran " + l.Path
	if l.File == nil && len(l.Argv) > 0 {
		key += l.Argv[0]
	}
	if !t.queued[key] && len(t.ran) < maxRan {
		t.queued[key] = true
		t.ran = append(t.ran, l)
	}
}

const maxRan = 1000
