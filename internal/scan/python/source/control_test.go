package source

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// control executes calls, loops, contexts and exceptions.
func (m *machine) control(f *frame, in ir.Instr) *object {
	switch in.Op {
	case ir.MakeFunction:
		m.makeFunction(f, in.Arg)
	case ir.Call:
		args := f.popn(in.Arg)
		kw := map[string]any{}
		for i, n := range in.Names {
			kw[n] = args[len(args)-len(in.Names)+i]
		}
		return m.push(f, f.pop(), args[:len(args)-len(in.Names)], kw)
	case ir.CallEx:
		kw := map[string]any{}
		if in.Arg2&ir.Keywords != 0 {
			d := f.pop().(*dictObj)
			for i, k := range d.keys {
				kw[k.(string)] = d.values[i]
			}
		}
		args := f.pop().(tuple)
		return m.push(f, f.pop(), args, kw)
	case ir.LoadBuildClass:
		f.push(builtin(buildClass))
	case ir.GetIter:
		f.push(m.iterate(f.pop()))
	case ir.ForIter:
		v, ok, exc := f.top(1).(*iterObj).next()
		if exc != nil {
			return exc
		}
		if !ok {
			f.pop()
			f.pc = in.Arg
			return nil
		}
		f.push(v)
	case ir.GetAIter:
	case ir.GetANext:
		f.push(anext{f.top(1).(*frame)})
	case ir.Await:
		return m.await(f)
	case ir.EndAsyncFor:
		exc := f.top(1).(*object)
		f.popn(in.Arg)
		if !exc.class.isA(exceptionClasses["StopAsyncIteration"]) {
			return exc
		}
	case ir.With, ir.WithExcept:
		return m.context(f, in)
	default:
		return m.exception(f, in)
	}
	return nil
}

func (m *machine) push(f *frame, fn any, args []any, kw map[string]any) *object {
	v, exc := m.call(fn, args, kw)
	f.push(v)
	return exc
}

func (m *machine) makeFunction(f *frame, bits int) {
	fn := &function{code: f.pop().(*ir.Code)}
	if bits&ir.Closure != 0 {
		fn.closure = f.pop().(tuple)
	}
	if bits&ir.KwDefaults != 0 {
		fn.kwDefaults = f.pop().(*dictObj)
	}
	if bits&ir.Defaults != 0 {
		fn.defaults = f.pop().(tuple)
	}
	f.push(fn)
}

func buildClass(m *machine, args []any, _ map[string]any) (any, *object) {
	c := &class{name: args[1].(string)}
	if len(args) > 2 {
		c.base = args[2].(*class)
	}
	f := args[0].(*function).bind(nil, nil)
	cell, _, exc := m.run(f, nil)
	c.dict = f.locals
	if cell, ok := cell.(*cellObj); ok {
		cell.value = c
	}
	return c, exc
}

func (m *machine) await(f *frame) *object {
	switch v := f.pop().(type) {
	case anext:
		x, yielded, exc := m.run(v.f, nil)
		f.push(x)
		if exc == nil && !yielded {
			exc = raised("StopAsyncIteration")
		}
		return exc
	case *frame:
		x, _, exc := m.run(v, nil)
		f.push(x)
		return exc
	default:
		panic(fmt.Sprintf("%T is not awaitable", v))
	}
}

func (m *machine) context(f *frame, in ir.Instr) *object {
	if in.Op == ir.WithExcept {
		exc := f.top(1).(*object)
		return m.push(f, f.top(in.Arg), []any{exc.class, exc, nil}, nil)
	}
	o := f.pop()
	prefix := map[int]string{0: "__", 1: "__a"}[in.Arg]
	exit, exc := m.attribute(o, prefix+"exit__")
	if exc != nil {
		return exc
	}
	enter, exc := m.attribute(o, prefix+"enter__")
	if exc != nil {
		return exc
	}
	f.push(exit)
	return m.push(f, enter, nil, nil)
}

func (m *machine) exception(f *frame, in ir.Instr) *object {
	switch in.Op {
	case ir.Raise:
		if in.Arg == 0 {
			if exc, ok := f.inHand.(*object); ok {
				return exc
			}
			return raised("RuntimeError")
		}
		v := f.popn(in.Arg)[0]
		if c, ok := v.(*class); ok {
			o, _ := m.call(c, nil, nil)
			return o.(*object)
		}
		return v.(*object)
	case ir.Reraise:
		return f.popn(in.Arg)[in.Arg-1].(*object)
	case ir.PushExcInfo:
		exc := f.pop()
		f.push(f.inHand)
		f.push(exc)
		f.inHand = exc
	case ir.PopExcept:
		f.inHand = f.popn(in.Arg)[0]
	case ir.MatchException:
		kind := f.pop()
		f.push(matches(f.top(1).(*object), kind))
	default:
		panic("operation " + in.Op.String() + " is not needed")
	}
	return nil
}
