package trace

import (
	"math/bits"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// makeFunction makes a function of a code object, or completes one.
func (r *run) makeFunction(c *control, in *ir.Instr) {
	if in.Op == ir.SetFunctionAttribute {
		fn, v := c.pop(), c.pop()
		if fn.kind == functionKind {
			f := *fn.data.function
			r.setFunction(c, &f, in.Arg, v)
			fn = functionValue(r.f.a, &f)
		}
		c.push(fn)
		return
	}
	code := c.pop()
	parts := c.popn(bits.OnesCount(uint(in.Arg & (ir.Defaults | ir.KwDefaults | ir.Annotations | ir.Closure))))
	if code.kind != codeKind {
		c.push(unknown)
		return
	}
	f := &function{code: code.data.code, module: r.f.fn.module, kwdefaults: mapping(nil)}
	for bit := ir.Defaults; bit <= ir.Closure; bit <<= 1 {
		if in.Arg&bit != 0 {
			r.setFunction(c, f, bit, parts[0])
			parts = parts[1:]
		}
	}
	c.push(functionValue(r.f.a, f))
}

func (r *run) setFunction(c *control, f *function, what int, v value) {
	switch what {
	case ir.Defaults:
		f.defaults = v.items()
	case ir.KwDefaults:
		if v.kind == dictKind {
			v = c.w.content(v.num)
		}
		f.kwdefaults = v
	case ir.Closure:
		f.closure = v.items()
	}
}

func functionValue(a *analysis, f *function) value {
	v := simple(functionKind, a.link(f.code).id, f.module)
	for _, list := range [][]value{f.defaults, {f.kwdefaults}, f.closure} {
		v.hash = mix(v.hash, uint64(len(list)))
		for _, x := range list {
			v.hash = mix(v.hash, x.hash)
		}
	}
	v.data = &data{function: f}
	return v
}

// callKey tells calls apart, for those that were followed already.
type callKey struct {
	fn    uint64
	bound uint64
	w     worldKey
}

// function follows a call of one of the program's functions.
func (c *call) function(fn *function) []outcome {
	bound, ok := c.bind(fn)
	if !ok {
		return c.raise("TypeError")
	}
	if fn.code.Flow != ir.Plain {
		return c.suspended(fn, bound)
	}
	return c.body(fn, bound)
}

// body runs a function.
func (c *call) body(fn *function, bound []value) []outcome {
	a := c.f.a
	if a.tooDeep(fn.code) {
		c.cut(fn.code)
		return c.ret(unknown)
	}
	k := callKey{functionValue(a, fn).hash, 0, c.w.key()}
	for _, v := range bound {
		k.bound = mix(k.bound, v.hash^uint64(v.kind))
	}
	if outs, ok := a.memo[k]; ok {
		return slices.Clone(outs) // who gets them may change them
	}
	f, ctl := a.enter(fn, a.fileOf(fn.module), bound, c.w)
	outs := a.nested(f, ctl)
	a.memo[k] = slices.Clone(outs)
	return outs
}

// tooDeep reports whether calls are nested so deeply that one more is not followed.
func (a *analysis) tooDeep(code *ir.Code) bool {
	return a.calls >= maxCalls || a.active[code] >= maxRecursion
}

// cut leaves a call out. That loses track if what it calls may matter.
func (c *call) cut(code *ir.Code) {
	if m := c.f.a.reaches(code); m.changes || m.runs {
		c.f.a.lose(c.place(), "calls are nested too deeply to be followed")
		c.w.state.Lost = true
	}
}

// nested runs a frame within another one.
func (a *analysis) nested(f *frame, ctl *control) []outcome {
	a.calls++
	a.active[f.prog.code]++
	outs := f.explore(ctl)
	a.calls--
	a.active[f.prog.code]--
	return outs
}

// bind gives the values of fn's parameters; ok is false if the arguments don't fit.
func (c *call) bind(fn *function) (bound []value, ok bool) {
	code := fn.code
	bound = make([]value, len(code.Params))
	for i := range bound {
		bound[i] = absent
	}
	n := copy(bound[:code.Positional], c.args)
	named := code.Positional + code.KeywordOnly
	var rest []value // pairs of keywords without a parameter
	for i, name := range c.names {
		slot := indexOf(code.Params[:named], name)
		switch {
		case slot >= code.PosOnly && slot >= n:
			bound[slot] = c.values[i]
		case slot < code.PosOnly && code.VarKeywords:
			rest = append(rest, text(name), c.values[i])
		default:
			return nil, c.open
		}
	}
	for i := range named {
		if bound[i].kind != absentKind {
			continue
		}
		bound[i] = fn.fallback(i)
		if c.open {
			bound[i] = unknown
		}
		if bound[i].kind == absentKind {
			return nil, false
		}
	}
	return c.bindStars(code, bound, n, rest)
}

// fallback is the default of parameter i.
func (fn *function) fallback(i int) value {
	code := fn.code
	if i < code.Positional {
		if d := i - (code.Positional - len(fn.defaults)); d >= 0 && d < len(fn.defaults) {
			return fn.defaults[d]
		}
		return absent
	}
	return lookup(fn.kwdefaults, text(code.Params[i]))
}

func (c *call) bindStars(code *ir.Code, bound []value, used int, rest []value) ([]value, bool) {
	next := code.Positional + code.KeywordOnly
	if code.VarArgs {
		bound[next] = tuple(append([]value(nil), c.args[min(used, len(c.args)):]...))
		if c.open {
			bound[next] = unknown
		}
		next++
	} else if len(c.args) > code.Positional && !c.open {
		return nil, false
	}
	if code.VarKeywords {
		content := mapping(rest)
		if c.open {
			content = unknown
		}
		bound[next] = c.w.newDict(c.f.site(c.pc)^1<<40, content)
	}
	return bound, true
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}
