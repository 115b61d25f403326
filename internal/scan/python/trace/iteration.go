package trace

// iterationModels are the functions that work through iterables, and call what they are given for each item.
func iterationModels() map[string]model {
	return map[string]model{
		"builtins.iter": func(c *call) []outcome {
			if len(c.args) == 2 {
				return callsBack(func(c *call) []outcome { return c.ret(unknown) })(c)
			}
			return c.after(c.iterator(c.given(0, "")), func(c *call, it value) []outcome {
				if it.kind != loopKind {
					return c.ret(it)
				}
				return c.ret(c.w.newObject(iteratorKind, c.f.site(c.pc), tuple(it.items())))
			})
		},
		"builtins.aiter": func(c *call) []outcome { return c.iterator(c.given(0, "")) },
		"builtins.next":  nextOf, "builtins.map": mapCall, "builtins.filter": filterCall, "builtins.any": quantifier(yes),
		"builtins.all": quantifier(no), "builtins.enumerate": enumerate, "builtins.zip": zip, "builtins.range": rangeCall,
		"builtins.sum":                     func(c *call) []outcome { return c.after(c.drain(c.given(0, "")), unknownResult) },
		"itertools.chain":                  chain,
		"itertools.chain.from_iterable":    chainAll,
		"collections.deque":                deque,
		"itertools.islice":                 func(c *call) []outcome { return c.after(c.drain(c.given(0, "")), unknownResult) },
		"functools.reduce":                 reduce,
		"contextlib.aclosing().__aenter__": func(c *call) []outcome { return c.ret(unknown) },
		"collections.ChainMap":             func(c *call) []outcome { return c.ret(c.w.newDict(c.f.site(c.pc), unknown)) },
		"operator.itemgetter":              func(c *call) []outcome { return c.ret(unknown) },
		"operator.attrgetter":              func(c *call) []outcome { return c.ret(unknown) },
		"operator.methodcaller":            methodCaller,
	}
}

func unknownResult(c *call, _ value) []outcome { return c.ret(unknown) }

func nextOf(c *call) []outcome {
	it := c.given(0, "")
	outs := append(c.ret(unknown), c.raise("StopIteration")...)
	switch it.kind {
	case generatorKind, instanceKind:
		outs = c.next(it)
	case loopKind: // advances one that is elsewhere too
		return append(c.ret(unknown), c.raise("StopIteration")...)
	case iteratorKind:
		if content := c.w.content(it.num); content.kind == tupleKind {
			if items := content.items(); len(items) > 0 {
				c.w.setContent(it.num, tuple(items[1:]))
				return c.ret(items[0])
			}
			outs = c.raise("StopIteration")
		}
	}
	fallback, ok := c.arg(1, "")
	for i := range outs {
		if ok && outs[i].how == raised && outs[i].val.text == "StopIteration" {
			outs[i].how, outs[i].val = returned, fallback
		}
	}
	return outs
}

// mapCall calls the function for all items at once: what uses the results later sees what it does then.
func mapCall(c *call) []outcome {
	fn := c.given(0, "")
	if len(c.args) != 2 {
		c.escape()
		c.doubted()
		return c.ret(unknown)
	}
	return c.after(c.drain(c.args[1]), func(c *call, all value) []outcome {
		if all.kind != tupleKind {
			return c.after(c.on(unknown).to(fn), unknownResult)
		}
		outs := c.ret(tuple(nil))
		for _, x := range all.items() {
			outs = c.after(outs, func(c *call, sofar value) []outcome {
				return c.after(c.on(x).to(fn), func(c *call, v value) []outcome {
					return c.ret(tuple(append(append([]value(nil), sofar.items()...), v)))
				})
			})
		}
		return c.after(outs, func(c *call, v value) []outcome { return c.ret(c.w.newObject(iteratorKind, c.f.site(c.pc), v)) })
	})
}

func filterCall(c *call) []outcome {
	fn := c.given(0, "")
	return c.after(c.drain(c.given(1, "")), func(c *call, all value) []outcome {
		if all.kind != tupleKind {
			return c.ret(unknown)
		}
		outs := c.ret(tuple(nil))
		for _, x := range all.items() {
			outs = c.after(outs, func(c *call, sofar value) []outcome {
				test := c.ret(x)
				if fn.kind != noneKind {
					test = c.on(x).to(fn)
				}
				return c.after(test, func(c *call, v value) []outcome {
					may, mayNot := truth(v, &c.w)
					var outs []outcome
					if may {
						outs = append(outs, c.ret(tuple(append(append([]value(nil), sofar.items()...), x)))...)
					}
					if mayNot {
						outs = append(outs, c.ret(sofar)...)
					}
					return outs
				})
			})
		}
		return outs
	})
}

// quantifier is any (which ends with the first yes) and all (with the first no).
func quantifier(ends answer) model {
	return func(c *call) []outcome {
		return c.after(c.drain(c.given(0, "")), func(c *call, all value) []outcome {
			if all.kind != tupleKind {
				return c.ret(unknown)
			}
			result := ends.not()
			for _, x := range all.items() {
				may, mayNot := truth(x, &c.w)
				if may != mayNot && may == (ends == yes) {
					return c.ret(boolean(ends == yes))
				}
				if may && mayNot {
					result = undecided
				}
			}
			return c.ret(asAnswer(result))
		})
	}
}

func enumerate(c *call) []outcome {
	return c.after(c.drain(c.given(0, "")), func(c *call, all value) []outcome {
		if all.kind != tupleKind {
			return c.ret(unknown)
		}
		var out []value
		for i, x := range all.items() {
			out = append(out, tuple([]value{integer(int64(i)), x}))
		}
		return c.ret(tuple(out))
	})
}

func zip(c *call) []outcome {
	outs := c.ret(tuple(nil))
	for _, v := range c.args {
		outs = c.after(outs, func(c *call, lists value) []outcome {
			return c.after(c.drain(v), func(c *call, all value) []outcome {
				return c.ret(tuple(append(append([]value(nil), lists.items()...), all)))
			})
		})
	}
	return c.after(outs, func(c *call, lists value) []outcome { return c.ret(zipAll(lists.items())) })
}

func zipAll(lists []value) value {
	n := maxItems
	for _, l := range lists {
		if l.kind != tupleKind {
			return unknown
		}
		n = min(n, len(l.items()))
	}
	if len(lists) == 0 {
		return tuple(nil)
	}
	var out []value
	for i := range n {
		var row []value
		for _, l := range lists {
			row = append(row, l.items()[i])
		}
		out = append(out, tuple(row))
	}
	return tuple(out)
}

func rangeCall(c *call) []outcome {
	lo, hi := int64(0), c.given(0, "")
	if len(c.args) == 2 && c.args[0].kind == intKind {
		lo, hi = c.args[0].num, c.args[1]
	}
	if hi.kind != intKind || len(c.args) > 2 || hi.num-lo > maxItems || lo > hi.num || lo < -1<<30 {
		return c.ret(unknown)
	}
	out := []value{}
	for i := lo; i < hi.num; i++ {
		out = append(out, integer(i))
	}
	return c.ret(tuple(out))
}

func chain(c *call) []outcome { return c.ret(c.concatenated(c.args)) }

func chainAll(c *call) []outcome { return c.ret(c.concatenated(c.w.sequence(c.given(0, "")).items())) }

func (c *call) concatenated(lists []value) value {
	var out []value
	for _, v := range lists {
		seq := c.w.sequence(v)
		if seq.kind != tupleKind {
			return unknown
		}
		out = append(out, seq.items()...)
	}
	return tuple(out)
}

// deque(iterable, maxlen=0) is how some run an iterator for what it does.
func deque(c *call) []outcome {
	from, ok := c.arg(0, "iterable")
	if !ok {
		from = tuple(nil)
	}
	return c.after(c.drain(from), func(c *call, all value) []outcome { return c.ret(c.w.newList(c.f.site(c.pc), all)) })
}

func reduce(c *call) []outcome {
	fn := c.given(0, "")
	return c.after(c.drain(c.given(1, "")), func(c *call, all value) []outcome {
		items := all.items()
		if all.kind != tupleKind || len(items) == 0 {
			return c.after(c.on(unknown, unknown).to(fn), unknownResult)
		}
		outs := c.ret(items[0])
		if first, ok := c.arg(2, ""); ok {
			outs = c.ret(first)
		} else {
			items = items[1:]
		}
		for _, x := range items {
			outs = c.after(outs, func(c *call, sofar value) []outcome { return c.on(sofar, x).to(fn) })
		}
		return outs
	})
}

// methodCaller is operator.methodcaller with a name that is known: it is not followed, but what it may call is seen.
func methodCaller(c *call) []outcome {
	c.doubted()
	return c.ret(unknown)
}
