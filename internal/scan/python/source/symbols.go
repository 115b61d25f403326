package source

// symbols finds out which names each scope of a tree binds and uses.
type symbols struct {
	scope  *scope
	scopes map[any]*scope // by the node that opens it
	lazy   bool           // "from __future__ import annotations"
	nested int
	err    error
}

// maxScopes bounds how deep scopes nest, as package ir does.
const maxScopes = 90

// analyse returns the scopes of a module by the nodes that open them; the module's
// own is that of nil.
func analyse(body []stmt) (*symbols, error) {
	s := &symbols{scope: newScope(moduleScope, "<module>", nil), scopes: map[any]*scope{}}
	s.scopes[nil] = s.scope
	s.statements(body)
	if s.err != nil {
		return nil, s.err
	}
	if missing := s.scope.resolve(); missing != "" {
		return nil, refuse(1, "declares %s nonlocal, and no function around binds it", brief(missing))
	}
	return s, nil
}

func (s *symbols) fail(line int, format string, args ...any) {
	if s.err == nil {
		s.err = refuse(line, format, args...)
	}
}

// in visits what is inside the scope that a node opens.
func (s *symbols) in(node any, kind scopeKind, name string, visit func()) *scope {
	around := s.scope
	s.scope = newScope(kind, name, around)
	s.scopes[node] = s.scope
	if s.nested++; s.nested > maxScopes {
		s.fail(1, "nests functions deeper than %d", maxScopes)
	} else {
		visit()
	}
	s.nested--
	opened := s.scope
	s.scope = around
	return opened
}

func (s *symbols) statements(list []stmt) {
	for _, x := range list {
		s.statement(x)
	}
}

func (s *symbols) statement(x stmt) {
	switch x := x.(type) {
	case *functionDef:
		s.functionDef(x)
	case *classDef:
		s.classDef(x)
	case *ifStmt:
		s.loads(x.test)
		s.statements(x.body)
		s.statements(x.orelse)
	case *whileStmt:
		s.loads(x.test)
		s.statements(x.body)
		s.statements(x.orelse)
	case *forStmt:
		s.loads(x.iter)
		s.store(x.target)
		s.statements(x.body)
		s.statements(x.orelse)
		s.suspends(x.line(), x.async)
	case *withStmt:
		for _, w := range x.items {
			s.loads(w.context)
			s.store(w.vars)
		}
		s.statements(x.body)
		s.suspends(x.line(), x.async)
	case *matchStmt:
		s.matchStatement(x)
	case *tryStmt:
		s.try(x)
	default:
		s.simple(x)
	}
}

// suspends notes what only an asynchronous function may do.
func (s *symbols) suspends(line int, yes bool) {
	if !yes {
		return
	}
	f := s.scope
	for f.kind == compScope && f.name != compNames[genExp] {
		f.awaits = true
		f = f.parent
	}
	f.awaits = true
	if !f.async && f.kind != compScope { // a generator may await: it is an asynchronous one
		s.fail(line, "awaits outside an asynchronous function")
	}
}

func (s *symbols) matchStatement(x *matchStmt) {
	s.loads(x.subject)
	for _, c := range x.cases {
		patternValues(c.pattern, func(e expr) { s.loads(e) })
		captures(c.pattern, s.scope.bind)
		s.loads(c.guard)
		s.statements(c.body)
	}
}

func (s *symbols) try(x *tryStmt) {
	s.statements(x.body)
	for _, h := range x.handlers {
		s.loads(h.kind)
		if h.name != "" {
			s.scope.bind(h.name)
		}
		s.statements(h.body)
	}
	s.statements(x.orelse)
	s.statements(x.final)
}

func (s *symbols) simple(x stmt) {
	switch x := x.(type) {
	case *returnStmt:
		if s.scope.kind != functionScope {
			s.fail(x.line(), "returns outside a function")
		}
		s.loads(x.value)
	case *deleteStmt:
		for _, t := range x.targets {
			s.store(t)
		}
	case *assign:
		s.loads(x.value)
		for _, t := range x.targets {
			s.store(t)
		}
	case *augAssign:
		s.loads(x.target, x.value)
		s.store(x.target)
	case *annAssign:
		s.annotations(x.annotation)
		s.loads(x.value)
		if _, ok := x.target.(*nameExpr); !ok || x.simple || x.value != nil {
			s.store(x.target)
		}
	case *raiseStmt:
		s.loads(x.exc, x.cause)
	case *assertStmt:
		s.loads(x.test, x.msg)
	case *exprStmt:
		s.loads(x.value)
	case *typeAlias:
		s.store(x.name)
	default:
		s.declaration(x)
	}
}

func (s *symbols) declaration(x stmt) {
	switch x := x.(type) {
	case *importStmt:
		for _, a := range x.names {
			s.scope.bind(a.bound())
		}
	case *importFrom:
		for _, a := range x.names {
			switch {
			case a.name != "*":
				s.scope.bind(a.bound())
			case s.scope.kind != moduleScope:
				s.fail(x.line(), "imports all names outside a module's body")
			}
			s.lazy = s.lazy || x.module == "__future__" && a.name == "annotations"
		}
	case *globalStmt:
		for _, n := range x.names {
			s.scope.globals[s.scope.mangle(n)] = true
		}
	case *nonlocalStmt:
		for _, n := range x.names {
			s.scope.outer[s.scope.mangle(n)] = true
		}
	}
}

// bound returns the name that an import binds.
func (a *alias) bound() string {
	if a.asname != "" {
		return a.asname
	}
	for i, c := range a.name {
		if c == '.' {
			return a.name[:i]
		}
	}
	return a.name
}

// annotations visits them as if they were evaluated where they stand.
func (s *symbols) annotations(list ...expr) {
	if !s.lazy {
		s.loads(list...)
	}
}

// functionDef visits a definition. Decorators and defaults belong to the scope around.
func (s *symbols) functionDef(x *functionDef) {
	s.loads(x.decorators...)
	s.defaults(x.args)
	s.scope.bind(x.name)
	s.generic(x.typeParams, func() {
		s.annotations(x.annotations()...)
		s.in(x, functionScope, x.name, func() {
			s.scope.async = x.async
			s.parameters(x.args)
			s.statements(x.body)
		})
	})
}

func (s *symbols) defaults(a *arguments) {
	s.loads(a.defaults...)
	s.loads(a.kwDefaults...)
}

func (s *symbols) parameters(a *arguments) {
	for _, p := range a.all() {
		s.scope.bind(p.name)
	}
}

// generic visits what is inside the scope of type parameters, if there are any.
func (s *symbols) generic(params []*typeParam, visit func()) {
	if params == nil {
		visit()
		return
	}
	s.in(params[0], genericScope, "<generic parameters>", func() {
		for _, t := range params {
			s.scope.bind(t.name)
		}
		visit()
	})
}

func (s *symbols) classDef(x *classDef) {
	s.loads(x.decorators...)
	s.scope.bind(x.name)
	s.generic(x.typeParams, func() {
		s.loads(x.bases...)
		s.loads(values(x.keywords)...)
		s.in(x, classScope, x.name, func() {
			s.scope.class = x.name
			s.statements(x.body)
		})
	})
}
