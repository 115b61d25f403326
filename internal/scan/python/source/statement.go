package source

import (
	"slices"
	"strings"
)

// statement reads one compound statement or the simple ones of one line (Python
// reference, 7 and 8).
func (p *parser) statement() []stmt {
	p.enter()
	defer p.leave(1)
	if s := p.compound(); s != nil {
		return []stmt{s}
	}
	var list []stmt
	for {
		list = append(list, p.simple())
		if !p.take(";") || p.cur().kind == newline {
			break
		}
	}
	if p.cur().kind != newline {
		p.unexpected()
	}
	p.next()
	return list
}

// simple reads a statement that fits on a line.
func (p *parser) simple() stmt {
	line := p.here()
	t := p.cur()
	if t.kind != name {
		return p.assignment()
	}
	switch t.text {
	case "pass", "break", "continue":
		p.next()
		return map[string]stmt{"pass": &passStmt{line}, "break": &breakStmt{line}, "continue": &continueStmt{line}}[t.text]
	case "return":
		p.next()
		if !p.begins() {
			return &returnStmt{line, nil}
		}
		return &returnStmt{line, p.starExpressions()}
	case "raise":
		return p.raise()
	case "global":
		p.next()
		return &globalStmt{line, p.names()}
	case "nonlocal":
		p.next()
		return &nonlocalStmt{line, p.names()}
	case "del":
		return p.del()
	case "assert":
		p.next()
		s := &assertStmt{line, p.expression(), nil}
		if p.take(",") {
			s.msg = p.expression()
		}
		return s
	case "import":
		return p.importNames()
	case "from":
		return p.importFrom()
	case "type":
		if p.ahead(1).kind == name && !keywords[p.ahead(1).text] {
			return p.typeAlias()
		}
	}
	return p.assignment()
}

func (p *parser) raise() stmt {
	s := &raiseStmt{at: p.here()}
	p.wantWord("raise")
	if !p.begins() {
		return s
	}
	s.exc = p.expression()
	if p.is(",") {
		p.fail("raises an exception as Python 2 does")
	}
	if p.takeWord("from") {
		s.cause = p.expression()
	}
	return s
}

func (p *parser) names() []string {
	list := []string{p.identifier()}
	for p.take(",") {
		list = append(list, p.identifier())
	}
	return list
}

func (p *parser) del() stmt {
	s := &deleteStmt{at: p.here()}
	p.wantWord("del")
	list := p.stars(p.starExpression)
	if tuple, ok := list.(*tupleExpr); ok && !tuple.parens {
		s.targets = tuple.elts
	} else {
		s.targets = []expr{list}
	}
	for _, t := range s.targets {
		p.deletable(t)
	}
	return s
}

// augmented lists the operators of augmented assignments.
var augmented = []string{"+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="}

// assignment reads an expression statement or any kind of assignment.
func (p *parser) assignment() stmt {
	line, first := p.here(), p.cur()
	e := p.yieldOr()
	switch t := p.cur(); {
	case p.take(":"):
		return p.annotated(line, first, e)
	case t.kind == op && slices.Contains(augmented, t.text):
		switch e.(type) {
		case *nameExpr, *attribute, *subscript:
		default:
			p.unexpected()
		}
		p.next()
		return &augAssign{line, e, strings.TrimSuffix(t.text, "="), p.yieldOr()}
	case p.is("="):
		targets := []expr{e}
		for p.take("=") {
			targets = append(targets, p.yieldOr())
		}
		value := targets[len(targets)-1]
		targets = targets[:len(targets)-1]
		for _, t := range targets {
			p.target(t)
		}
		return &assign{line, targets, value}
	case t.kind != newline && !p.is(";") && (first.text == "print" || first.text == "exec") && p.tokens[p.pos-1].pos == first.pos:
		p.fail("has a %s statement of Python 2", first.text)
	}
	return &exprStmt{line, e}
}

func (p *parser) annotated(line at, first token, e expr) stmt {
	s := &annAssign{at: line, target: e, annotation: p.expression()}
	switch e.(type) {
	case *nameExpr:
		s.simple = first.kind == name
	case *attribute, *subscript:
	default:
		p.fail("annotates what is no target")
	}
	if p.take("=") {
		s.value = p.yieldOr()
	}
	return s
}

// target refuses what can't be assigned to.
func (p *parser) target(e expr) { p.assignable(e, false) }

func (p *parser) assignable(e expr, starOK bool) {
	var elts []expr
	switch e := e.(type) {
	case *nameExpr, *attribute, *subscript:
		return
	case *starred:
		if starOK {
			p.assignable(e.value, false)
			return
		}
	case *tupleExpr:
		elts = e.elts
	case *listExpr:
		elts = e.elts
	default:
		p.fail("assigns to what is no target")
		return
	}
	stars := 0
	for _, t := range elts {
		if _, ok := t.(*starred); ok {
			stars++
		}
		p.assignable(t, true)
	}
	if _, ok := e.(*starred); ok || stars > 1 {
		p.fail("has a starred target where none can be")
	}
}

// deletable refuses what can't be deleted.
func (p *parser) deletable(e expr) {
	switch e := e.(type) {
	case *nameExpr, *attribute, *subscript:
	case *tupleExpr:
		for _, t := range e.elts {
			p.deletable(t)
		}
	case *listExpr:
		for _, t := range e.elts {
			p.deletable(t)
		}
	default:
		p.fail("deletes what is no target")
	}
}

// targets reads what a "for" assigns to.
func (p *parser) targets() expr {
	e := p.stars(func() expr {
		if p.is("*") {
			return p.star()
		}
		return p.binary(1)
	})
	p.target(e)
	return e
}

func (p *parser) importNames() stmt {
	s := &importStmt{at: p.here()}
	p.wantWord("import")
	for {
		a := &alias{at: p.here(), name: p.dotted()}
		if p.takeWord("as") {
			a.asname = p.identifier()
		}
		s.names = append(s.names, a)
		if !p.take(",") {
			return s
		}
	}
}

func (p *parser) dotted() string {
	var b strings.Builder
	b.WriteString(p.identifier())
	for p.take(".") {
		b.WriteString("." + p.identifier())
	}
	return b.String()
}

func (p *parser) importFrom() stmt {
	s := &importFrom{at: p.here()}
	p.wantWord("from")
	for p.is(".") || p.is("...") {
		s.level += len(p.next().text)
	}
	if s.level == 0 || !p.word("import") {
		s.module = p.dotted()
	}
	p.wantWord("import")
	one := func() {
		a := &alias{at: p.here(), name: p.identifier()}
		if p.takeWord("as") {
			a.asname = p.identifier()
		}
		s.names = append(s.names, a)
	}
	switch line := p.here(); {
	case p.take("*"):
		s.names = []*alias{{at: line, name: "*"}}
	case p.take("("):
		one()
		if p.take(",") {
			p.list(")", one)
		} else {
			p.want(")")
		}
	default:
		one()
		for p.take(",") {
			one()
		}
	}
	return s
}

func (p *parser) typeAlias() stmt {
	s := &typeAlias{at: p.here()}
	p.next()
	s.name = &nameExpr{p.here(), p.identifier()}
	s.typeParams = p.typeParams()
	p.want("=")
	s.value = p.expression()
	return s
}
