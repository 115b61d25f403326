package trace

// decoratorBases are classes of the standard library whose objects decorate functions: each call of those runs within the object.
var decoratorBases = setOf("contextlib.ContextDecorator", "contextlib.AsyncContextDecorator")

// decorates is an object that decorates a function, if it is one that can.
func (c *call) decorates(m value) ([]outcome, bool) {
	if len(c.args) != 1 || len(c.names) > 0 || c.args[0].callee() == nil {
		return nil, false
	}
	if m.kind == instanceKind {
		base, ok := outsideBase(c.w.classOf(m))
		if !ok || !decoratorBases[base.text] {
			return nil, false
		}
	}
	return c.ret(holding(partialKind, 0, "method", external("contextlib.#within", StandardLibrary), tuple([]value{m, c.args[0]}), mapping(nil))), true
}

// within calls a function in a with block.
func within(c *call) []outcome {
	if len(c.args) < 2 {
		return c.notKnown()
	}
	m, fn := c.args[0], c.args[1]
	rest := *c
	rest.args = c.args[2:]
	g := gather{a: c.f.a}
	for _, entered := range c.enterManager(m) {
		if entered.how != returned {
			g.add(entered)
			continue
		}
		body := rest
		body.w = entered.w
		for _, o := range body.to(fn) {
			for _, left := range c.leave(m, o) {
				g.add(left)
			}
		}
	}
	return g.list
}

// leave ends the with block of m, whose body ended with o.
func (c *call) leave(m value, o outcome) []outcome {
	end := *c
	end.w = o.w
	exc := none
	switch o.how {
	case returned:
	case raised:
		exc = o.val
	default:
		return []outcome{o}
	}
	return end.after(end.exit(holding(exitKind, 0, "", m), exc), func(c *call, swallowed value) []outcome {
		if o.how == returned {
			return c.ret(o.val)
		}
		var outs []outcome
		may, mayNot := truth(swallowed, &c.w)
		if may {
			outs = append(outs, c.ret(none)...)
		}
		if mayNot {
			outs = append(outs, outcome{how: raised, val: exc, w: c.w})
		}
		return outs
	})
}
