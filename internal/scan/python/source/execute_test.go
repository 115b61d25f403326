package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// TestProgramsDoWhatCPythonDoes runs a program and compares what it logs with what it
// logs under CPython.
func TestProgramsDoWhatCPythonDoes(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "run.py"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "run.golden"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile("run.py", data, Options{Limits: DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{globals: map[string]any{"__name__": "run"}}
	f := (&function{code: p.Code}).bind(nil, nil)
	f.locals = m.globals
	if _, _, exc := m.run(f, nil); exc != nil {
		t.Errorf("raises %s %v", exc.class.name, exc.dict["args"])
	}
	lines := strings.Split(strings.TrimSpace(string(want)), "\n")
	for i, w := range lines {
		if i >= len(m.log) || m.log[i] != w {
			t.Fatalf("line %d of the log: got %q, want %q", i+1, m.log[i:min(i+1, len(m.log))], w)
		}
	}
	if len(m.log) != len(lines) {
		t.Errorf("logs %d lines, want %d", len(m.log), len(lines))
	}
}

// builtins are those that testdata/run.py uses.
var builtins = map[string]any{
	"log": builtin(func(m *machine, args []any, _ map[string]any) (any, *object) {
		var words []string
		for _, a := range args {
			words = append(words, textOf(a, false))
		}
		m.log = append(m.log, strings.Join(words, " "))
		return nil, nil
	}),
}

// run executes a frame from where it stands: until it returns, raises or yields.
func (m *machine) run(f *frame, sent any) (v any, yielded bool, exc *object) {
	if f.started {
		f.push(sent)
	}
	f.started = true
	for f.pc < len(f.code.Instrs) {
		at := f.pc
		if got, want := len(f.stack), f.code.Depth(at); got != want {
			panic(fmt.Sprintf("line %d: stack of %d, want %d", f.code.Instrs[at].Line, got, want))
		}
		f.pc++
		in := f.code.Instrs[at]
		switch in.Op {
		case ir.Return:
			v = f.pop()
			f.pc = len(f.code.Instrs)
			return v, false, nil
		case ir.Yield:
			return f.pop(), true, nil
		case ir.YieldFrom:
			x, more, exc := f.top(1).(*iterObj).next()
			if exc == nil && more {
				f.pc = at
				f.started = false // what is sent is not passed on
				return x, true, nil
			}
			f.pop()
			f.push(x)
			if exc == nil {
				continue
			}
		}
		if exc := m.step(f, in); exc != nil {
			r := f.code.Handler(at)
			if r == nil {
				return nil, false, exc
			}
			f.stack = f.stack[:r.Depth]
			if r.Entry == ir.OffsetException {
				f.push(int64(at))
			}
			f.push(exc)
			f.pc = r.Target
		}
	}
	return nil, false, nil
}

func (f *frame) push(v any) { f.stack = append(f.stack, v) }

func (f *frame) pop() any {
	v := f.stack[len(f.stack)-1]
	f.stack = f.stack[:len(f.stack)-1]
	return v
}

// popn pops n values, in the order in which they were pushed.
func (f *frame) popn(n int) []any {
	i := len(f.stack) - n
	list := append([]any{}, f.stack[i:]...)
	f.stack = f.stack[:i]
	return list
}

func (f *frame) top(n int) any { return f.stack[len(f.stack)-n] }

func (m *machine) step(f *frame, in ir.Instr) *object {
	switch in.Op {
	case ir.Pop:
		f.pop()
	case ir.Copy:
		f.push(f.top(in.Arg))
	case ir.Swap:
		i, j := len(f.stack)-1, len(f.stack)-in.Arg
		f.stack[i], f.stack[j] = f.stack[j], f.stack[i]
	case ir.Rot:
		i, v := len(f.stack)-in.Arg, f.top(1)
		copy(f.stack[i+1:], f.stack[i:])
		f.stack[i] = v
	case ir.LoadConst:
		f.push(constantOf(f.code.Consts[in.Arg]))
	case ir.Jump:
		f.pc = in.Arg
	case ir.JumpIfTrue, ir.JumpIfFalse:
		if truthy(f.pop()) == (in.Op == ir.JumpIfTrue) {
			f.pc = in.Arg
		}
	case ir.JumpTrueOrPop, ir.JumpFalseOrPop:
		if truthy(f.top(1)) == (in.Op == ir.JumpTrueOrPop) {
			f.pc = in.Arg
		} else {
			f.pop()
		}
	case ir.Unary: // "not"; what it says otherwise is folded
		f.push(!truthy(f.pop()))
	case ir.Binary, ir.Compare:
		y, x := f.pop(), f.pop()
		f.push(operate(in.Name, x, y))
	case ir.Format:
		f.push(textOf(f.popn(in.Arg)[0], false))
	case ir.BuildString:
		s := ""
		for _, x := range f.popn(in.Arg) {
			s += x.(string)
		}
		f.push(s)
	default:
		return m.variable(f, in)
	}
	return nil
}

func operate(op string, x, y any) any {
	switch op {
	case "is", "==":
		return x == y
	case "!=", "is not":
		return x != y
	}
	switch x := x.(type) {
	case string:
		return x + y.(string)
	case int64:
		y := y.(int64)
		switch op {
		case "+":
			return x + y
		case "*":
			return x * y
		case "<":
			return x < y
		case ">":
			return x > y
		}
	}
	panic("operator " + op + " is not needed")
}

// variable executes what reads and writes names and attributes.
func (m *machine) variable(f *frame, in ir.Instr) *object {
	space := f.locals
	switch in.Op {
	case ir.LoadGlobal, ir.StoreGlobal, ir.DeleteGlobal:
		space = m.globals
	}
	switch in.Op {
	case ir.LoadLocal, ir.LoadName, ir.LoadGlobal, ir.LoadBuiltin:
		for _, names := range []map[string]any{space, m.globals, builtins} {
			if v, ok := names[in.Name]; ok {
				f.push(v)
				return nil
			}
		}
		return m.loadSpecial(f, in.Name)
	case ir.StoreLocal, ir.StoreName, ir.StoreGlobal:
		space[in.Name] = f.pop()
	case ir.DeleteLocal, ir.DeleteName, ir.DeleteGlobal:
		delete(space, in.Name)
	case ir.LoadCell:
		f.push(f.cells[in.Name].value)
	case ir.LoadClassCell:
		if v, ok := f.locals[in.Name]; ok {
			f.push(v)
		} else {
			f.push(f.cells[in.Name].value)
		}
	case ir.StoreCell:
		f.cells[in.Name].value = f.pop()
	case ir.DeleteCell:
		f.cells[in.Name].value = unset{}
	case ir.LoadClosure:
		f.push(f.cells[in.Name])
	case ir.LoadAttr:
		v, exc := m.attribute(f.pop(), in.Name)
		f.push(v)
		return exc
	case ir.StoreAttr:
		o, v := f.pop(), f.pop()
		o.(*object).dict[in.Name] = v
	default:
		return m.collect(f, in)
	}
	return nil
}

// loadSpecial pushes an exception class or super.
func (m *machine) loadSpecial(f *frame, name string) *object {
	if c := exceptionClasses[name]; c != nil {
		f.push(c)
		return nil
	}
	if name == "super" {
		f.push(builtin(func(*machine, []any, map[string]any) (any, *object) {
			return superObj{f.cells[classVariable].value.(*class), f.locals[f.code.Params[0]]}, nil
		}))
		return nil
	}
	return raised("NameError", name)
}

// collect executes what builds and takes apart collections.
func (m *machine) collect(f *frame, in ir.Instr) *object {
	switch in.Op {
	case ir.BuildTuple:
		f.push(tuple(f.popn(in.Arg)))
	case ir.BuildList:
		f.push(&listObj{f.popn(in.Arg)})
	case ir.BuildSet:
		f.push(&setObj{f.popn(in.Arg)})
	case ir.BuildMap:
		d, kv := &dictObj{}, f.popn(2*in.Arg)
		for i := 0; i < len(kv); i += 2 {
			d.set(kv[i], kv[i+1])
		}
		f.push(d)
	case ir.ListAppend:
		v := f.pop()
		l := f.top(in.Arg).(*listObj)
		l.items = append(l.items, v)
	case ir.SetAdd:
		v := f.pop()
		f.top(in.Arg).(*setObj).add(v)
	case ir.MapAdd:
		v, k := f.pop(), f.pop()
		f.top(in.Arg).(*dictObj).set(k, v)
	case ir.ListExtend:
		more, exc := m.all(f.pop())
		l := f.top(in.Arg).(*listObj)
		l.items = append(l.items, more...)
		return exc
	case ir.DictUpdate:
		d := f.pop().(*dictObj)
		for i, k := range d.keys {
			f.top(in.Arg).(*dictObj).set(k, d.values[i])
		}
	case ir.ListToTuple:
		f.push(tuple(f.pop().(*listObj).items))
	case ir.Unpack, ir.UnpackEx:
		list, exc := m.all(f.pop())
		if in.Op == ir.UnpackEx {
			rest := &listObj{list[in.Arg : len(list)-in.Arg2]}
			list = append(append(append([]any{}, list[:in.Arg]...), rest), list[len(list)-in.Arg2:]...)
		}
		for i := len(list) - 1; i >= 0; i-- {
			f.push(list[i])
		}
		return exc
	case ir.LoadItem:
		k, o := f.pop(), f.pop()
		if t, ok := o.(tuple); ok {
			o = &listObj{t}
		}
		f.push(o.(*listObj).items[k.(int64)])
	case ir.StoreItem:
		k, o, v := f.pop(), f.pop(), f.pop()
		o.(*listObj).items[k.(int64)] = v
	case ir.DeleteItem:
		k, o := f.pop().(int64), f.pop().(*listObj)
		o.items = append(o.items[:k:k], o.items[k+1:]...)
	default:
		return m.control(f, in)
	}
	return nil
}
