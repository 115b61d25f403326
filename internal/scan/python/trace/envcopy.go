package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/effect"

// environCopy is the content of a dict that is a copy of os.environ: which of the watched variables are in it.
func (c *call) environCopy() value {
	s := c.w.state
	if s.Maybe&s.Mapping != 0 {
		return unknown
	}
	return simple(watchedKind, int64(s.Mapping), "")
}

// environOf is which of the watched variables are in a mapping that serves as an environment.
func (c *call) environOf(v value) (held effect.Variables, known bool) {
	content := v
	switch v.kind {
	case noneKind:
		return c.w.state.Process, true
	case externalKind:
		if v.text == "os.environ" {
			return c.w.state.Mapping, true
		}
		return 0, false
	case dictKind:
		content = c.w.content(v.num)
	}
	switch content.kind {
	case watchedKind:
		return effect.Variables(content.num), true
	case mapKind:
		return c.environOfMap(content)
	}
	return 0, false
}

func (c *call) environOfMap(content value) (held effect.Variables, known bool) {
	pairs, known := content.items(), true
	for i := 0; i < len(pairs); i += 2 {
		k, v := pairs[i], pairs[i+1]
		held |= secretsIn(v)
		switch {
		case c.watched(k) != 0 && v.kind != stringKind:
			held |= c.watched(k)
		case k.vague() && v.vague():
			known = false
		}
	}
	return held, known
}

// environNames is what iterating over os.environ gives: the watched variables that are there, and one name for all others.
func (c *call) environNames(v value) (names value, ok bool) {
	if v.text != "os.environ" || c.w.state.Rebound || c.w.state.Maybe != 0 {
		return unknown, false
	}
	return tuple(c.namesOf(c.w.state.Mapping)), true
}

func (c *call) environNamesAll() []value {
	v, ok := c.environNames(external("os.environ", StandardLibrary))
	if !ok {
		return nil
	}
	return v.items()
}

func (c *call) copyNames(content value) []value { return c.namesOf(effect.Variables(content.num)) }

func (c *call) namesOf(v effect.Variables) []value {
	var watched, names []value
	for i, n := range c.f.a.options.Watched {
		watched = append(watched, text(n))
		if v&(1<<i) != 0 {
			names = append(names, text(n))
		}
	}
	return append(names, holding(otherKind, 0, "", watched...))
}

// pairs is what items() of the environment gives.
func (c *call) pairs(names []value) []outcome {
	if names == nil {
		return c.ret(unknown)
	}
	var all []value
	for _, n := range names {
		v := simple(settingKind, 0, "")
		if w := c.watched(n); w != 0 {
			v = secret(w)
		}
		all = append(all, tuple([]value{n, v}))
	}
	return c.ret(tuple(all))
}

// inWatched says whether a variable is in a copy of the environment.
func inWatched(content, name value, w *world) answer {
	if v := w.a.variable(name); v != 0 {
		return answered(content.num&int64(v) != 0)
	}
	return undecided
}

// putCopy is the content of a copy of the environment with an entry set.
func (c *call) putCopy(content, k, v value) value {
	held := effect.Variables(content.num) | secretsIn(v)
	w := c.watched(k)
	switch {
	case w != 0 && v.kind == stringKind:
		held &^= w
	case w != 0:
		held |= w
	case k.vague() && v.vague():
		return unknown
	}
	return simple(watchedKind, int64(held), "")
}

// fromCopy reads a variable from a copy of the environment.
func (c *call) fromCopy(obj, name, fallback value) []outcome {
	v := c.watched(name)
	content := c.w.content(obj.num)
	switch {
	case v != 0 && content.num&int64(v) != 0:
		c.w.state.Read |= v
		c.note(effect.Effect{Kind: effect.ReadVariable, Variables: v, Note: "from a copy of the environment"})
		return c.ret(secret(v))
	case v == 0 && name.kind == stringKind:
		return c.readOther(name, fallback)
	case v == 0:
		return c.ret(unknown)
	case fallback.kind == absentKind:
		return c.raise("KeyError")
	}
	return c.ret(fallback)
}
