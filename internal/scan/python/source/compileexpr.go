package source

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

func (u *unit) expressions(list []expr) {
	for _, e := range list {
		u.expression(e)
	}
}

// expression pushes the value of e.
func (u *unit) expression(e expr) {
	u.at(e)
	if c, ok := fold(e); ok {
		u.load(c)
		return
	}
	switch e := e.(type) {
	case *constant: // one whose value isn't known
		u.opaque(0)
	case *nameExpr:
		u.loadName(e.id)
	case *attribute:
		u.expression(e.value)
		u.at(e)
		u.named(ir.LoadAttr, u.scope.mangle(e.attr))
	case *subscript:
		u.expression(e.value)
		u.expression(e.slice)
		u.at(e)
		u.op(ir.LoadItem)
	case *call:
		u.expression(e.fn)
		u.line = e.line()
		u.arguments(0, e.args, e.keywords)
	case *namedExpr:
		u.expression(e.value)
		u.count(ir.Copy, 1)
		u.store(e.target)
	case *joined:
		u.joined(e)
	case *formatted:
		u.formatted(e)
	case *lambda:
		u.lambda(e)
	case *comp:
		u.comprehension(e)
	default:
		u.operation(e)
	}
}

// operation compiles what takes operands, or decides between them.
func (u *unit) operation(e expr) {
	switch e := e.(type) {
	case *binOp:
		u.expression(e.left)
		u.expression(e.right)
		u.at(e)
		u.named(ir.Binary, e.op)
	case *unaryOp:
		u.expression(e.operand)
		u.at(e)
		u.named(ir.Unary, e.op)
	case *compare:
		u.compare(e)
	case *boolOp:
		u.boolean(e)
	case *ifExp:
		u.conditional(e)
	case *awaitExpr:
		u.expression(e.value)
		u.at(e)
		u.op(ir.Await)
	case *yieldExpr:
		if e.value == nil {
			u.none()
		} else {
			u.expression(e.value)
		}
		u.at(e)
		u.op(ir.Yield)
	case *yieldFrom:
		u.expression(e.value)
		u.at(e)
		u.op(ir.GetIter)
		u.op(ir.YieldFrom)
	default:
		u.display(e)
	}
}

// display compiles what builds a collection.
func (u *unit) display(e expr) {
	switch e := e.(type) {
	case *tupleExpr:
		u.collection(e.elts, ir.BuildTuple)
	case *listExpr:
		u.collection(e.elts, ir.BuildList)
	case *setExpr:
		u.collection(e.elts, ir.BuildSet)
	case *dictExpr:
		u.dict(e)
	case *sliceExpr:
		u.slice(e)
	default:
		u.lost(1, "an expression")
	}
}

func (u *unit) slice(e *sliceExpr) {
	bounds := []expr{e.lower, e.upper, e.step}
	if e.step == nil {
		bounds = bounds[:2]
	}
	for _, b := range bounds {
		if b == nil {
			u.none()
		} else {
			u.expression(b)
		}
	}
	u.at(e)
	u.count(ir.BuildSlice, len(bounds))
}

func starredAmong(list []expr) bool {
	for _, e := range list {
		if _, ok := e.(*starred); ok {
			return true
		}
	}
	return false
}

// wide is how many values are pushed at most to build something of them; it keeps the
// stack low, as CPython does.
const wide = 30

// collection builds one of elements, starred ones among them.
func (u *unit) collection(elts []expr, build ir.Op) {
	line := u.line
	if items, ok := fold(&tupleExpr{elts: elts}); ok && build == ir.BuildList && len(elts) > 2 {
		u.count(ir.BuildList, 0)
		u.load(items)
		u.count(ir.ListExtend, 1)
		return
	}
	if !starredAmong(elts) && len(elts) <= wide {
		u.expressions(elts)
		u.line = line
		u.count(build, len(elts))
		return
	}
	if build == ir.BuildSet {
		u.extend(0, elts, ir.BuildSet, ir.SetAdd, ir.SetUpdate)
		return
	}
	u.extend(0, elts, ir.BuildList, ir.ListAppend, ir.ListExtend)
	if build == ir.BuildTuple {
		u.op(ir.ListToTuple)
	}
}

// extend builds a collection of the values already pushed and of elements.
func (u *unit) extend(pushed int, elts []expr, build, add, update ir.Op) {
	built := false
	for _, e := range elts {
		s, star := e.(*starred)
		if !built && (star || pushed >= wide) {
			u.count(build, pushed)
			built = true
		}
		switch {
		case star:
			u.expression(s.value)
			u.count(update, 1)
		case built:
			u.expression(e)
			u.count(add, 1)
		default:
			u.expression(e)
			pushed++
		}
	}
	if !built {
		u.count(build, pushed)
	}
}

func (u *unit) dict(e *dictExpr) {
	line := u.line
	n, built := 0, false
	flush := func() {
		if built && n > 0 {
			u.count(ir.BuildMap, n)
			u.count(ir.DictUpdate, 1)
		} else if !built {
			u.count(ir.BuildMap, n)
			built = true
		}
		n = 0
	}
	for i, k := range e.keys {
		if k == nil {
			flush()
			u.expression(e.values[i])
			u.count(ir.DictUpdate, 1)
			continue
		}
		u.expression(k)
		u.expression(e.values[i])
		if n++; n > wide/2 {
			flush()
		}
	}
	u.line = line
	if n > 0 || !built {
		flush()
	}
}

// arguments pushes those of a call, whose callable and first arguments are pushed,
// and calls.
func (u *unit) arguments(pushed int, args []expr, keywords []*keyword) {
	line := u.line
	unpacks := starredAmong(args) || len(args)+len(keywords) > 255
	var names []string
	for _, k := range keywords {
		unpacks = unpacks || k.arg == ""
		names = append(names, k.arg)
	}
	if !unpacks {
		u.expressions(args)
		u.expressions(values(keywords))
		u.line = line
		u.emit(ir.Instr{Op: ir.Call, Arg: pushed + len(args) + len(keywords), Names: names})
		return
	}
	u.extend(pushed, args, ir.BuildList, ir.ListAppend, ir.ListExtend)
	u.op(ir.ListToTuple)
	flags := 0
	if len(keywords) > 0 {
		d := &dictExpr{at: at(line)}
		for _, k := range keywords {
			var key expr
			if k.arg != "" {
				key = &constant{k.at, k.arg}
			}
			d.keys, d.values = append(d.keys, key), append(d.values, k.value)
		}
		u.dict(d)
		flags = ir.Keywords
	}
	u.line = line
	u.emit(ir.Instr{Op: ir.CallEx, Arg2: flags})
}

func (u *unit) lambda(e *lambda) {
	bits := u.defaults(e.args)
	code := u.once(e, e.line(), func(inner *unit) {
		inner.parameters(e.args)
		inner.code.Flow = inner.scope.flow()
		inner.expression(e.body)
		inner.op(ir.Return)
	})
	u.at(e)
	u.makeFunction(code, bits)
}

// joined builds an f-string; a t-string's value is not a string and not known.
func (u *unit) joined(e *joined) {
	u.expressions(e.values)
	u.at(e)
	if e.template {
		u.opaque(len(e.values))
		return
	}
	u.count(ir.BuildString, len(e.values))
}

func (u *unit) formatted(e *formatted) {
	u.expression(e.value)
	n := 1
	if e.conversion == "r" || e.conversion == "a" { // the text is then another one
		u.opaque(1)
	}
	if e.spec != nil {
		u.expression(e.spec)
		n = 2
	}
	u.at(e)
	u.count(ir.Format, n)
}
