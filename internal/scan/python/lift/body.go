package lift

import (
	"fmt"
	"slices"
	"sort"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// A body is the instructions of one code object while they are translated.
type body struct {
	code    *pyc.Code
	version pyc.Version
	out     *ir.Code
	instrs  []pyc.Instruction
	i       int // of the instruction that is being translated
	line    int // its line

	places   []place      // where each instruction begins, by rising offset
	jumps    []int        // indices of out.Instrs whose Arg is still an offset
	marks    map[int]mark // what instructions do to the block stack, by index of out.Instrs; up to Python 3.10
	slots    map[int]slot // variables that a comprehension borrows, by number
	closures map[int]bool // instructions that load cells for a closure, by index; since Python 3.13
	joined   map[int]bool // offsets of instructions that were translated together with what stands before
	keywords []string     // of the next call (KW_NAMES)

	keywordsOf map[int][]string // tuples of names, by index of out.Consts
	numbers    map[int64]int    // indices of constants that instructions hold in themselves
	none       int              // index of the None that is added; negative if none is

	waits []wait
	left  *Limits
	err   error
}

// A place says which translation begins where.
type place struct {
	offset int // of an instruction with its prefixes
	index  int // of out.Instrs
}

func newBody(c *pyc.Code, out *ir.Code, left *Limits) *body {
	b := &body{
		code: c, version: c.Version, out: out, instrs: c.Instructions(), none: -1, left: left,
		marks: map[int]mark{}, joined: map[int]bool{}, keywordsOf: map[int][]string{}, numbers: map[int64]int{},
	}
	b.closures = b.closureLoads()
	b.slots = b.borrowed()
	return b
}

func (b *body) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("instruction at %d: %w", b.instrs[b.i].Offset, fmt.Errorf(format, args...))
	}
}

// translate writes out.Instrs and out.Ranges.
func (b *body) translate() {
	if b.err = b.startsAsFlowSays(); b.err != nil {
		return
	}
	lines := b.code.Lines()
	for b.i = 0; b.i < len(b.instrs) && b.err == nil; b.i++ {
		in := b.instrs[b.i]
		for len(lines) > 0 && lines[0].End <= in.Offset {
			lines = lines[1:]
		}
		if b.line = 0; len(lines) > 0 && lines[0].Start <= in.Offset {
			b.line = max(lines[0].Line, 0)
		}
		b.places = append(b.places, place{in.Start, len(b.out.Instrs)})
		lookup(in.Name)(b, in)
	}
	if b.err != nil {
		return
	}
	for _, j := range b.jumps {
		b.out.Instrs[j].Arg = b.place(b.out.Instrs[j].Arg)
	}
	if b.version < 11 {
		b.err = b.blocks()
	} else {
		b.ranges()
	}
}

// emit adds an instruction.
func (b *body) emit(in ir.Instr) {
	if b.left.Instructions--; b.left.Instructions < 0 {
		b.fail("%w", ErrLimit)
		return
	}
	in.Line = b.line
	b.out.Instrs = append(b.out.Instrs, in)
}

// jump adds an instruction that jumps to an offset.
func (b *body) jump(op ir.Op, offset int) {
	b.jumps = append(b.jumps, len(b.out.Instrs))
	b.emit(ir.Instr{Op: op, Arg: offset})
}

// place returns the index of the translation of what stands at an offset; -1, which
// is in no code, if nothing may go on there.
func (b *body) place(offset int) int {
	if b.joined[offset] {
		return -1
	}
	return b.index(offset)
}

// index returns how many instructions translate what stands before an offset; -1 if no
// instruction begins there.
func (b *body) index(offset int) int {
	if offset == len(b.code.Bytecode)&^1 {
		return len(b.out.Instrs)
	}
	i, found := sort.Find(len(b.places), func(i int) int { return offset - b.places[i].offset })
	if !found {
		return -1
	}
	return b.places[i].index
}

// at returns the index of the instruction at an offset, -1 if there is none.
func (b *body) at(offset int) int {
	i, found := slices.BinarySearchFunc(b.instrs, offset, func(in pyc.Instruction, o int) int { return in.Start - o })
	if !found {
		return -1
	}
	return i
}

// next returns the instruction n behind the one that is being translated, with an
// empty name if there is none.
func (b *body) next(n int) pyc.Instruction {
	if i := b.i + n; i < len(b.instrs) {
		return b.instrs[i]
	}
	return pyc.Instruction{}
}

// target returns where an instruction jumps to (dis.hasjrel, dis.hasjabs). The unit
// is an instruction since Python 3.10.
func (b *body) target(in pyc.Instruction, backward bool) int {
	arg := in.Arg
	if b.version >= 10 {
		arg *= 2
	}
	if backward {
		arg = -arg
	}
	return in.Next + arg
}

// absolute returns where an instruction jumps to up to Python 3.10.
func (b *body) absolute(in pyc.Instruction) int {
	if b.version >= 10 {
		return 2 * in.Arg
	}
	return in.Arg
}

func (b *body) name(i int) string {
	if i < 0 || i >= len(b.code.Names) {
		b.fail("name %d of %d", i, len(b.code.Names))
		return ""
	}
	return b.code.Names[i]
}

// number returns the index of a constant that is an integer.
func (b *body) number(n int64) int {
	i, ok := b.numbers[n]
	if !ok {
		i = b.constant(ir.Const{Kind: ir.Int, Int: n})
		b.numbers[n] = i
	}
	return i
}

// constant adds a constant and returns its index.
func (b *body) constant(k ir.Const) int {
	b.out.Consts = append(b.out.Consts, k)
	return len(b.out.Consts) - 1
}

// ranges translates the exception table of Python 3.11 and later.
func (b *body) ranges() {
	for _, h := range b.code.Handlers() {
		r := ir.Range{Start: b.index(h.Start), End: b.index(h.End), Target: b.place(h.Target), Depth: h.Depth, Entry: ir.Exception}
		if h.LastI {
			r.Entry = ir.OffsetException
		}
		if r.Start < 0 || r.End < 0 || r.Target < 0 {
			b.err = fmt.Errorf("handler of [%d, %d) at %d: no instruction begins there", h.Start, h.End, h.Target)
			return
		}
		if r.Start < r.End {
			b.out.Ranges = append(b.out.Ranges, r)
		}
	}
}
