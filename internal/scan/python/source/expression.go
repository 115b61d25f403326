package source

// The functions follow the grammar's levels (Python reference, 6, "Expressions").

// stars reads expressions, starred ones among them: one, or a tuple without
// parentheses. Each is read by item.
func (p *parser) stars(item func() expr) expr {
	line := p.here()
	first := item()
	if !p.is(",") {
		if _, ok := first.(*starred); ok {
			p.unexpected()
		}
		return first
	}
	elts := []expr{first}
	for p.take(",") && p.begins() {
		elts = append(elts, item())
	}
	return &tupleExpr{line, elts, false}
}

// starExpressions reads what an assignment takes, or a return.
func (p *parser) starExpressions() expr { return p.stars(p.starExpression) }

func (p *parser) starExpression() expr {
	if p.is("*") {
		return p.star()
	}
	return p.expression()
}

func (p *parser) starNamed() expr {
	if p.is("*") {
		return p.star()
	}
	return p.named()
}

func (p *parser) star() expr {
	line := p.here()
	p.want("*")
	return &starred{line, p.binary(1)}
}

// named reads an expression or "name := expression".
func (p *parser) named() expr {
	line := p.here()
	plain := p.ahead(1)
	e := p.expression()
	if !p.is(":=") {
		return e
	}
	if _, ok := e.(*nameExpr); !ok || plain.pos != p.cur().pos {
		p.unexpected()
		return e
	}
	p.next()
	return &namedExpr{line, e, p.expression()}
}

func (p *parser) expression() expr {
	p.enter()
	defer p.leave(1)
	line := p.here()
	if p.word("lambda") {
		return p.lambda()
	}
	body := p.disjunction()
	if !p.takeWord("if") {
		return body
	}
	test := p.disjunction()
	p.wantWord("else")
	return &ifExp{line, test, body, p.expression()}
}

func (p *parser) lambda() expr {
	line := p.here()
	p.wantWord("lambda")
	args := p.parameters(":", false)
	p.want(":")
	return &lambda{line, args, p.expression()}
}

func (p *parser) disjunction() expr { return p.logical("or", p.conjunction) }
func (p *parser) conjunction() expr { return p.logical("and", p.inversion) }

func (p *parser) logical(word string, operand func() expr) expr {
	line := p.here()
	first := operand()
	if !p.word(word) {
		return first
	}
	values := []expr{first}
	for p.takeWord(word) {
		values = append(values, operand())
	}
	return &boolOp{line, word, values}
}

func (p *parser) inversion() expr {
	line := p.here()
	if !p.takeWord("not") {
		return p.comparison()
	}
	p.enter()
	defer p.leave(1)
	return &unaryOp{line, "not", p.inversion()}
}

var comparisons = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

func (p *parser) comparison() expr {
	line := p.here()
	left := p.binary(1)
	var ops []string
	var rights []expr
	for {
		o := p.comparator()
		if o == "" {
			break
		}
		ops = append(ops, o)
		rights = append(rights, p.binary(1))
	}
	if ops == nil {
		return left
	}
	return &compare{line, left, ops, rights}
}

// comparator skips an operator that compares; it is "" if none is next.
func (p *parser) comparator() string {
	switch t := p.cur(); {
	case t.kind == op && comparisons[t.text]:
		return p.next().text
	case p.takeWord("in"):
		return "in"
	case p.word("not") && p.ahead(1).kind == name && p.ahead(1).text == "in":
		p.next()
		p.next()
		return "not in"
	case p.takeWord("is"):
		if p.takeWord("not") {
			return "is not"
		}
		return "is"
	}
	return ""
}

// precedence orders the binary operators that group to the left.
var precedence = map[string]int{
	"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "@": 6,
}

// binary reads operands joined by operators of at least the given precedence.
func (p *parser) binary(lowest int) expr {
	line := p.here()
	left := p.unary()
	for n := 0; ; n++ {
		t := p.cur()
		level := precedence[t.text]
		if t.kind != op || level < lowest {
			p.leave(n)
			return left
		}
		p.enter()
		p.next()
		left = &binOp{line, left, t.text, p.binary(level + 1)}
	}
}

func (p *parser) unary() expr {
	line := p.here()
	if p.is("-") || p.is("+") || p.is("~") {
		p.enter()
		defer p.leave(1)
		return &unaryOp{line, p.next().text, p.unary()}
	}
	left := p.awaited()
	if !p.take("**") {
		return left
	}
	p.enter()
	defer p.leave(1)
	return &binOp{line, left, "**", p.unary()}
}

func (p *parser) awaited() expr {
	line := p.here()
	if p.takeWord("await") {
		return &awaitExpr{line, p.primary()}
	}
	return p.primary()
}

// primary reads an atom and the attributes, calls and subscripts that follow it.
func (p *parser) primary() expr {
	line := p.here()
	e := p.atom()
	for n := 0; ; n++ {
		p.enter()
		switch {
		case p.take("."):
			e = &attribute{line, e, p.identifier()}
		case p.is("("):
			args, keywords := p.arguments()
			e = &call{line, e, args, keywords}
		case p.take("["):
			e = &subscript{line, e, p.slices()}
			p.want("]")
		default:
			p.leave(n + 1)
			return e
		}
	}
}

// slices reads what a subscript takes.
func (p *parser) slices() expr {
	line := p.here()
	first := p.slice()
	_, star := first.(*starred)
	if !p.is(",") && !star {
		return first
	}
	elts := []expr{first}
	for p.take(",") && !p.is("]") {
		elts = append(elts, p.slice())
	}
	return &tupleExpr{line, elts, false}
}

func (p *parser) slice() expr {
	line := p.here()
	var lower, upper, step expr
	if !p.is(":") {
		if lower = p.starNamed(); !p.is(":") {
			return lower
		}
	}
	p.want(":")
	if p.begins() {
		upper = p.expression()
	}
	if p.take(":") && p.begins() {
		step = p.expression()
	}
	return &sliceExpr{line, lower, upper, step}
}

// arguments reads those of a call or a class, with their parentheses.
func (p *parser) arguments() (args []expr, keywords []*keyword) {
	opening := p.here()
	p.want("(")
	unpacked := false
	p.list(")", func() {
		line := p.here()
		switch {
		case p.take("**"):
			keywords = append(keywords, &keyword{line, "", p.expression()})
			unpacked = true
		case p.take("*"):
			if unpacked {
				p.unexpected()
			}
			args = append(args, &starred{line, p.expression()})
		case p.cur().kind == name && p.ahead(1).kind == op && p.ahead(1).text == "=":
			arg := p.identifier()
			p.want("=")
			keywords = append(keywords, &keyword{line, arg, p.expression()})
		default:
			e := p.named()
			if p.word("for") || p.word("async") {
				e = &comp{opening, genExp, e, nil, p.generators()}
				if len(args)+len(keywords) > 0 || !p.is(")") {
					p.unexpected()
				}
			} else if len(keywords) > 0 {
				p.fail("has a positional argument after one by keyword")
			}
			args = append(args, e)
		}
	})
	return args, keywords
}
