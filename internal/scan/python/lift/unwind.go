package lift

import (
	"errors"
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// blocks finds the handler of each instruction by following the code with its stack
// of blocks, and writes out.Ranges. It is for Python 3.10 and older.
func (b *body) blocks() error {
	w := &walk{body: b, seen: make([]bool, len(b.out.Instrs)), at: make([]state, len(b.out.Instrs)), levels: map[int]int{}, known: map[block]*block{}}
	w.reach(0, state{})
	for len(w.todo) > 0 && w.err == nil {
		i := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if err := w.step(i); err != nil {
			return fmt.Errorf("instruction %d, line %d: %w", i, b.out.Instrs[i].Line, err)
		}
	}
	for i := range w.at {
		w.cover(i)
	}
	return w.err
}

// A state is what is known where an instruction begins.
type state struct {
	depth  int
	active *block
}

// A walk follows all ways through a code object.
type walk struct {
	*body
	seen   []bool
	at     []state // by instruction
	todo   []int
	levels map[int]int      // depth of the stack below what a handler finds, by its index
	known  map[block]*block // each block once, so that pointers can be compared
	err    error
}

var errBlocks = errors.New("two ways to one place differ in their blocks or values")

func (w *walk) reach(i int, s state) {
	switch {
	case i < 0 || i >= len(w.at):
		w.err = fmt.Errorf("goes on at %d of %d", i, len(w.at))
	case !w.seen[i]:
		w.seen[i], w.at[i] = true, s
		w.todo = append(w.todo, i)
	case w.at[i] != s:
		w.err = errBlocks
	}
}

// step goes from instruction i to where it leads.
func (w *walk) step(i int) error {
	s := w.at[i]
	m, marked := w.marks[i]
	if marked && m.kind == fits {
		level, ok := w.levels[w.place(m.target)]
		if !ok {
			return errors.New("calls a finally block that it is not in")
		}
		if err := w.fit(i, s.depth, level); err != nil {
			return err
		}
	}
	in := &w.out.Instrs[i]
	need, change := in.Effect()
	if s.depth < need {
		return fmt.Errorf("needs %d values, finds %d", need, s.depth)
	}
	if s.active != nil {
		h := s.active.handler
		w.reach(h.Target, state{h.Depth + h.Entry.Slots(), s.active.outer})
	}
	if in.Op.Jumps() {
		w.reach(in.Arg, state{s.depth + in.JumpEffect(), s.active})
	}
	after := state{s.depth + change, s.active}
	switch {
	case in.Op == ir.CallFinally:
		after.depth = s.depth // it has taken its slots away when it comes back
	case in.Op.Ends():
		return w.err
	case marked:
		if err := w.apply(m, &after); err != nil {
			return err
		}
	}
	w.reach(i+1, after)
	return w.err
}

// apply does to the blocks what an instruction does.
func (w *walk) apply(m mark, s *state) error {
	switch m.kind {
	case pushes:
		h := ir.Range{Target: w.place(m.target), Depth: s.depth - m.above, Entry: ir.SixSlots}
		if h.Depth < 0 {
			return errBlocks
		}
		if level, ok := w.levels[h.Target]; ok && level != h.Depth {
			return errBlocks
		}
		w.levels[h.Target] = h.Depth
		s.active = w.block(block{h, s.active})
	case pops:
		if s.active == nil {
			return errors.New("leaves a block that it is not in")
		}
		s.active = s.active.outer
	}
	return nil
}

func (w *walk) block(k block) *block {
	p, ok := w.known[k]
	if !ok {
		p = &k
		w.known[k] = p
	}
	return p
}

// cover adds instruction i to the range of its handler.
func (w *walk) cover(i int) {
	if !w.seen[i] || w.at[i].active == nil {
		return
	}
	h := w.at[i].active.handler
	h.Start, h.End = i, i+1
	if n := len(w.out.Ranges); n > 0 {
		last := &w.out.Ranges[n-1]
		if last.End == i && last.Target == h.Target && last.Depth == h.Depth {
			last.End++
			return
		}
	}
	w.out.Ranges = append(w.out.Ranges, h)
}
