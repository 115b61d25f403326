package trace

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// frame is one activation of a code object. It does not change while it runs.
type frame struct {
	a     *analysis
	prog  *program
	fn    *function
	file  string
	class int64   // the object whose namespace a class body fills; 0 for a module's
	cells []value // own cells, then free ones
}

// control is where a frame is on one path.
type control struct {
	pc       int
	stack    []value
	locals   []value
	handling value // the exception that is being handled, none if there is none
	w        world
}

// suspended is a frame that waits to be resumed, behind a yield.
type suspended struct {
	f        *frame
	pc       int // of the yield
	stack    []value
	locals   []value
	handling value
	hash     uint64
}

func (c *control) clone() *control {
	n := *c
	n.stack = append(make([]value, 0, cap(c.stack)), c.stack...)
	n.locals = append([]value(nil), c.locals...)
	return &n
}

func (c *control) push(v ...value) { c.stack = append(c.stack, v...) }

func (c *control) pop() value {
	v := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	return v
}

// popn pops n values, in the order in which they were pushed.
func (c *control) popn(n int) []value {
	at := len(c.stack) - n
	out := append([]value(nil), c.stack[at:]...)
	c.stack = c.stack[:at]
	return out
}

// top is the n-th value from the top, 1 for the top itself.
func (c *control) top(n int) *value { return &c.stack[len(c.stack)-n] }

// hash covers all but the world.
func (c *control) hash() uint64 {
	h := mix(uint64(c.pc), c.handling.hash)
	for _, v := range c.stack {
		h = mix(h, v.hash^uint64(v.kind))
	}
	h = mix(h, 0x5eed)
	for _, v := range c.locals {
		h = mix(h, v.hash^uint64(v.kind))
	}
	return h
}

// suspend is the frame as it stands.
func (f *frame) suspend(c *control) *suspended {
	h := mix(c.hash(), uint64(f.prog.id))
	for _, x := range f.cells {
		h = mix(h, x.hash)
	}
	n := c.clone()
	return &suspended{f, n.pc, n.stack, n.locals, n.handling, h}
}

// place is where instruction pc stands.
func (f *frame) place(pc int) effect.Place {
	p := effect.Place{File: f.file, Function: f.fn.code.Name}
	if p.Function == "<module>" {
		p.Function = ""
	}
	if pc < len(f.prog.code.Instrs) {
		p.Line = f.prog.code.Instrs[pc].Line
	}
	return p
}

// site identifies the place of an instruction, for the objects it makes.
func (f *frame) site(pc int) int64 { return f.prog.id<<24 | int64(pc) }

// enter makes the frame of a call: fn's code with its parameters bound to locals.
func (a *analysis) enter(fn *function, file string, bound []value, w world) (*frame, *control) {
	p := a.link(fn.code)
	f := &frame{a: a, prog: p, fn: fn, file: file}
	c := &control{locals: make([]value, len(p.locals)), stack: make([]value, 0, fn.code.MaxStack), handling: none, w: w}
	for i := range c.locals {
		c.locals[i] = absent
	}
	copy(c.locals, bound)
	for i, name := range fn.code.Cells {
		id, ok := c.w.fresh(f.site(1<<20 + i))
		cell := simple(cellKind, id, name)
		f.cells = append(f.cells, cell)
		switch slot, isLocal := p.locals[name]; {
		case !ok:
			c.w.setContent(id, unknown)
		case isLocal && slot < len(fn.code.Params):
			c.w.setContent(id, c.locals[slot])
		default:
			c.w.setContent(id, absent)
		}
	}
	for i := range fn.code.Free {
		if i < len(fn.closure) {
			f.cells = append(f.cells, fn.closure[i])
		} else {
			f.cells = append(f.cells, unknown)
		}
	}
	return f, c
}
