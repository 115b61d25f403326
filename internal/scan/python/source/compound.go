package source

// compound reads a compound statement; it is nil if none is next.
func (p *parser) compound() stmt {
	t := p.cur()
	if t.kind == op && t.text == "@" {
		return p.decorated()
	}
	if t.kind != name {
		return nil
	}
	switch t.text {
	case "if":
		return p.ifStatement()
	case "while":
		line := p.here()
		p.next()
		return &whileStmt{line, p.named(), p.block(), p.elseBlock()}
	case "for":
		return p.forStatement(false)
	case "try":
		return p.try()
	case "with":
		return p.with(false)
	case "def":
		return p.function(nil, false)
	case "class":
		return p.class(nil)
	case "async":
		return p.async(nil)
	case "match":
		return p.match()
	}
	return nil
}

// block reads a colon and the statements that follow it, on its line or indented.
func (p *parser) block() []stmt {
	p.want(":")
	if p.cur().kind != newline {
		if p.compoundNext() {
			p.unexpected()
		}
		return p.statement()
	}
	p.next()
	if p.cur().kind != indent {
		p.fail("has no block where one must be")
		return nil
	}
	p.next()
	var body []stmt
	for p.cur().kind != dedent && p.err == nil {
		body = append(body, p.statement()...)
	}
	p.next()
	return body
}

// compoundNext tells whether a compound statement is next, which must not stand on
// the line of another.
func (p *parser) compoundNext() bool {
	t := p.cur()
	switch t.text {
	case "if", "while", "for", "try", "with", "def", "class", "async":
		return t.kind == name
	case "@":
		return true
	}
	return false
}

func (p *parser) elseBlock() []stmt {
	if !p.takeWord("else") {
		return nil
	}
	return p.block()
}

func (p *parser) ifStatement() stmt {
	p.enter()
	defer p.leave(1)
	line := p.here()
	p.next()
	s := &ifStmt{line, p.named(), p.block(), nil}
	if p.word("elif") {
		s.orelse = []stmt{p.ifStatement()}
	} else {
		s.orelse = p.elseBlock()
	}
	return s
}

func (p *parser) forStatement(async bool) stmt {
	s := &forStmt{at: p.here(), async: async}
	p.wantWord("for")
	s.target = p.targets()
	p.wantWord("in")
	s.iter = p.starExpressions()
	s.body = p.block()
	s.orelse = p.elseBlock()
	return s
}

func (p *parser) async(decorators []expr) stmt {
	line := p.here()
	p.wantWord("async")
	switch {
	case p.word("def"):
		f := p.function(decorators, true)
		f.at = line
		return f
	case p.word("for") && decorators == nil:
		f := p.forStatement(true)
		f.(*forStmt).at = line
		return f
	case p.word("with") && decorators == nil:
		w := p.with(true)
		w.(*withStmt).at = line
		return w
	}
	p.unexpected()
	return &passStmt{line}
}

func (p *parser) try() stmt {
	s := &tryStmt{at: p.here()}
	p.wantWord("try")
	s.body = p.block()
	for i := 0; p.word("except"); i++ {
		h := &exceptHandler{at: p.here()}
		p.next()
		if star := p.take("*"); i == 0 {
			s.star = star
		} else if star != s.star {
			p.fail("mixes except and except*")
		}
		p.exceptions(h, s.star)
		h.body = p.block()
		if h.kind == nil && p.word("except") {
			p.fail("has handlers after one for all exceptions")
		}
		s.handlers = append(s.handlers, h)
	}
	if s.handlers != nil {
		s.orelse = p.elseBlock()
	}
	if p.takeWord("finally") {
		s.final = p.block()
	} else if s.handlers == nil {
		p.unexpected()
	}
	return s
}

// exceptions reads what an except clause catches; several without parentheses are a
// tuple (PEP 758).
func (p *parser) exceptions(h *exceptHandler, star bool) {
	if p.is(":") && !star {
		return
	}
	line := p.here()
	h.kind = p.expression()
	if p.takeWord("as") {
		h.name = p.identifier()
		return
	}
	if !p.is(",") {
		return
	}
	elts := []expr{h.kind}
	for p.take(",") && p.begins() {
		elts = append(elts, p.expression())
	}
	h.kind = &tupleExpr{line, elts, false}
}

func (p *parser) with(async bool) stmt {
	s := &withStmt{at: p.here(), async: async}
	p.wantWord("with")
	s.items = p.parenthesized()
	if s.items == nil {
		s.items = append(s.items, p.withItem())
		for p.take(",") {
			s.items = append(s.items, p.withItem())
		}
	}
	s.body = p.block()
	return s
}

// parenthesized reads the items of a "with" in parentheses of their own; it is nil
// if what is there is an expression.
func (p *parser) parenthesized() []*withItem {
	start, depth := p.pos, p.depth
	if !p.take("(") || p.is(")") {
		p.pos = start
		return nil
	}
	var items []*withItem
	p.list(")", func() { items = append(items, p.withItem()) })
	if p.err == nil && p.is(":") {
		return items
	}
	p.pos, p.depth, p.err = start, depth, nil
	return nil
}

func (p *parser) withItem() *withItem {
	w := &withItem{context: p.expression()}
	if p.takeWord("as") {
		if p.is("*") {
			p.unexpected()
		}
		w.vars = p.binary(1)
		p.target(w.vars)
	}
	return w
}

func (p *parser) decorated() stmt {
	var decorators []expr
	for p.take("@") {
		decorators = append(decorators, p.named())
		if p.cur().kind != newline {
			p.unexpected()
		}
		p.next()
	}
	switch {
	case p.word("class"):
		return p.class(decorators)
	case p.word("async"):
		return p.async(decorators)
	}
	return p.function(decorators, false)
}

func (p *parser) class(decorators []expr) stmt {
	s := &classDef{at: p.here(), decorators: decorators}
	p.wantWord("class")
	s.name = p.identifier()
	s.typeParams = p.typeParams()
	if p.is("(") {
		s.bases, s.keywords = p.arguments()
	}
	s.body = p.block()
	return s
}

func (p *parser) function(decorators []expr, async bool) *functionDef {
	s := &functionDef{at: p.here(), decorators: decorators, async: async}
	p.wantWord("def")
	s.name = p.identifier()
	s.typeParams = p.typeParams()
	p.want("(")
	s.args = p.parameters(")", true)
	p.want(")")
	if p.take("->") {
		s.returns = p.expression()
	}
	s.body = p.block()
	return s
}
