package source

import "slices"

// parts returns the expressions directly inside e, in the order of their evaluation;
// nil stands for what is left out. Those with scopes of their own are not looked into.
func parts(e expr) []expr {
	switch e := e.(type) {
	case *boolOp:
		return e.values
	case *binOp:
		return []expr{e.left, e.right}
	case *unaryOp:
		return []expr{e.operand}
	case *ifExp:
		return []expr{e.test, e.body, e.orelse}
	case *dictExpr:
		var list []expr
		for i, k := range e.keys {
			list = append(list, k, e.values[i])
		}
		return list
	case *setExpr:
		return e.elts
	case *listExpr:
		return e.elts
	case *tupleExpr:
		return e.elts
	case *awaitExpr:
		return []expr{e.value}
	case *yieldExpr:
		return []expr{e.value}
	case *yieldFrom:
		return []expr{e.value}
	case *compare:
		return append([]expr{e.left}, e.comparators...)
	case *call:
		return append(append([]expr{e.fn}, e.args...), values(e.keywords)...)
	case *attribute:
		return []expr{e.value}
	case *subscript:
		return []expr{e.value, e.slice}
	case *starred:
		return []expr{e.value}
	case *sliceExpr:
		return []expr{e.lower, e.upper, e.step}
	case *joined:
		return e.values
	case *formatted:
		if e.spec != nil {
			return []expr{e.value, e.spec}
		}
		return []expr{e.value}
	}
	return nil
}

// values returns those of arguments given by keyword.
func values(list []*keyword) []expr {
	var out []expr
	for _, k := range list {
		out = append(out, k.value)
	}
	return out
}

// acts tells whether evaluating e may do more than look names up.
func acts(e expr) bool {
	switch e.(type) {
	case *call, *awaitExpr, *yieldExpr, *yieldFrom, *namedExpr, *comp:
		return true
	}
	for _, x := range parts(e) {
		if acts(x) {
			return true
		}
	}
	return false
}

// acting returns those expressions of list that may do more than look names up.
func acting(list []expr) []expr {
	return slices.DeleteFunc(slices.Clone(list), func(e expr) bool { return e == nil || !acts(e) })
}

// captures calls bind for each name that a pattern binds.
func captures(p pattern, bind func(name string)) {
	name := ""
	var inner []pattern
	switch p := p.(type) {
	case *matchSequence:
		inner = p.patterns
	case *matchMapping:
		inner, name = p.patterns, p.rest
	case *matchClass:
		inner = append(append(inner, p.patterns...), p.kwdPatterns...)
	case *matchStar:
		name = p.name
	case *matchAs:
		if p.pattern != nil {
			inner = []pattern{p.pattern}
		}
		name = p.name
	case *matchOr:
		inner = p.patterns
	}
	for _, x := range inner {
		captures(x, bind)
	}
	if name != "" {
		bind(name)
	}
}

// patternValues calls visit for each expression that a pattern evaluates.
func patternValues(p pattern, visit func(expr)) {
	var inner []pattern
	switch p := p.(type) {
	case *matchValue:
		visit(p.value)
	case *matchSequence:
		inner = p.patterns
	case *matchMapping:
		for _, k := range p.keys {
			visit(k)
		}
		inner = p.patterns
	case *matchClass:
		visit(p.cls)
		inner = append(append(inner, p.patterns...), p.kwdPatterns...)
	case *matchAs:
		if p.pattern != nil {
			inner = []pattern{p.pattern}
		}
	case *matchOr:
		inner = p.patterns
	}
	for _, x := range inner {
		patternValues(x, visit)
	}
}
