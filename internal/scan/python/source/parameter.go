package source

// parameters reads those of a function up to the operator that ends them (Python
// reference, 8.7 and 6.14).
func (p *parser) parameters(closing string, annotations bool) *arguments {
	a := &arguments{}
	star := false
	for !p.is(closing) && p.err == nil {
		switch {
		case p.take("/"):
			if a.posonly != nil || a.args == nil || star {
				p.fail("has a / among its parameters where none can be")
			}
			a.posonly, a.args = a.args, nil
		case p.take("**"):
			a.kwarg = p.parameter(annotations, false)
			p.take(",")
			if !p.is(closing) {
				p.unexpected()
			}
		case p.is("*"):
			if p.next(); star {
				p.unexpected()
			}
			star = true
			if !p.is(",") {
				a.vararg = p.parameter(annotations, true)
			} else if p.ahead(1).text == closing || p.ahead(1).text == "**" {
				p.fail("has no parameter after a *")
			}
		default:
			p.plainParameter(a, star, annotations)
		}
		if !p.take(",") {
			break
		}
	}
	p.distinct(a)
	if !p.is(closing) {
		p.unexpected()
	}
	return a
}

// plainParameter reads one without stars, and its default.
func (p *parser) plainParameter(a *arguments, keywordOnly, annotations bool) {
	param := p.parameter(annotations, false)
	var value expr
	if p.take("=") {
		value = p.expression()
	}
	switch {
	case keywordOnly:
		a.kwonly = append(a.kwonly, param)
		a.kwDefaults = append(a.kwDefaults, value)
		return
	case value != nil:
		a.defaults = append(a.defaults, value)
	case a.defaults != nil:
		p.fail("has a parameter without a default after one with")
	}
	a.args = append(a.args, param)
}

// parameter reads a parameter's name and its annotation.
func (p *parser) parameter(annotations, star bool) *arg {
	a := &arg{at: p.here(), name: p.identifier()}
	if annotations && p.take(":") {
		if star {
			a.annotation = p.starExpression()
		} else {
			a.annotation = p.expression()
		}
	}
	return a
}

// distinct refuses parameters of one name.
func (p *parser) distinct(a *arguments) {
	seen := map[string]bool{}
	for _, x := range a.all() {
		if seen[x.name] && p.err == nil {
			p.fail("has two parameters %s", brief(x.name))
		}
		seen[x.name] = true
	}
}

// all returns the parameters in the order of CPython's local variables.
func (a *arguments) all() []*arg {
	var list []*arg
	list = append(list, a.posonly...)
	list = append(list, a.args...)
	list = append(list, a.kwonly...)
	if a.vararg != nil {
		list = append(list, a.vararg)
	}
	if a.kwarg != nil {
		list = append(list, a.kwarg)
	}
	return list
}

// typeParams reads the parameters in brackets after a name (PEP 695, PEP 696).
func (p *parser) typeParams() []*typeParam {
	if !p.take("[") {
		return nil
	}
	var list []*typeParam
	p.list("]", func() {
		t := &typeParam{at: p.here()}
		switch {
		case p.take("**"):
			t.stars = 2
		case p.take("*"):
			t.stars = 1
		}
		t.name = p.identifier()
		if t.stars == 0 && p.take(":") {
			t.bound = p.expression()
		}
		if p.take("=") {
			if t.stars == 1 {
				t.defaultValue = p.starExpression()
			} else {
				t.defaultValue = p.expression()
			}
		}
		list = append(list, t)
	})
	if list == nil {
		p.unexpected()
	}
	return list
}
