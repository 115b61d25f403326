package source

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// classDef compiles a class (Python reference, 3.3.3, "Metaclasses").
func (u *unit) classDef(x *classDef) {
	u.expressions(x.decorators)
	u.generic(x.typeParams, append(values(x.keywords), x.bases...), 0, x, func(u *unit, _ int) {
		code := u.once(x, firstLine(x, x.decorators), func(inner *unit) { inner.classBody(x) })
		u.at(x)
		u.op(ir.LoadBuildClass)
		u.makeFunction(code, 0)
		u.load(ir.Const{Kind: ir.Str, Text: x.name})
		u.arguments(2, x.bases, x.keywords)
	})
	u.decorate(x.decorators)
	u.at(x)
	u.storeName(x.name)
}

func (u *unit) classBody(x *classDef) {
	u.named(ir.LoadName, "__name__")
	u.named(ir.StoreName, "__module__")
	u.load(ir.Const{Kind: ir.Str, Text: u.code.Qualname})
	u.named(ir.StoreName, "__qualname__")
	u.body(x.body)
	if u.scope.cells[classVariable] {
		u.named(ir.LoadClosure, classVariable)
		u.count(ir.Copy, 1)
		u.named(ir.StoreName, "__classcell__")
	} else {
		u.none()
	}
	u.op(ir.Return)
}

// generic compiles what is inside the scope of type parameters, if there are any: a
// function that is called at once (PEP 695). Defaults were pushed before. The
// parameters' bounds are evaluated only when someone asks, and left out.
// In a class's body its names are seen, too, as no other function does; inside are the
// expressions that are evaluated in there.
func (u *unit) generic(params []*typeParam, inside []expr, bits int, node interface{ line() int }, fill func(u *unit, bits int)) {
	if params == nil {
		fill(u, bits)
		return
	}
	u.at(node)
	var pushed []string
	for i, name := range []string{".defaults", ".kwdefaults"} {
		if bits&(1<<i) != 0 {
			pushed = append(pushed, name)
		}
	}
	code := u.once(params[0], node.line(), func(inner *unit) {
		inner.code.Params, inner.code.Positional = pushed, len(pushed)
		for _, t := range params {
			inner.opaque(0)
			inner.storeName(t.name)
		}
		if u.scope.kind == classScope && slices.ContainsFunc(inside, u.scope.named) {
			inner.lost(0, "a class's variable beside type parameters")
		}
		for _, name := range pushed {
			inner.named(ir.LoadLocal, name)
		}
		fill(inner, bits)
		inner.op(ir.Return)
	})
	u.makeFunction(code, 0)
	if n := len(pushed); n > 0 { // the function goes below what was pushed for it
		u.count(ir.Rot, n+1)
	}
	u.call(len(pushed))
}

// annotations returns those of the parameters and of the result.
func (x *functionDef) annotations() []expr {
	var list []expr
	for _, a := range x.args.all() {
		list = append(list, a.annotation)
	}
	return append(list, x.returns)
}

// named tells whether e names a variable of the scope, or may do so in a function of
// its own.
func (s *scope) named(e expr) bool {
	switch e := e.(type) {
	case nil:
		return false
	case *nameExpr:
		return s.binds[s.mangle(e.id)]
	case *lambda, *comp:
		return true
	}
	return slices.ContainsFunc(parts(e), s.named)
}
