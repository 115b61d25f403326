package source

// loads visits expressions that are evaluated.
func (s *symbols) loads(list ...expr) {
	for _, e := range list {
		if e != nil {
			s.load(e)
		}
	}
}

func (s *symbols) load(e expr) {
	switch e := e.(type) {
	case *nameExpr:
		s.scope.use(e.id)
	case *namedExpr:
		s.loads(e.value)
		s.named(e)
	case *lambda:
		s.defaults(e.args)
		s.in(e, functionScope, "<lambda>", func() {
			s.parameters(e.args)
			s.load(e.body)
		})
	case *comp:
		s.comprehension(e)
	case *yieldExpr:
		s.yields(e.line())
		s.loads(e.value)
	case *yieldFrom:
		s.yields(e.line())
		s.loads(e.value)
	case *awaitExpr:
		s.suspends(e.line(), true)
		s.loads(e.value)
	default:
		s.loads(parts(e)...)
	}
}

// yields notes that the scope is a generator.
func (s *symbols) yields(line int) {
	if s.scope.kind != functionScope {
		s.fail(line, "yields outside a function")
	}
	s.scope.yields = true
}

// named binds what ":=" assigns to: in a comprehension, the name belongs to the
// function around (PEP 572).
func (s *symbols) named(e *namedExpr) {
	id := e.target.(*nameExpr).id
	o := s.scope
	for o.kind == compScope {
		o = o.parent
	}
	if o == s.scope {
		o.bind(id)
		return
	}
	s.scope.use(id)
	switch {
	case o.kind == classScope:
		s.fail(e.line(), "assigns in a comprehension of a class's body")
	case o.kind == moduleScope || o.globals[o.mangle(id)]:
		s.scope.globals[s.scope.mangle(id)] = true
	default:
		o.bind(id)
		s.scope.outer[s.scope.mangle(id)] = true
	}
}

var compNames = map[compKind]string{listComp: "<listcomp>", setComp: "<setcomp>", dictComp: "<dictcomp>", genExp: "<genexpr>"}

// comprehension visits one as the function that it is: only what it iterates over
// first belongs to the scope around.
func (s *symbols) comprehension(e *comp) {
	s.load(e.generators[0].iter)
	opened := s.in(e, compScope, compNames[e.kind], func() {
		s.scope.bind(firstIter)
		for i, g := range e.generators {
			if i > 0 {
				s.load(g.iter)
			}
			s.store(g.target)
			s.loads(g.ifs...)
			s.suspends(e.line(), g.async && e.kind != genExp)
			s.scope.awaits = s.scope.awaits || g.async
		}
		s.loads(e.elt, e.value)
	})
	if opened.awaits && e.kind != genExp { // its result is awaited where it stands
		s.suspends(e.line(), true)
	}
}

// firstIter is the parameter through which a comprehension gets what it iterates over.
const firstIter = ".0"

// store visits what is assigned to or deleted; nil is nothing.
func (s *symbols) store(e expr) {
	switch e := e.(type) {
	case *nameExpr:
		s.scope.bind(e.id)
	case *starred:
		s.store(e.value)
	case *tupleExpr:
		for _, x := range e.elts {
			s.store(x)
		}
	case *listExpr:
		for _, x := range e.elts {
			s.store(x)
		}
	case nil:
	default:
		s.loads(parts(e)...)
	}
}
