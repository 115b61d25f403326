package source

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

func (u *unit) statements(list []stmt) {
	for _, s := range list {
		if u.err != nil {
			return
		}
		depth := u.depth
		u.at(s)
		u.statement(s)
		u.depth = depth // behind "break" and the like it is another one
	}
}

func (u *unit) statement(s stmt) {
	switch s := s.(type) {
	case *functionDef:
		u.functionDef(s)
	case *classDef:
		u.classDef(s)
	case *ifStmt:
		u.ifStatement(s)
	case *whileStmt:
		u.while(s)
	case *forStmt:
		u.forStatement(s)
	case *tryStmt:
		u.try(s)
	case *withStmt:
		u.with(s, 0)
	case *matchStmt:
		u.match(s)
	case *returnStmt:
		u.returns(s)
	case *breakStmt:
		u.leaveLoop(s.line(), "break")
	case *continueStmt:
		u.leaveLoop(s.line(), "continue")
	default:
		u.simple(s)
	}
}

func (u *unit) simple(s stmt) {
	switch s := s.(type) {
	case *exprStmt:
		if _, ok := s.value.(*constant); ok {
			return
		}
		u.expression(s.value)
		u.op(ir.Pop)
	case *assign:
		u.expression(s.value)
		for i, t := range s.targets {
			if i < len(s.targets)-1 {
				u.count(ir.Copy, 1)
			}
			u.store(t)
		}
	case *augAssign:
		u.augment(s)
	case *annAssign:
		u.annotated(s)
	case *deleteStmt:
		for _, t := range s.targets {
			u.remove(t)
		}
	case *raiseStmt:
		u.raise(s)
	case *assertStmt:
		u.assert(s)
	case *importStmt:
		u.importNames(s)
	case *importFrom:
		u.importFrom(s)
	case *typeAlias: // its value is evaluated only when someone asks (PEP 695)
		u.opaque(0)
		u.store(s.name)
	case *passStmt, *globalStmt, *nonlocalStmt:
	default:
		u.lost(0, "a statement")
	}
}

func (u *unit) annotated(s *annAssign) {
	if s.value != nil {
		u.expression(s.value)
		u.store(s.target)
	}
	if t, ok := s.target.(*nameExpr); ok && s.simple && u.scope.kind == classScope {
		u.code.Fields = append(u.code.Fields, u.scope.mangle(t.id))
	}
	if !u.scope.function() { // those of local variables are never evaluated
		u.annotations(s.annotation)
	}
	if s.value != nil {
		return
	}
	switch t := s.target.(type) { // without a value, what the target consists of is evaluated
	case *attribute:
		u.expression(t.value)
		u.op(ir.Pop)
	case *subscript:
		u.expression(t.value)
		u.op(ir.Pop)
		u.expression(t.slice)
		u.op(ir.Pop)
	}
}

func (u *unit) raise(s *raiseStmt) {
	n := 0
	for _, e := range []expr{s.exc, s.cause} {
		if e != nil {
			u.expression(e)
			n++
		}
	}
	u.at(s)
	u.count(ir.Raise, n)
}

func (u *unit) assert(s *assertStmt) {
	if u.optimized {
		return
	}
	holds := u.label()
	u.jumpIf(s.test, holds, true)
	u.at(s)
	u.named(ir.LoadBuiltin, "AssertionError")
	if s.msg != nil {
		u.expression(s.msg)
		u.at(s)
		u.call(1)
	}
	u.count(ir.Raise, 1)
	u.place(holds, u.depth)
}

func (u *unit) ifStatement(s *ifStmt) {
	otherwise, done := u.label(), u.label()
	u.jumpIf(s.test, otherwise, false)
	u.statements(s.body)
	u.jump(ir.Jump, done)
	u.place(otherwise, u.depth)
	u.statements(s.orelse)
	u.place(done, u.depth)
}

func (u *unit) while(s *whileStmt) {
	test, last, done := u.label(), u.label(), u.label()
	u.place(test, u.depth)
	u.jumpIf(s.test, last, false)
	u.push(block{kind: whileBlock, next: test, done: done})
	u.statements(s.body)
	u.pop()
	u.jump(ir.Jump, test)
	u.place(last, u.depth)
	u.statements(s.orelse)
	u.place(done, u.depth)
}

func (u *unit) forStatement(s *forStmt) {
	u.expression(s.iter)
	u.at(s)
	u.iterate(s.async)
	l, done := u.loop(s.async), u.label()
	u.store(s.target)
	u.push(block{kind: forBlock, next: l.next, done: done})
	u.statements(s.body)
	u.pop()
	u.at(s)
	u.jump(ir.Jump, l.next)
	u.exhausted(l)
	u.statements(s.orelse)
	u.place(done, u.depth)
}

func (u *unit) importNames(s *importStmt) {
	for _, a := range s.names {
		u.load(ir.Const{Kind: ir.Int})
		u.none()
		u.named(ir.Import, u.scope.mangle(a.name))
		if a.asname != "" {
			u.submodule(a.name)
			u.storeName(a.asname)
		} else {
			u.storeName(a.bound())
		}
	}
}

// submodule makes of the top package the module that a dotted name names.
func (u *unit) submodule(name string) {
	for i := 0; i < len(name); i++ {
		if name[i] != '.' {
			continue
		}
		j := i + 1
		for j < len(name) && name[j] != '.' {
			j++
		}
		u.named(ir.ImportFrom, u.scope.mangle(name[i+1:j]))
		u.count(ir.Swap, 2)
		u.op(ir.Pop)
	}
}

func (u *unit) importFrom(s *importFrom) {
	names := ir.Const{Kind: ir.Tuple}
	for _, a := range s.names {
		names.Items = append(names.Items, ir.Const{Kind: ir.Str, Text: a.name})
	}
	u.load(ir.Const{Kind: ir.Int, Int: int64(s.level)})
	u.load(names)
	u.named(ir.Import, u.scope.mangle(s.module))
	for _, a := range s.names {
		if a.name == "*" {
			u.op(ir.ImportStar)
			return
		}
		u.named(ir.ImportFrom, u.scope.mangle(a.name))
		u.storeName(a.bound())
	}
	u.op(ir.Pop)
}
