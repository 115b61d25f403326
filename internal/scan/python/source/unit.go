package source

import (
	"maps"
	"math/big"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// A unit is one code object in the making.
type unit struct {
	*compiler
	around *unit
	scope  *scope
	code   *ir.Code
	consts map[constKey]int
	labels []int // positions, by label; -1 until placed
	depth  int   // of the stack, where control comes here at all
	line   int
	blocks []block
	covers []*handler // of each instruction
	active *handler   // that of what is emitted now
}

// A label is a place in the code that jumps lead to.
type label int

// A handler is where exceptions of some instructions go, and with what on the stack.
type handler struct {
	target label
	depth  int
	entry  ir.Entry
}

type constKey struct {
	kind ir.ConstKind
	i    int64
	text string
}

func (c *compiler) unit(around *unit, node any, line int) *unit {
	s := c.scopes[node]
	u := &unit{compiler: c, around: around, scope: s, consts: map[constKey]int{}, line: line}
	u.code = &ir.Code{
		Name: s.name, Qualname: s.qualname(), FirstLine: line,
		Cells: slices.Sorted(maps.Keys(s.cells)), Free: slices.Sorted(maps.Keys(s.free)),
	}
	if !s.function() {
		u.code.Scope = ir.Namespace
	}
	for n := range s.cells {
		if s.free[n] { // a class in a class, both of which are reached as __class__
			u.lost(0, "a name that is its own and one of a scope around")
			break
		}
	}
	return u
}

// qualname returns the name with those of the scopes around (PEP 3155).
func (s *scope) qualname() string {
	switch {
	case s.parent == nil || s.parent.kind == moduleScope || s.parent.globals[s.name]:
		return s.name
	case s.parent.kind == genericScope:
		parent := *s
		parent.parent = s.parent.parent
		return parent.qualname()
	case s.parent.kind == functionScope:
		return s.parent.qualname() + ".<locals>." + s.name
	}
	return s.parent.qualname() + "." + s.name
}

func (u *unit) emit(in ir.Instr) {
	if u.left--; u.left < 0 {
		u.fail(u.line, "compiles to more than %d instructions", maxInstructions)
		return
	}
	in.Line = u.line
	_, change := in.Effect()
	u.depth += change
	u.code.Instrs = append(u.code.Instrs, in)
	u.covers = append(u.covers, u.active)
}

func (u *unit) op(o ir.Op)                 { u.emit(ir.Instr{Op: o}) }
func (u *unit) count(o ir.Op, n int)       { u.emit(ir.Instr{Op: o, Arg: n}) }
func (u *unit) named(o ir.Op, name string) { u.emit(ir.Instr{Op: o, Name: name}) }
func (u *unit) opaque(pops int)            { u.emit(ir.Instr{Op: ir.Opaque, Arg: pops, Arg2: 1}) }
func (u *unit) call(n int)                 { u.emit(ir.Instr{Op: ir.Call, Arg: n}) }
func (u *unit) lost(pushes int, s string)  { u.emit(ir.Instr{Op: ir.Lost, Arg2: pushes, Name: s}) }

// at sets the line of what is emitted next.
func (u *unit) at(n interface{ line() int }) { u.line = n.line() }

func (u *unit) label() label {
	u.labels = append(u.labels, -1)
	return label(len(u.labels) - 1)
}

// jump emits a jump; its argument is the label until the code is finished.
func (u *unit) jump(o ir.Op, to label) { u.count(o, int(to)) }

// place puts a label here, where the stack has the given depth.
func (u *unit) place(l label, depth int) {
	u.labels[l] = len(u.code.Instrs)
	u.depth = depth
}

// load emits a constant.
func (u *unit) load(c ir.Const) {
	key := constKey{c.Kind, c.Int, c.Text}
	if i, ok := u.consts[key]; ok && c.Items == nil && c.Code == nil && c.Kind != ir.Other {
		u.count(ir.LoadConst, i)
		return
	}
	i := len(u.code.Consts)
	u.code.Consts = append(u.code.Consts, c)
	if c.Items == nil && c.Code == nil {
		u.consts[key] = i
	}
	u.count(ir.LoadConst, i)
}

func (u *unit) none() { u.load(ir.Const{Kind: ir.None}) }

// finish resolves jumps and handlers, and returns the code.
func (u *unit) finish() *ir.Code {
	for i := range u.code.Instrs {
		if in := &u.code.Instrs[i]; in.Op.Jumps() {
			in.Arg = u.labels[in.Arg]
		}
	}
	for i, h := range u.covers {
		if h == nil {
			continue
		}
		if n := len(u.code.Ranges); i > 0 && u.covers[i-1] == h {
			u.code.Ranges[n-1].End = i + 1
			continue
		}
		u.code.Ranges = append(u.code.Ranges, ir.Range{
			Start: i, End: i + 1, Target: u.labels[h.target], Depth: h.depth, Entry: h.entry,
		})
	}
	return u.code
}

// fold returns the constant that an expression is, as CPython's own compiler does;
// not ok if it is none, or one whose value isn't known.
func fold(e expr) (c ir.Const, ok bool) {
	switch e := e.(type) {
	case *constant:
		return value(e.value)
	case *unaryOp:
		n, isConst := e.operand.(*constant)
		if !isConst || e.op != "-" {
			return c, false
		}
		if i, isInt := n.value.(*big.Int); isInt {
			return value(new(big.Int).Neg(i))
		}
	case *tupleExpr:
		c.Kind = ir.Tuple
		for _, x := range e.elts {
			item, ok := fold(x)
			if !ok {
				return c, false
			}
			c.Items = append(c.Items, item)
		}
		return c, true
	}
	return c, false
}

// value translates a constant's value.
func value(v any) (c ir.Const, ok bool) {
	switch v := v.(type) {
	case nil:
		return ir.Const{Kind: ir.None}, true
	case bool:
		c.Kind = ir.Bool
		if v {
			c.Int = 1
		}
	case *big.Int:
		c.Kind = ir.Big
		if v.IsInt64() {
			c = ir.Const{Kind: ir.Int, Int: v.Int64()}
		}
	case string:
		c = ir.Const{Kind: ir.Str, Text: v}
	case octets:
		c = ir.Const{Kind: ir.Bytes, Text: string(v)}
	case opaque:
		return c, false
	default:
		c.Kind = ir.Other
	}
	return c, true
}
