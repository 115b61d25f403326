package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// A machine runs a program of package ir, as far as testdata/run.py needs it, so that
// what the compiler makes of a source can be compared with what CPython does.
type machine struct {
	log     []string
	globals map[string]any
}

// Values are nil, bool, int64, string and these.
type (
	tuple    []any
	listObj  struct{ items []any }
	setObj   struct{ items []any }
	dictObj  struct{ keys, values []any }
	cellObj  struct{ value any }
	unset    struct{}
	builtin  func(m *machine, args []any, kw map[string]any) (any, *object)
	function struct {
		code       *ir.Code
		defaults   tuple
		kwDefaults *dictObj
		closure    tuple
	}
	method struct{ self, fn any }
	class  struct {
		name string
		base *class
		dict map[string]any
	}
	object struct {
		class *class
		dict  map[string]any
	}
	superObj struct {
		class *class
		self  any
	}
	iterObj struct{ next func() (any, bool, *object) }
	frame   struct {
		code    *ir.Code
		locals  map[string]any
		cells   map[string]*cellObj
		stack   []any
		pc      int
		inHand  any
		started bool
	}
	anext struct{ f *frame }
)

var exceptionClasses = func() map[string]*class {
	all := map[string]*class{"BaseException": {name: "BaseException"}}
	add := func(name, base string) { all[name] = &class{name: name, base: all[base]} }
	add("Exception", "BaseException")
	for _, n := range []string{
		"ValueError", "KeyError", "TypeError", "AssertionError", "StopIteration", "StopAsyncIteration", "NameError", "RuntimeError", "AttributeError",
	} {
		add(n, "Exception")
	}
	return all
}()

func raised(name string, args ...any) *object {
	return &object{exceptionClasses[name], map[string]any{"args": tuple(args)}}
}

func (c *class) lookup(name string) (any, bool) {
	for k := c; k != nil; k = k.base {
		if v, ok := k.dict[name]; ok {
			return v, true
		}
	}
	return nil, false
}

func (c *class) isA(other *class) bool {
	for k := c; k != nil; k = k.base {
		if k == other {
			return true
		}
	}
	return false
}

func matches(exc *object, kind any) bool {
	if t, ok := kind.(tuple); ok {
		return slices.ContainsFunc(t, func(k any) bool { return matches(exc, k) })
	}
	return exc.class.isA(kind.(*class))
}

func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case string:
		return v != ""
	case *listObj:
		return len(v.items) > 0
	}
	return true
}

// textOf is what str or repr gives.
func textOf(v any, repr bool) string {
	join := func(items []any) string {
		var out []string
		for _, x := range items {
			out = append(out, textOf(x, true))
		}
		return strings.Join(out, ", ")
	}
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case string:
		if repr {
			return "'" + v + "'"
		}
		return v
	case *listObj:
		return "[" + join(v.items) + "]"
	case *setObj:
		return "{" + join(v.items) + "}"
	case tuple:
		if len(v) == 1 {
			return "(" + join(v) + ",)"
		}
		return "(" + join(v) + ")"
	case *dictObj:
		var out []string
		for i, k := range v.keys {
			out = append(out, textOf(k, true)+": "+textOf(v.values[i], true))
		}
		return "{" + strings.Join(out, ", ") + "}"
	}
	return fmt.Sprint(v)
}

func (d *dictObj) set(k, v any) {
	if i := slices.Index(d.keys, k); i >= 0 {
		d.values[i] = v
		return
	}
	d.keys, d.values = append(d.keys, k), append(d.values, v)
}

func (s *setObj) add(v any) {
	if !slices.Contains(s.items, v) {
		s.items = append(s.items, v)
	}
}

func constantOf(c ir.Const) any {
	switch c.Kind {
	case ir.None:
		return nil
	case ir.Bool:
		return c.Int != 0
	case ir.Int:
		return c.Int
	case ir.Str:
		return c.Text
	case ir.Tuple:
		t := tuple{}
		for _, x := range c.Items {
			t = append(t, constantOf(x))
		}
		return t
	case ir.CodeObject:
		return c.Code
	}
	panic("constant of a kind that is not needed")
}

// iterate makes a function that gives one item after another.
func (m *machine) iterate(v any) *iterObj {
	switch v := v.(type) {
	case *iterObj:
		return v
	case *frame:
		return &iterObj{func() (any, bool, *object) {
			x, yielded, exc := m.run(v, nil)
			return x, yielded, exc
		}}
	case *listObj:
		return items(v.items)
	case *setObj:
		return items(v.items)
	case tuple:
		return items(v)
	case *dictObj:
		return items(v.keys)
	}
	panic(fmt.Sprintf("%T is not iterable", v))
}

func items(list []any) *iterObj {
	i := 0
	return &iterObj{func() (any, bool, *object) {
		if i >= len(list) {
			return nil, false, nil
		}
		i++
		return list[i-1], true, nil
	}}
}

func (m *machine) all(v any) ([]any, *object) {
	var out []any
	for it := m.iterate(v); ; {
		x, ok, exc := it.next()
		if exc != nil || !ok {
			return out, exc
		}
		out = append(out, x)
	}
}

// bind makes the frame of a call.
func (fn *function) bind(args []any, kw map[string]any) *frame {
	c := fn.code
	f := &frame{code: c, locals: map[string]any{}, cells: map[string]*cellObj{}}
	for i, n := range c.Free {
		f.cells[n] = fn.closure[i].(*cellObj)
	}
	named := c.Params[:c.Positional+c.KeywordOnly]
	for i, n := range named {
		if i < c.Positional && i < len(args) {
			f.locals[n] = args[i]
		} else if v, ok := kw[n]; ok {
			f.locals[n] = v
			delete(kw, n)
		} else if k := i - c.Positional + len(fn.defaults); i < c.Positional {
			f.locals[n] = fn.defaults[k]
		} else {
			f.locals[n] = fn.kwDefaults.values[slices.Index(fn.kwDefaults.keys, any(n))]
		}
	}
	rest := c.Params[len(named):]
	if c.VarArgs {
		f.locals[rest[0]] = tuple(args[min(len(args), c.Positional):])
		rest = rest[1:]
	}
	if c.VarKeywords {
		d := &dictObj{}
		for n, v := range kw {
			d.set(n, v)
		}
		f.locals[rest[0]] = d
	}
	for _, n := range c.Cells {
		f.cells[n] = &cellObj{unset{}}
		if v, ok := f.locals[n]; ok {
			f.cells[n].value = v
		}
	}
	return f
}

func (m *machine) call(fn any, args []any, kw map[string]any) (any, *object) {
	switch fn := fn.(type) {
	case builtin:
		return fn(m, args, kw)
	case method:
		return m.call(fn.fn, append([]any{fn.self}, args...), kw)
	case *function:
		f := fn.bind(args, kw)
		if fn.code.Flow != ir.Plain {
			return f, nil
		}
		v, _, exc := m.run(f, nil)
		return v, exc
	case *class:
		o := &object{fn, map[string]any{"args": tuple(args)}}
		if init, ok := fn.lookup("__init__"); ok {
			_, exc := m.call(init, append([]any{o}, args...), kw)
			return o, exc
		}
		return o, nil
	}
	panic(fmt.Sprintf("%T is not callable", fn))
}

func (m *machine) attribute(v any, name string) (any, *object) {
	find := func(c *class, self any) (any, *object) {
		x, ok := c.lookup(name)
		if !ok {
			return nil, raised("AttributeError", name)
		}
		if fn, ok := x.(*function); ok && self != nil {
			return method{self, fn}, nil
		}
		return x, nil
	}
	switch v := v.(type) {
	case *object:
		if x, ok := v.dict[name]; ok {
			return x, nil
		}
		return find(v.class, v)
	case *class:
		return find(v, nil)
	case superObj:
		return find(v.class.base, v.self)
	case *dictObj: // get
		return builtin(func(_ *machine, args []any, _ map[string]any) (any, *object) {
			if i := slices.Index(v.keys, args[0]); i >= 0 {
				return v.values[i], nil
			}
			return args[1], nil
		}), nil
	case *frame: // send
		return builtin(func(m *machine, args []any, _ map[string]any) (any, *object) {
			x, yielded, exc := m.run(v, args[0])
			if exc == nil && !yielded {
				exc = raised("StopIteration")
				exc.dict["value"] = x
			}
			return x, exc
		}), nil
	}
	panic(fmt.Sprintf("%T has no attributes", v))
}
