package lift

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// A slot is how comprehensions that are part of the code around them (PEP 709, since
// Python 3.12) use a variable that is a cell there. LOAD_FAST_AND_CLEAR puts the
// cell aside; until STORE_FAST brings it back, the slot is the comprehension's.
type slot int

const (
	untouched slot = iota
	plain          // the comprehension keeps a value in the slot: a local beside the cell
	owned          // the cell belongs to one comprehension alone
	confused       // one name stands for several cells
)

// borrowed returns how comprehensions use the cells among the variables.
func (b *body) borrowed() map[int]slot {
	if b.version < 12 {
		return nil
	}
	inside := map[int]bool{} // the cell is its comprehension's own until it is brought back
	around := map[int]bool{} // it is used outside of that too
	out := map[int]slot{}
	loops := b.loops()
	for i, in := range b.instrs {
		switch {
		case in.Name == "LOAD_FAST_AND_CLEAR" && b.cell(in.Arg):
			use := plain
			if i+1 < len(b.instrs) && b.instrs[i+1].Name == "MAKE_CELL" && b.instrs[i+1].Arg == in.Arg {
				use, inside[in.Arg] = owned, true
			}
			if use == owned && loops[i] {
				use = confused // each time it is another cell
			}
			if was := out[in.Arg]; was != untouched && (was != plain || use != plain) {
				use = confused
			}
			out[in.Arg] = use
		case in.Name == "STORE_FAST":
			delete(inside, in.Arg)
		case !inside[in.Arg] && (cellUses[in.Name] || b.closures[i]):
			around[in.Arg] = true
		}
	}
	names := map[string]int{}
	for _, name := range b.code.Variables {
		names[name]++
	}
	for i, use := range out {
		if use == owned && around[i] || names[b.code.Variables[i]] > 1 {
			out[i] = confused
		}
	}
	return out
}

// loops reports for each instruction whether it is in a loop.
func (b *body) loops() map[int]bool {
	end := map[int]int{} // of loops, by the instruction that they begin with
	for i, in := range b.instrs {
		if in.Name == "JUMP_BACKWARD" || in.Name == "JUMP_BACKWARD_NO_INTERRUPT" {
			if start := b.at(b.target(in, true)); start >= 0 {
				end[start] = i
			}
		}
	}
	out := map[int]bool{}
	last := -1
	for i := range b.instrs {
		if e, ok := end[i]; ok {
			last = max(last, e)
		}
		if i <= last {
			out[i] = true
		}
	}
	return out
}

// cellUses are the instructions that use what a cell holds, or the cell.
var cellUses = map[string]bool{
	"LOAD_DEREF": true, "STORE_DEREF": true, "DELETE_DEREF": true, "LOAD_FROM_DICT_OR_DEREF": true, "LOAD_CLOSURE": true,
}

// cell reports whether variable i is a cell or free variable.
func (b *body) cell(i int) bool {
	return i >= 0 && i < len(b.code.Kinds) && b.code.Kinds[i]&(pyc.Cell|pyc.Free) != 0
}

// closureLoads returns the instructions that put cells into the tuple of a closure.
// Since Python 3.13 a cell is loaded by LOAD_FAST as well.
func (b *body) closureLoads() map[int]bool {
	out := map[int]bool{}
	for i := 0; i+3 < len(b.instrs); i++ {
		if b.instrs[i].Name != "BUILD_TUPLE" || b.instrs[i+1].Name != "LOAD_CONST" || b.instrs[i+2].Name != "MAKE_FUNCTION" ||
			b.instrs[i+3].Name != "SET_FUNCTION_ATTRIBUTE" || b.instrs[i+3].Arg != ir.Closure {
			continue
		}
		k := i
		for n := b.instrs[i].Arg; n > 0 && k > 0; k-- {
			switch b.instrs[k-1].Name {
			case "LOAD_FAST", "LOAD_FAST_BORROW":
				n--
			case "LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW":
				n -= 2
			default:
				n = 0
				continue
			}
			out[k-1] = true
		}
	}
	return out
}

// variable returns the name of variable i. Up to Python 3.10 fast instructions count
// the locals alone.
func (b *body) variable(i int) string {
	if i < 0 || i >= len(b.code.Variables) || b.version < 11 && i >= b.code.Locals {
		b.fail("variable %d of %d", i, len(b.code.Variables))
		return ""
	}
	return b.code.Variables[i]
}

// cellName returns the name of the cell that an instruction counts as i: up to
// Python 3.10 locals are left out.
func (b *body) cellName(i int) string {
	if b.version < 11 && i >= 0 {
		i += b.code.Locals
	}
	if !b.cell(i) {
		b.fail("cell %d of %d variables", i, len(b.code.Variables))
		return ""
	}
	return b.code.Variables[i]
}

// load adds what LOAD_FAST does for variable i.
func (b *body) load(i int) {
	op := ir.LoadLocal
	if b.cell(i) && (b.slots[i] != plain || b.closures[b.i]) {
		op = ir.LoadClosure
	}
	b.emit(ir.Instr{Op: op, Name: b.variable(i)})
}

// store adds what STORE_FAST does.
func (b *body) store(i int) {
	switch name := b.variable(i); {
	case !b.cell(i) || b.slots[i] == plain:
		b.emit(ir.Instr{Op: ir.StoreLocal, Name: name})
	case b.slots[i] == owned: // what it brings back is nobody's
		b.emit(ir.Instr{Op: ir.Pop})
	default:
		b.emit(ir.Instr{Op: ir.Lost, Arg: 1, Name: "a variable in place of a cell"})
	}
}

// take adds what LOAD_FAST_AND_CLEAR does.
func (b *body) take(i int) {
	switch name := b.variable(i); {
	case !b.cell(i):
		b.emit(ir.Instr{Op: ir.TakeLocal, Name: name})
	case b.slots[i] == confused:
		b.emit(ir.Instr{Op: ir.Lost, Arg2: 1, Name: "a comprehension's cell of the same name as another"})
	default: // a cell has a name of its own in the program: there is nothing to put aside
		b.emit(ir.Instr{Op: ir.Null})
	}
}

// apart returns c with names that tell its cells from those of enclosing functions: a
// class may have a __class__ of its own and use one from outside.
func apart(c *pyc.Code) *pyc.Code {
	own := map[string]bool{}
	for _, name := range c.VariablesOf(pyc.Cell) {
		own[name] = true
	}
	names := slices.Clone(c.Variables)
	for i, name := range names {
		if c.Kinds[i]&pyc.Free != 0 && own[name] {
			names[i] = name + " (free)"
		}
	}
	out := *c
	out.Variables = names
	return &out
}

// twice returns a name that two locals have, or two cells: the canonical program tells
// them by their names. A parameter may be a local and a cell up to Python 3.10, and
// what a comprehension keeps in a local may be named like a cell since 3.12.
func twice(c *pyc.Code) (name string, ok bool) {
	type variable struct {
		name string
		cell bool
	}
	seen := map[variable]bool{}
	for i, name := range c.Variables {
		v := variable{name, c.Kinds[i]&(pyc.Cell|pyc.Free) != 0}
		if seen[v] {
			return name, true
		}
		seen[v] = true
	}
	return "", false
}
