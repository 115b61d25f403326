package trace

import (
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// pathKey tells paths apart, in the outcome.
type pathKey struct {
	place effect.Place
	kind  effect.SinkKind
	call  string
	state effect.State
	env   effect.Variables
	known bool
	argv  effect.Variables
}

// sink notes that untrusted code may start here, in a process with that state.
func (c *call) sink(s effect.Sink, state effect.State) {
	a := c.f.a
	if s.Place = c.place(); s.Kind == effect.EndSink {
		s.Place = effect.Place{File: c.f.file}
	}
	if s.Call == "" {
		s.Call = c.shown()
	}
	k := pathKey{s.Place, s.Kind, s.Call, state, s.Env, s.EnvKnown, s.Argv}
	if a.seenPaths[k] {
		return
	}
	if len(a.paths) >= a.options.MaxPaths {
		a.exhausted = true
		return
	}
	a.seenPaths[k] = true
	a.paths = append(a.paths, found{effect.Path{Past: c.w.past, State: state, Sink: s}, c.w.doubt})
}

// shown is the call as evidence shows it: numbers and the names of things, never a text that could be a secret.
func (c *call) shown() string {
	name := strings.TrimPrefix(c.path, "builtins.")
	if c.what != "" {
		return c.what
	}
	var parts []string
	for _, v := range c.args {
		parts = append(parts, c.shownValue(v, 0))
	}
	for i, v := range c.values {
		parts = append(parts, c.names[i]+"="+c.shownValue(v, 0))
	}
	if len(parts) > 6 {
		parts = append(parts[:6], "...")
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

func (c *call) shownValue(v value, nesting int) string {
	switch v.kind {
	case intKind:
		return decimal(v.num)
	case boolKind:
		return map[bool]string{true: "True", false: "False"}[v.num != 0]
	case noneKind:
		return "None"
	case idKind:
		return v.data.id.String()
	case stringKind:
		if c.watched(v) != 0 {
			return strconv.Quote(v.text)
		}
		return "..."
	case listKind, tupleKind, setKind:
		items := c.w.sequence(v)
		if items.kind != tupleKind || nesting > 1 || len(items.items()) > 8 {
			return "..."
		}
		var parts []string
		for _, x := range items.items() {
			parts = append(parts, c.shownValue(x, nesting+1))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case functionKind:
		return v.data.function.code.Name
	case externalKind:
		if !strings.Contains(v.text, "(") {
			return strings.TrimPrefix(v.text, "builtins.")
		}
	}
	return "..."
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
