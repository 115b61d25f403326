package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/effect"

// listMethods are the methods of list, set and tuple.
func listMethods() map[string]model {
	add := func(c *call) []outcome {
		c.w.extend(c.self, tuple([]value{c.given(0, "")}))
		return c.ret(none)
	}
	addAll := func(c *call) []outcome {
		list := c.self
		return c.after(c.drain(c.given(0, "")), func(c *call, all value) []outcome {
			c.w.extend(list, all)
			return c.ret(none)
		})
	}
	copied := func(c *call) []outcome {
		return c.ret(c.w.newObject(c.self.kind, c.f.site(c.pc), c.w.content(c.self.num)))
	}
	return map[string]model{
		"list.append": add, "set.add": add, "list.extend": addAll, "set.update": addAll, "list.copy": copied, "set.copy": copied,
		"list.insert": func(c *call) []outcome { c.insert(c.given(1, "")); return c.ret(none) },
		"list.pop":    popList, "set.pop": func(c *call) []outcome { c.w.setContent(c.self.num, unknown); return c.ret(unknown) },
		"list.clear": emptied, "set.clear": emptied,
		"list.remove": forgets, "list.sort": callsBack(forgets), "list.reverse": reversed, "set.discard": forgets, "set.remove": forgets,
		"set.difference": setDifference,
	}
}

// insert puts a value first; where else it was to go does not matter.
func (c *call) insert(v value) {
	have := c.w.content(c.self.num)
	if have.kind == tupleKind {
		have = tuple(append([]value{v}, have.items()...))
	}
	c.w.setContent(c.self.num, have)
}

func popList(c *call) []outcome {
	have, at := c.w.content(c.self.num), integer(-1)
	if len(c.args) > 0 {
		at = c.args[0]
	}
	items := have.items()
	if have.kind != tupleKind || at.kind != intKind || at.num != -1 && at.num != 0 {
		c.w.setContent(c.self.num, unknown)
		return c.mayRaise(unknown, "IndexError")
	}
	if len(items) == 0 {
		return c.raise("IndexError")
	}
	if at.num == 0 {
		c.w.setContent(c.self.num, tuple(items[1:]))
		return c.ret(items[0])
	}
	c.w.setContent(c.self.num, tuple(items[:len(items)-1]))
	return c.ret(items[len(items)-1])
}

func emptied(c *call) []outcome {
	c.w.setContent(c.self.num, tuple(nil))
	return c.ret(none)
}

func forgets(c *call) []outcome {
	c.w.setContent(c.self.num, unknown)
	return c.ret(none)
}

func reversed(c *call) []outcome {
	c.w.setContent(c.self.num, backwards(c.w.content(c.self.num)))
	return c.ret(none)
}

func backwards(v value) value {
	if v.kind != tupleKind {
		return unknown
	}
	items := v.items()
	out := make([]value, len(items))
	for i, x := range items {
		out[len(items)-1-i] = x
	}
	return tuple(out)
}

func setDifference(c *call) []outcome {
	return c.ret(c.w.subtract(c.w.sequence(c.self), c.w.sequence(c.given(0, "")), c.f.site(c.pc)))
}

// subtract is the set of what is in the one and not in the other. Of names of other variables some are taken to be left.
func (w *world) subtract(have, other value, site int64) value {
	if have.kind != tupleKind || other.kind != tupleKind {
		return unknown
	}
	var left []value
	for _, x := range have.items() {
		switch among(other.items(), x, 1) {
		case no:
			left = append(left, x)
		case undecided:
			if x.kind != otherKind {
				return unknown
			}
			left = append(left, x)
		}
	}
	return w.newObject(setKind, site, tuple(left))
}

// dictMethods are the methods of dict, of which some may be copies of the environment.
func dictMethods() map[string]model {
	return map[string]model{
		"dict.get": func(c *call) []outcome { return c.lookUp(none) },
		"dict.pop": popDict, "dict.setdefault": setDefault,
		"dict.__getitem__": func(c *call) []outcome { return c.item(c.self, c.given(0, "")) },
		"dict.__delitem__": func(c *call) []outcome { return c.deleteItem(c.self, c.given(0, "")) },
		"dict.keys":        func(c *call) []outcome { return c.view(0) },
		"dict.values":      func(c *call) []outcome { return c.view(1) },
		"dict.items":       func(c *call) []outcome { return c.view(2) },
		"dict.copy": func(c *call) []outcome {
			return c.ret(c.w.newDict(c.f.site(c.pc), c.w.content(c.self.num)))
		},
		"dict.clear": func(c *call) []outcome {
			if content := c.w.content(c.self.num); content.kind == watchedKind {
				c.note(effect.Effect{Kind: effect.KeepVariable, Variables: effect.Variables(content.num), Note: "only a copy of the environment loses them"})
			}
			c.w.setContent(c.self.num, mapping(nil))
			return c.ret(none)
		},
		"dict.update": func(c *call) []outcome {
			content := c.w.content(c.self.num)
			if from, ok := c.arg(0, ""); ok {
				if from.named("os.environ") {
					content = c.environCopy()
				} else {
					content = c.w.merged(content, from)
				}
			}
			for i, n := range c.names {
				if content.kind == watchedKind {
					content = c.putCopy(content, text(n), c.values[i])
				} else {
					content = put(content, text(n), c.values[i])
				}
			}
			c.w.setContent(c.self.num, content)
			return c.ret(none)
		},
		"dict.popitem": func(c *call) []outcome { c.w.setContent(c.self.num, unknown); return c.ret(unknown) },
	}
}

// lookUp is d.get(key, fallback), d.pop without removing.
func (c *call) lookUp(fallback value) []outcome {
	k := c.given(0, "")
	if v, ok := c.arg(1, "default"); ok {
		fallback = v
	}
	content := c.w.content(c.self.num)
	if content.kind == watchedKind {
		return c.fromCopy(c.self, k, fallback)
	}
	switch v := lookup(content, k); {
	case v.kind != absentKind && (v.kind != unknownKind || content.kind != mapKind):
		return c.ret(v)
	case v.kind == unknownKind:
		outs := c.alternatives(content, false)
		if fallback.kind == absentKind {
			return append(outs, c.raise("KeyError")...)
		}
		return append(outs, c.ret(fallback)...)
	case fallback.kind == absentKind:
		return c.raise("KeyError")
	}
	return c.ret(fallback)
}

func popDict(c *call) []outcome {
	k, self := c.given(0, ""), c.self
	outs := c.lookUp(absent)
	content := c.w.content(self.num)
	for i := range outs {
		if outs[i].how != returned {
			continue
		}
		if content.kind == watchedKind {
			if v := c.watched(k); v != 0 && content.num&int64(v) != 0 {
				outs[i].w.setContent(self.num, simple(watchedKind, content.num&^int64(v), ""))
				e := effect.Effect{Kind: effect.KeepVariable, Call: "pop", Place: c.place(), Variables: v, Note: "only a copy of the environment loses it"}
				outs[i].w.past = outs[i].w.past.Add(e)
			}
			continue
		}
		outs[i].w.setContent(self.num, without(content, k))
	}
	return outs
}

func setDefault(c *call) []outcome {
	k := c.given(0, "")
	fallback, ok := c.arg(1, "default")
	if !ok {
		fallback = none
	}
	content := c.w.content(c.self.num)
	if lookup(content, k).kind == absentKind {
		c.w.setContent(c.self.num, put(content, k, fallback))
		return c.ret(fallback)
	}
	return c.lookUp(fallback)
}

// view is what keys (0), values (1) or items (2) of a dict give.
func (c *call) view(which int) []outcome {
	content := c.w.content(c.self.num)
	switch {
	case content.kind == watchedKind && which == 2:
		return c.pairs(c.copyNames(content))
	case content.kind == watchedKind && which == 0:
		return c.ret(tuple(c.copyNames(content)))
	case content.kind != mapKind:
		return c.ret(unknown)
	}
	pairs := content.items()
	var out []value
	for i := 0; i < len(pairs); i += 2 {
		switch which {
		case 0:
			out = append(out, pairs[i])
		case 1:
			out = append(out, pairs[i+1])
		default:
			out = append(out, tuple(pairs[i:i+2:i+2]))
		}
	}
	return c.ret(tuple(out))
}

// generatorMethods are the methods of generators and coroutines.
func generatorMethods() map[string]model {
	resume := func(c *call) []outcome {
		c.sent = c.given(0, "")
		return c.next(c.self)
	}
	return map[string]model{
		"generator.send": resume, "generator.asend": resume,
		"generator.__next__": func(c *call) []outcome { return c.next(c.self) }, "generator.__anext__": func(c *call) []outcome { return c.next(c.self) },
		"generator.close":    func(c *call) []outcome { return c.ret(none) },
		"generator.throw":    func(c *call) []outcome { return c.resume(c.self, c.w.thrown(c.given(0, ""))) },
		"iterator.__next__":  func(c *call) []outcome { return nextOf(c.on(c.self)) },
		"generator.__iter__": func(c *call) []outcome { return c.ret(c.self) },
	}
}
