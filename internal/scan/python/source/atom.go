package source

// atom reads the smallest expressions (Python reference, 6.2, "Atoms").
func (p *parser) atom() expr {
	t := p.cur()
	switch {
	case t.kind == name:
		return p.nameOrConstant()
	case t.kind == number:
		p.next()
		return &constant{at(t.line), numeral(t.text)}
	case t.kind == str || t.kind == fstart:
		return p.strings()
	case p.take("..."):
		return &constant{at(t.line), ellipsis{}}
	case p.is("("):
		return p.group()
	case p.is("["):
		return p.listDisplay()
	case p.is("{"):
		return p.braces()
	}
	p.unexpected()
	return &constant{at: at(t.line)}
}

func (p *parser) nameOrConstant() expr {
	line := p.here()
	switch {
	case p.takeWord("None"):
		return &constant{line, nil}
	case p.takeWord("True"):
		return &constant{line, true}
	case p.takeWord("False"):
		return &constant{line, false}
	}
	return &nameExpr{line, p.identifier()}
}

// group reads what begins with a parenthesis: a tuple, a generator, a yield, or one
// expression.
func (p *parser) group() expr {
	line := p.here()
	p.want("(")
	if p.take(")") {
		return &tupleExpr{line, nil, true}
	}
	if p.word("yield") {
		e := p.yield()
		p.want(")")
		return e
	}
	first := p.starNamed()
	if p.word("for") || p.word("async") {
		e := &comp{line, genExp, first, nil, p.generators()}
		p.plain(first)
		p.want(")")
		return e
	}
	if p.is(")") {
		p.plain(first)
		p.next()
		return first
	}
	return &tupleExpr{line, p.elements(first, ")"), true}
}

// plain refuses a starred expression where there is none.
func (p *parser) plain(e expr) {
	if _, ok := e.(*starred); ok {
		p.fail("has a starred expression where none can be")
	}
}

// elements reads what follows the first element up to the closing bracket.
func (p *parser) elements(first expr, closing string) []expr {
	elts := []expr{first}
	if p.take(",") {
		p.list(closing, func() { elts = append(elts, p.starNamed()) })
	} else {
		p.want(closing)
	}
	return elts
}

func (p *parser) listDisplay() expr {
	line := p.here()
	p.want("[")
	if p.take("]") {
		return &listExpr{line, nil}
	}
	first := p.starNamed()
	if p.word("for") || p.word("async") {
		p.plain(first)
		e := &comp{line, listComp, first, nil, p.generators()}
		p.want("]")
		return e
	}
	return &listExpr{line, p.elements(first, "]")}
}

// braces reads a dict, a set or a comprehension of one.
func (p *parser) braces() expr {
	line := p.here()
	p.want("{")
	if p.take("}") {
		return &dictExpr{line, nil, nil}
	}
	if p.is("**") {
		return p.dict(line, nil, nil)
	}
	first := p.starNamed()
	if p.take(":") {
		p.plain(first)
		value := p.expression()
		if p.word("for") || p.word("async") {
			e := &comp{line, dictComp, first, value, p.generators()}
			p.want("}")
			return e
		}
		return p.dict(line, []expr{first}, []expr{value})
	}
	if p.word("for") || p.word("async") {
		p.plain(first)
		e := &comp{line, setComp, first, nil, p.generators()}
		p.want("}")
		return e
	}
	return &setExpr{line, p.elements(first, "}")}
}

// dict reads the items of a dict display after those that were read.
func (p *parser) dict(line at, keys, values []expr) expr {
	if len(keys) > 0 && !p.take(",") {
		p.want("}")
		return &dictExpr{line, keys, values}
	}
	p.list("}", func() {
		if p.take("**") {
			keys, values = append(keys, nil), append(values, p.binary(1))
			return
		}
		keys = append(keys, p.expression())
		p.want(":")
		values = append(values, p.expression())
	})
	return &dictExpr{line, keys, values}
}

// generators reads the "for" and "if" of a comprehension.
func (p *parser) generators() []*generator {
	var list []*generator
	n := 0
	for ; p.word("for") || p.word("async"); n++ {
		p.enter()
		g := &generator{async: p.takeWord("async")}
		p.wantWord("for")
		g.target = p.targets()
		p.wantWord("in")
		g.iter = p.disjunction()
		for p.takeWord("if") {
			g.ifs = append(g.ifs, p.disjunction())
		}
		list = append(list, g)
	}
	p.leave(n)
	return list
}

// yield reads a yield expression, which stands only where a statement takes it or in
// parentheses.
func (p *parser) yield() expr {
	line := p.here()
	p.wantWord("yield")
	if p.takeWord("from") {
		return &yieldFrom{line, p.expression()}
	}
	if !p.begins() {
		return &yieldExpr{line, nil}
	}
	return &yieldExpr{line, p.starExpressions()}
}

// yieldOr reads a yield or what starExpressions reads.
func (p *parser) yieldOr() expr {
	if p.word("yield") {
		return p.yield()
	}
	return p.starExpressions()
}
