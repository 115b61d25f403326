package ir

import (
	"errors"
	"fmt"
)

// Bounds of what Validate accepts; CPython's own programs stay far below.
const (
	maxInstrs = 1 << 20 // of one code object
	maxStack  = 1 << 14
	maxNested = 100 // code objects within code objects
)

// Validate checks c and the code objects among its constants, and sets their MaxStack. The error names the code object, the instruction's
// index and the line.
func Validate(c *Code) error { return validate(c, 0) }

func validate(c *Code, nesting int) error {
	if c == nil {
		return errors.New("checking a code object: there is none")
	}
	if nesting > maxNested {
		return fmt.Errorf("checking %s: nested more than %d deep", c.Name, maxNested)
	}
	if len(c.Instrs) == 0 || len(c.Instrs) > maxInstrs {
		return fmt.Errorf("checking %s: %d instructions", c.Name, len(c.Instrs))
	}
	if n := c.Positional + c.KeywordOnly; c.PosOnly < 0 || c.Positional < c.PosOnly || c.KeywordOnly < 0 || n+stars(c) != len(c.Params) {
		return fmt.Errorf("checking %s: parameters don't add up", c.Name)
	}
	d := depths{code: c, at: make([]int32, len(c.Instrs))}
	for i := range d.at {
		d.at[i] = unseen
	}
	if err := d.run(); err != nil {
		return fmt.Errorf("checking %s: %w", c.Name, err)
	}
	c.MaxStack, c.depth = d.max, d.at
	for _, k := range c.Consts {
		if k.Kind != CodeObject {
			continue
		}
		if err := validate(k.Code, nesting+1); err != nil {
			return err
		}
	}
	return nil
}

func stars(c *Code) int {
	n := 0
	if c.VarArgs {
		n++
	}
	if c.VarKeywords {
		n++
	}
	return n
}

const unseen = -1

// depths computes the stack depth before every reachable instruction of one code object.
type depths struct {
	code *Code
	at   []int32
	work []int
	max  int
}

func (d *depths) run() error {
	if err := d.ranges(); err != nil {
		return err
	}
	if err := d.reach(0, 0); err != nil {
		return err
	}
	for len(d.work) > 0 {
		i := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		if err := d.step(i); err != nil {
			return d.where(i, err)
		}
	}
	return nil
}

func (d *depths) where(i int, err error) error {
	return fmt.Errorf("instruction %d (%s, line %d): %w", i, d.code.Instrs[i].Op, d.code.Instrs[i].Line, err)
}

// ranges checks what is true of a code object whatever path it takes: handlers and operands.
func (d *depths) ranges() error {
	n := len(d.code.Instrs)
	for _, r := range d.code.Ranges {
		if r.Start < 0 || r.End > n || r.Target < 0 || r.Target >= n || r.Depth < 0 || r.Entry > SixSlots {
			return fmt.Errorf("handler of [%d, %d) at %d is out of range", r.Start, r.End, r.Target)
		}
	}
	d.code.handler = cover(n, d.code.Ranges)
	for i := range d.code.Instrs { // also those that nothing reaches: who looks for names looks at all
		if err := d.operands(&d.code.Instrs[i]); err != nil {
			return d.where(i, err)
		}
	}
	return nil
}

// cover says for each of n instructions which range is the first that holds it. Each instruction is painted once, however the ranges overlap:
// next[i] leads to the first instruction from i on that is not painted yet.
func cover(n int, ranges []Range) []int32 {
	handler, next := make([]int32, n), make([]int32, n+1)
	for i := range next {
		next[i] = int32(i)
	}
	for i := range handler {
		handler[i] = -1
	}
	free := func(i int32) int32 {
		for next[i] != i {
			next[i] = next[next[i]]
			i = next[i]
		}
		return i
	}
	for k, r := range ranges {
		if r.Start >= n {
			continue
		}
		for i := free(int32(r.Start)); int(i) < r.End; i = free(i) {
			handler[i], next[i] = int32(k), i+1
		}
	}
	return handler
}

// reach notes that instruction i is reached with the given depth.
func (d *depths) reach(i, depth int) error {
	if i < 0 || i >= len(d.at) {
		return fmt.Errorf("goes on at %d of %d", i, len(d.at))
	}
	if depth > maxStack {
		return fmt.Errorf("stack of %d", depth)
	}
	d.max = max(d.max, depth)
	switch d.at[i] {
	case unseen:
		d.at[i] = int32(depth)
		d.work = append(d.work, i)
	case int32(depth):
	default:
		return fmt.Errorf("reaches %d with a stack of %d and of %d", i, d.at[i], depth)
	}
	return nil
}

// step follows instruction i to its successors and to the handler of its exceptions.
func (d *depths) step(i int) error {
	in, depth := &d.code.Instrs[i], int(d.at[i])
	need, change := in.Effect()
	if depth < need {
		return fmt.Errorf("needs %d values, finds %d", need, depth)
	}
	if r := d.code.Handler(i); r != nil {
		if err := d.reach(r.Target, r.Depth+r.Entry.Slots()); err != nil {
			return err
		}
	}
	if in.Op.Jumps() {
		if err := d.reach(in.Arg, depth+in.jumpChange()); err != nil {
			return err
		}
	}
	switch {
	case in.Op == CallFinally: // comes back with the six slots taken away
		return d.reach(i+1, depth)
	case in.Op.Ends():
		return nil
	}
	return d.reach(i+1, depth+change)
}

// operands checks what Effect and an interpreter rely on.
func (d *depths) operands(in *Instr) error {
	switch {
	case in.Op >= opCount:
		return fmt.Errorf("unknown operation %d", in.Op)
	case in.Op == LoadConst && (in.Arg < 0 || in.Arg >= len(d.code.Consts)):
		return fmt.Errorf("constant %d of %d", in.Arg, len(d.code.Consts))
	case in.Arg < 0 && in.Op != Import, in.Arg2 < 0, in.Arg > maxInstrs, in.Arg2 > maxInstrs:
		return fmt.Errorf("operand %d, %d", in.Arg, in.Arg2)
	case (in.Op == Copy || in.Op == Swap || in.Op == Rot || in.Op == ListAppend || in.Op == SetAdd || in.Op == MapAdd || in.Op == ListExtend ||
		in.Op == SetUpdate || in.Op == DictUpdate || in.Op == Reraise || in.Op == EndAsyncFor || in.Op == WithExcept) && in.Arg < 1:
		return fmt.Errorf("operand %d", in.Arg)
	case in.Op == Call && len(in.Names) > in.Arg:
		return fmt.Errorf("%d keywords among %d arguments", len(in.Names), in.Arg)
	}
	return nil
}

// Handler is the range that handles the exceptions of instruction i, nil if none does. The code must have passed Validate.
func (c *Code) Handler(i int) *Range {
	if k := c.handler[i]; k >= 0 {
		return &c.Ranges[k]
	}
	return nil
}

// Depth is the depth of the stack before instruction i, -1 if control never comes there. The code must have passed Validate.
func (c *Code) Depth(i int) int { return int(c.depth[i]) }
