package source

// match reads a match statement; it is nil if "match" is a name here (Python
// reference, 8.6, "The match statement").
func (p *parser) match() stmt {
	start, depth := p.pos, p.depth
	s := &matchStmt{at: p.here()}
	p.next()
	if p.begins() {
		s.subject = p.stars(p.starNamed)
	}
	if s.subject == nil || p.err != nil || !p.is(":") || p.ahead(1).kind != newline || p.ahead(2).kind != indent || p.ahead(3).text != "case" {
		p.pos, p.depth, p.err = start, depth, nil
		return nil
	}
	p.next()
	p.next()
	p.next()
	for p.word("case") {
		p.next()
		c := &matchCase{pattern: p.patterns()}
		if p.takeWord("if") {
			c.guard = p.named()
		}
		c.body = p.block()
		s.cases = append(s.cases, c)
	}
	if p.cur().kind != dedent {
		p.unexpected()
	}
	p.next()
	return s
}

// patterns reads a pattern, or several as a sequence without brackets.
func (p *parser) patterns() pattern {
	line := p.here()
	first := p.starPattern()
	if !p.is(",") {
		if _, ok := first.(*matchStar); ok {
			p.unexpected()
		}
		return first
	}
	list := []pattern{first}
	for p.take(",") && !p.is(":") && !p.word("if") {
		list = append(list, p.starPattern())
	}
	return p.sequence(line, list)
}

// sequence makes the pattern of a sequence, in which one star may stand.
func (p *parser) sequence(line at, list []pattern) pattern {
	stars := 0
	for _, x := range list {
		if _, ok := x.(*matchStar); ok {
			stars++
		}
	}
	if stars > 1 {
		p.fail("has two starred patterns in a sequence")
	}
	return &matchSequence{line, list}
}

func (p *parser) starPattern() pattern {
	line := p.here()
	if p.take("*") {
		return &matchStar{line, p.capture()}
	}
	return p.pattern()
}

// capture reads a name that is bound; "_" binds none.
func (p *parser) capture() string {
	if n := p.identifier(); n != "_" {
		return n
	}
	return ""
}

func (p *parser) pattern() pattern {
	p.enter()
	defer p.leave(1)
	line := p.here()
	first := p.closed()
	if p.is("|") {
		list := []pattern{first}
		for p.take("|") {
			list = append(list, p.closed())
		}
		first = &matchOr{line, list}
	}
	if !p.takeWord("as") {
		return first
	}
	n := p.capture()
	if n == "" {
		p.unexpected()
	}
	return &matchAs{line, first, n}
}

func (p *parser) closed() pattern {
	line := p.here()
	t := p.cur()
	switch {
	case t.kind == number || t.kind == str || p.is("-"):
		return &matchValue{line, p.literalPattern()}
	case t.kind == fstart:
		p.unexpected()
	case p.word("None") || p.word("True") || p.word("False"):
		return &matchSingleton{line, p.nameOrConstant().(*constant).value}
	case t.kind == name:
		return p.namePattern()
	case p.is("(") || p.is("["):
		return p.groupPattern()
	case p.is("{"):
		return p.mappingPattern()
	}
	p.unexpected()
	return &matchAs{at: line}
}

// literalPattern reads a string or a number, which may be signed and complex.
func (p *parser) literalPattern() expr {
	if p.cur().kind == str {
		e := p.strings()
		if _, ok := e.(*constant); !ok {
			p.unexpected()
		}
		return e
	}
	line := p.here()
	left := p.signed()
	if !p.is("+") && !p.is("-") {
		return left
	}
	o := p.next().text
	right := p.here()
	if p.cur().kind != number {
		p.unexpected()
	}
	return &binOp{line, left, o, &constant{right, numeral(p.next().text)}}
}

func (p *parser) signed() expr {
	line := p.here()
	if p.take("-") {
		if p.cur().kind != number {
			p.unexpected()
		}
		return &unaryOp{line, "-", p.atom()}
	}
	return p.atom()
}

// namePattern reads a capture, a wildcard, a dotted name or a class.
func (p *parser) namePattern() pattern {
	line := p.here()
	first := p.identifier()
	var e expr = &nameExpr{line, first}
	dotted := false
	n := 0
	for ; p.take("."); n++ {
		p.enter()
		dotted = true
		e = &attribute{line, e, p.identifier()}
	}
	p.leave(n)
	switch {
	case p.is("("):
		return p.classPattern(line, e)
	case dotted:
		return &matchValue{line, e}
	case first == "_":
		return &matchAs{line, nil, ""}
	}
	return &matchAs{line, nil, first}
}

func (p *parser) classPattern(line at, cls expr) pattern {
	m := &matchClass{at: line, cls: cls}
	p.want("(")
	p.list(")", func() {
		if p.cur().kind == name && p.ahead(1).kind == op && p.ahead(1).text == "=" {
			m.kwdAttrs = append(m.kwdAttrs, p.identifier())
			p.want("=")
			m.kwdPatterns = append(m.kwdPatterns, p.pattern())
			return
		}
		if m.kwdAttrs != nil {
			p.unexpected()
		}
		m.patterns = append(m.patterns, p.pattern())
	})
	return m
}

// groupPattern reads a sequence, or one pattern in parentheses.
func (p *parser) groupPattern() pattern {
	line := p.here()
	round := p.next().text == "("
	closing := "]"
	if round {
		closing = ")"
	}
	var list []pattern
	comma := false
	for !p.is(closing) && p.err == nil {
		list = append(list, p.starPattern())
		if comma = p.take(","); !comma {
			break
		}
	}
	p.want(closing)
	if round && len(list) == 1 && !comma {
		if _, ok := list[0].(*matchStar); !ok {
			return list[0]
		}
		p.fail("has a starred pattern where none can be")
	}
	return p.sequence(line, list)
}

func (p *parser) mappingPattern() pattern {
	m := &matchMapping{at: p.here()}
	p.want("{")
	p.list("}", func() {
		if m.rest != "" {
			p.unexpected()
		}
		if p.take("**") {
			if m.rest = p.capture(); m.rest == "" {
				p.unexpected()
			}
			return
		}
		m.keys = append(m.keys, p.patternKey())
		p.want(":")
		m.patterns = append(m.patterns, p.pattern())
	})
	return m
}

// patternKey reads a literal or a dotted name.
func (p *parser) patternKey() expr {
	switch t := p.cur(); {
	case p.word("None") || p.word("True") || p.word("False"):
		return p.nameOrConstant()
	case t.kind == name:
		if v, ok := p.namePattern().(*matchValue); ok {
			return v.value
		}
		p.unexpected()
	}
	return p.literalPattern()
}
