package source

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// access lists for each way to reach a name the operations that load, store and
// delete it.
var access = [...][3]ir.Op{
	namespace: {ir.LoadName, ir.StoreName, ir.DeleteName},
	local:     {ir.LoadLocal, ir.StoreLocal, ir.DeleteLocal},
	cell:      {ir.LoadCell, ir.StoreCell, ir.DeleteCell},
	global:    {ir.LoadGlobal, ir.StoreGlobal, ir.DeleteGlobal},
	classCell: {ir.LoadClassCell, ir.StoreCell, ir.DeleteCell},
}

func (u *unit) access(name string, way int) {
	name = u.scope.mangle(name)
	where, ok := u.scope.where[name]
	if !ok && u.scope.function() {
		where = global
	}
	u.named(access[where][way], name)
}

// loadName pushes what a name stands for.
func (u *unit) loadName(name string) {
	if name == "__debug__" { // a constant, whatever is bound to it
		c, _ := value(!u.optimized)
		u.load(c)
		return
	}
	u.access(name, 0)
}

func (u *unit) storeName(name string)  { u.access(name, 1) }
func (u *unit) deleteName(name string) { u.access(name, 2) }

// store pops a value and assigns it to a target.
func (u *unit) store(target expr) {
	switch t := target.(type) {
	case *nameExpr:
		u.at(t)
		u.storeName(t.id)
	case *attribute:
		u.expression(t.value)
		u.at(t)
		u.named(ir.StoreAttr, u.scope.mangle(t.attr))
	case *subscript:
		u.expression(t.value)
		u.expression(t.slice)
		u.at(t)
		u.op(ir.StoreItem)
	case *tupleExpr:
		u.at(t)
		u.unpack(t.elts)
	case *listExpr:
		u.at(t)
		u.unpack(t.elts)
	}
}

func (u *unit) unpack(targets []expr) {
	in := ir.Instr{Op: ir.Unpack, Arg: len(targets)}
	for i, t := range targets {
		if _, ok := t.(*starred); ok {
			in = ir.Instr{Op: ir.UnpackEx, Arg: i, Arg2: len(targets) - i - 1}
		}
	}
	u.emit(in)
	for _, t := range targets {
		if s, ok := t.(*starred); ok {
			t = s.value
		}
		u.store(t)
	}
}

// remove deletes a target.
func (u *unit) remove(target expr) {
	switch t := target.(type) {
	case *nameExpr:
		u.at(t)
		u.deleteName(t.id)
	case *attribute:
		u.expression(t.value)
		u.at(t)
		u.named(ir.DeleteAttr, u.scope.mangle(t.attr))
	case *subscript:
		u.expression(t.value)
		u.expression(t.slice)
		u.at(t)
		u.op(ir.DeleteItem)
	case *tupleExpr:
		for _, x := range t.elts {
			u.remove(x)
		}
	case *listExpr:
		for _, x := range t.elts {
			u.remove(x)
		}
	}
}

// augment compiles "target op= value".
func (u *unit) augment(x *augAssign) {
	operate := func() {
		u.expression(x.value)
		u.at(x)
		u.emit(ir.Instr{Op: ir.Binary, Name: x.op, Arg: 1})
	}
	switch t := x.target.(type) {
	case *nameExpr:
		u.expression(t)
		operate()
		u.storeName(t.id)
	case *attribute:
		name := u.scope.mangle(t.attr)
		u.expression(t.value)
		u.count(ir.Copy, 1)
		u.named(ir.LoadAttr, name)
		operate()
		u.count(ir.Swap, 2)
		u.named(ir.StoreAttr, name)
	case *subscript:
		u.expression(t.value)
		u.expression(t.slice)
		u.count(ir.Copy, 2)
		u.count(ir.Copy, 2)
		u.op(ir.LoadItem)
		operate()
		u.count(ir.Rot, 3)
		u.op(ir.StoreItem)
	}
}
