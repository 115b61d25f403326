package trace

func length(c *call) []outcome {
	v := c.given(0, "")
	switch v.kind {
	case stringKind, bytesKind:
		return c.ret(integer(int64(len([]rune(v.text)))))
	case tupleKind, listKind, setKind, dictKind:
		if seq := c.w.sequence(v); seq.kind == tupleKind {
			return c.ret(integer(int64(len(seq.items()))))
		}
	case instanceKind:
		if outs, ok := c.special(v, "__len__"); ok {
			return outs
		}
	}
	return c.ret(unknown)
}

func intCall(c *call) []outcome {
	v := c.given(0, "")
	if n, ok := toInt(v); ok && len(c.args) == 1 {
		return c.ret(n)
	}
	if v.kind == stringKind && len(c.args) == 1 {
		return c.raise("ValueError")
	}
	return c.mayRaise(unknown, "ValueError")
}

func strCall(c *call) []outcome {
	switch v := c.given(0, ""); v.kind {
	case stringKind, secretKind, settingKind, otherKind:
		return c.ret(v)
	case pathKind:
		return c.ret(text(v.text))
	case intKind:
		return c.ret(text(decimal(v.num)))
	case idKind:
		if v.data.id.Known {
			return c.ret(text(decimal(v.data.id.Num)))
		}
	case instanceKind:
		return c.written(v, map[string]string{"builtins.repr": "__repr__", "builtins.format": "__format__"}[c.path])
	}
	return c.ret(c.derived())
}

// written is the text that an object of the program's own is turned into; first is the method that is asked first, if that is not __str__.
func (c *call) written(v value, first string) []outcome {
	for _, name := range []string{first, "__str__", "__repr__"} {
		var args []value
		if name == "__format__" {
			args = []value{text("")}
		}
		if first == "__repr__" && name == "__str__" {
			continue
		}
		if outs, ok := c.special(v, name, args...); ok {
			return outs
		}
	}
	return c.ret(unknown)
}

// writing is a call that writes its arguments as texts.
func writing(c *call) []outcome {
	outs := c.ret(none)
	for _, v := range c.args {
		if v.kind == instanceKind {
			outs = c.after(outs, func(c *call, _ value) []outcome { return c.written(v, "") })
		}
	}
	return c.after(outs, func(c *call, _ value) []outcome { return c.ret(none) })
}

func boolCall(c *call) []outcome { return c.ret(asBool(c.given(0, ""), &c.w)) }

// sequenceCall is list(), tuple(), set() and the like.
func sequenceCall(k kind) model {
	return func(c *call) []outcome {
		from := tuple(nil)
		if len(c.args) > 0 {
			from = c.args[0]
		}
		return c.after(c.drain(from), func(c *call, all value) []outcome {
			if k == tupleKind {
				return c.ret(all)
			}
			return c.ret(c.w.newObject(k, c.f.site(c.pc), all))
		})
	}
}

func reversedCall(c *call) []outcome {
	return c.after(c.drain(c.given(0, "")), func(c *call, all value) []outcome { return c.ret(backwards(all)) })
}

// dictCall is dict(): of a mapping, of pairs, of keywords.
func dictCall(c *call) []outcome {
	content := mapping(nil)
	outs := c.ret(content)
	if len(c.args) > 0 {
		switch from := c.args[0]; {
		case from.named("os.environ"):
			outs = c.ret(c.environCopy())
		case from.kind == dictKind || from.kind == mapKind:
			outs = c.ret(c.w.merged(content, from))
		default:
			outs = c.after(c.drain(from), func(c *call, all value) []outcome { return c.ret(fromPairs(all)) })
		}
	}
	return c.after(outs, func(c *call, content value) []outcome {
		for i, n := range c.names {
			if content.kind == watchedKind {
				content = c.putCopy(content, text(n), c.values[i])
			} else {
				content = put(content, text(n), c.values[i])
			}
		}
		if c.open {
			content = unknown
		}
		return c.ret(c.w.newDict(c.f.site(c.pc), content))
	})
}

func fromPairs(all value) value {
	content := mapping(nil)
	if all.kind != tupleKind {
		return unknown
	}
	for _, p := range all.items() {
		if p.kind != tupleKind || len(p.items()) != 2 {
			return unknown
		}
		content = put(content, p.items()[0], p.items()[1])
	}
	return content
}

// namespaceCall is types.SimpleNamespace: an object with what it is given.
func namespaceCall(c *call) []outcome {
	var pairs []value
	for i, n := range c.names {
		pairs = append(pairs, text(n), c.values[i])
	}
	return c.ret(c.namespace(pairs))
}

// wrapped is staticmethod, classmethod and property.
func wrapped(how string) model {
	return func(c *call) []outcome { return c.ret(holding(staticKind, 0, how, c.given(0, "fget"))) }
}

// boundMethod is types.MethodType.
func boundMethod(c *call) []outcome {
	if fn := c.given(0, ""); fn.callee() != nil && len(c.args) == 2 {
		return c.ret(holding(methodKind, 0, "", c.args[1], fn))
	}
	return c.ret(unknown)
}

func extreme(most bool) model {
	return func(c *call) []outcome {
		items := c.args
		if len(items) == 1 {
			items = c.w.sequence(items[0]).items()
		}
		best := unknown
		for i, v := range items {
			if v.kind != intKind {
				return c.ret(unknown)
			}
			if i == 0 || most == (v.num > best.num) {
				best = v
			}
		}
		return c.ret(best)
	}
}

func fieldCall(c *call) []outcome {
	if v, ok := c.arg(-1, "default_factory"); ok {
		return c.ret(holding(fieldKind, 0, "factory", v))
	}
	if v, ok := c.arg(-1, "default"); ok {
		return c.ret(holding(fieldKind, 0, "default", v))
	}
	return c.ret(unknown)
}
