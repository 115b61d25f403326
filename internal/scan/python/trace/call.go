package trace

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// call is one call that the program makes.
type call struct {
	f  *frame
	pc int
	w  world // when the call is made

	caller *control // of the frame, for super()

	path   string // of a callee outside the program: "os.setuid"
	what   string // as evidence shows it, if it is no call
	origin Origin
	self   value // the object of a method that is modelled
	sent   value // what a generator is sent; the zero value stands for None
	args   []value
	names  []string // of keyword arguments
	values []value
	open   bool // there may be more arguments than are known
}

// model is what a function outside the program does.
type model func(c *call) []outcome

// ret is the outcome that gives v.
func (c *call) ret(v value) []outcome { return []outcome{{how: returned, val: v, w: c.w}} }

// raise is the outcome that raises an exception of that class.
func (c *call) raise(class string) []outcome {
	return []outcome{{how: raised, val: exception(class), w: c.w}}
}

// mayRaise is the outcomes of a call that gives v or raises an exception of which it is only assumed that it can happen.
func (c *call) mayRaise(v value, class string) []outcome {
	w := c.w
	w.guessed = true
	return append(c.ret(v), outcome{how: raised, val: exception(class), w: w})
}

// arg is the argument at a position or of a name. Of a call with arguments that are not known it is unknown.
func (c *call) arg(i int, name string) (value, bool) {
	if k := slices.Index(c.names, name); k >= 0 && name != "" {
		return c.values[k], true
	}
	if i >= 0 && i < len(c.args) {
		return c.args[i], true
	}
	return unknown, c.open
}

// given is arg without the question whether it is given: unknown if not.
func (c *call) given(i int, name string) value {
	v, _ := c.arg(i, name)
	return v
}

// on is a call like c, at the same place, with other arguments.
func (c *call) on(args ...value) *call {
	return &call{f: c.f, pc: c.pc, w: c.w, caller: c.caller, args: args}
}

func (c *call) place() effect.Place { return c.f.place(c.pc) }

// note adds an effect to the path's history.
func (c *call) note(e effect.Effect) {
	e.Place = c.place()
	if e.Call == "" {
		e.Call = c.shown()
	}
	c.w.past = c.w.past.Add(e)
}

// callInstr does Call and CallEx.
func (r *run) callInstr(c *control, in *ir.Instr) []outcome {
	names := in.Names
	cl := r.call(c)
	if in.Op == ir.Call {
		known := true
		if in.Arg2&ir.NamesOnStack != 0 {
			names, known = texts(c.pop())
		}
		args := c.popn(in.Arg)
		if known && len(names) <= len(args) {
			cl.args, cl.names, cl.values = args[:len(args)-len(names)], names, args[len(args)-len(names):]
		} else {
			cl.open = true
		}
	} else {
		r.starArguments(c, in, cl)
	}
	callee := c.pop()
	if in.Arg2&ir.Pair != 0 {
		switch below := c.pop(); {
		case callee.kind == nullKind:
			callee = below
		case below.kind != nullKind:
			cl.args = append([]value{callee}, cl.args...)
			callee = below
		}
	}
	cl.w = c.w
	return cl.to(callee)
}

func texts(v value) ([]string, bool) {
	var out []string
	for _, x := range v.items() {
		if x.kind != stringKind {
			return nil, false
		}
		out = append(out, x.text)
	}
	return out, v.kind == tupleKind
}

// starArguments takes f(*args, **kwargs) apart.
func (r *run) starArguments(c *control, in *ir.Instr, cl *call) {
	if in.Arg2&ir.Keywords != 0 {
		switch kw := c.pop(); kw.kind {
		case nullKind:
		case dictKind:
			cl.keywords(c.w.content(kw.num))
		default:
			cl.open = true
		}
	}
	args := c.pop()
	if seq := c.w.sequence(args); seq.kind == tupleKind {
		cl.args = seq.items()
	} else {
		cl.open = true
	}
}

func (c *call) keywords(content value) {
	if content.kind != mapKind {
		c.open = true
		return
	}
	pairs := content.items()
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i].kind != stringKind {
			c.open = true
			continue
		}
		c.names, c.values = append(slices.Clip(c.names), pairs[i].text), append(slices.Clip(c.values), pairs[i+1])
	}
}

// to calls a value.
func (c *call) to(callee value) []outcome {
	switch callee.kind {
	case functionKind:
		return c.function(callee.data.function)
	case methodKind:
		self, fn := callee.items()[0], callee.items()[1]
		if fn.kind == externalKind {
			c.self = self
			return c.outside(fn)
		}
		c.args = append([]value{self}, c.args...)
		return c.to(fn)
	case staticKind:
		if callee.text == "static" {
			return c.to(callee.items()[0])
		}
	case partialKind:
		parts := callee.items()
		c.args = append(append([]value(nil), parts[1].items()...), c.args...)
		c.keywords(parts[2])
		return c.to(parts[0])
	case classKind:
		return c.construct(callee)
	case instanceKind:
		if outs, ok := c.special(callee, "__call__", c.args...); ok {
			return outs
		}
		if outs, ok := c.decorates(callee); ok {
			return outs
		}
	case managerKind:
		if outs, ok := c.decorates(callee); ok {
			return outs
		}
	case factoryKind:
		return c.manager(callee)
	case commandKind:
		return c.exits(c.runCommand(callee))
	case exitKind:
		return c.exit(callee, none)
	case externalKind:
		return c.outside(callee)
	case memberKind:
		return c.member(callee.text)
	}
	return c.notKnown()
}

// member calls a method of something that is not known: it may be any function of the program of that name.
func (c *call) member(name string) []outcome {
	if m := c.f.a.reachesAny(name); m.changes || m.runs {
		c.f.a.lose(c.place(), "calls "+name+" of something that is not known")
		c.w.state.Lost = true
	}
	c.bindings(name)
	c.escape()
	return c.mayRaise(unknown, "?")
}

// notKnown is a call of which it isn't known what it calls.
func (c *call) notKnown() []outcome {
	c.doubted()
	c.escape()
	return c.mayRaise(unknown, "?")
}

// doubted notes that something was called that is not known.
func (c *call) doubted() {
	d := &c.w.doubt
	if !d.any {
		d.place = c.place()
	}
	d.any = true
	d.privileged = d.privileged || c.w.state.UID != (effect.IDs{}) && c.w.state.Privileged() != effect.User
}

// callee is the program's function that a callable value comes to, nil if there is none.
func (v value) callee() *function {
	switch v.kind {
	case functionKind:
		return v.data.function
	case methodKind:
		return v.items()[1].callee()
	case partialKind, staticKind, factoryKind, commandKind:
		return v.items()[0].callee()
	}
	return nil
}
