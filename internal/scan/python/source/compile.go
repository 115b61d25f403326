package source

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// maxInstructions bounds one program. Statements in "finally" are compiled once for
// each way out of their "try", so that nested ones could grow without end.
const maxInstructions = 1 << 20

// A compiler translates the tree of one source.
type compiler struct {
	scopes    map[any]*scope
	codes     map[any]*ir.Code // those that are finished, by node
	lazy      bool             // annotations are never evaluated
	optimized bool
	left      int // instructions until maxInstructions
	err       error
}

func (c *compiler) fail(line int, format string, args ...any) {
	if c.err == nil {
		c.err = refuse(line, format, args...)
	}
}

// compile returns the code of a module's body.
func compile(body []stmt, o Options) (*ir.Code, error) {
	s, err := analyse(body)
	if err != nil {
		return nil, err
	}
	c := &compiler{
		scopes: s.scopes, codes: map[any]*ir.Code{}, lazy: s.lazy, optimized: o.Optimized, left: maxInstructions,
	}
	u := c.unit(nil, nil, 1)
	u.body(body)
	u.none()
	u.op(ir.Return)
	return u.finish(), c.err
}

// body compiles statements that may begin with a docstring, which a module and a
// class keep in a name.
func (u *unit) body(list []stmt) {
	if len(list) > 0 {
		if e, ok := list[0].(*exprStmt); ok {
			if doc, ok := e.value.(*constant); ok && isText(doc.value) {
				u.at(e)
				u.expression(doc)
				u.storeName("__doc__")
				list = list[1:]
			}
		}
	}
	u.statements(list)
}

func isText(v any) bool {
	switch v.(type) {
	case string, opaque:
		return true
	}
	return false
}

// makeFunction pushes a function of code; the bits say what else is on the stack.
func (u *unit) makeFunction(code *ir.Code, bits int) {
	if len(code.Free) > 0 {
		for _, n := range code.Free {
			u.named(ir.LoadClosure, n)
		}
		u.count(ir.BuildTuple, len(code.Free))
		bits |= ir.Closure
	}
	u.load(ir.Const{Kind: ir.CodeObject, Code: code})
	u.count(ir.MakeFunction, bits)
}

// defaults pushes the defaults of parameters, and says with which bits.
func (u *unit) defaults(a *arguments) (bits int) {
	if len(a.defaults) > 0 {
		u.expressions(a.defaults)
		u.count(ir.BuildTuple, len(a.defaults))
		bits |= ir.Defaults
	}
	n := 0
	for i, d := range a.kwDefaults {
		if d != nil {
			u.load(ir.Const{Kind: ir.Str, Text: u.scope.mangle(a.kwonly[i].name)})
			u.expression(d)
			n++
		}
	}
	if n > 0 {
		u.count(ir.BuildMap, n)
		bits |= ir.KwDefaults
	}
	return bits
}

// parameters sets those of a function.
func (u *unit) parameters(a *arguments) {
	for _, p := range a.all() {
		u.code.Params = append(u.code.Params, u.scope.mangle(p.name))
	}
	u.code.PosOnly = len(a.posonly)
	u.code.Positional = len(a.posonly) + len(a.args)
	u.code.KeywordOnly = len(a.kwonly)
	u.code.VarArgs = a.vararg != nil
	u.code.VarKeywords = a.kwarg != nil
}

// once compiles the code that a node stands for, but only the first time: statements
// in "finally" are compiled more than once.
func (u *unit) once(node any, line int, fill func(inner *unit)) *ir.Code {
	if code := u.codes[node]; code != nil {
		return code
	}
	inner := u.unit(u, node, line)
	fill(inner)
	code := inner.finish()
	u.codes[node] = code
	return code
}

func (u *unit) functionDef(x *functionDef) {
	u.expressions(x.decorators)
	bits := u.defaults(x.args)
	u.generic(x.typeParams, acting(x.annotations()), bits, x, func(u *unit, bits int) {
		u.annotations(x.annotations()...)
		code := u.once(x, firstLine(x, x.decorators), func(inner *unit) {
			inner.parameters(x.args)
			inner.code.Flow = inner.scope.flow()
			inner.statements(x.body)
			inner.none()
			inner.op(ir.Return)
		})
		u.at(x)
		u.makeFunction(code, bits)
	})
	u.decorate(x.decorators)
	u.at(x)
	u.storeName(x.name)
}

// firstLine returns the line on which a definition begins with its decorators.
func firstLine(x stmt, decorators []expr) int {
	if len(decorators) > 0 {
		return decorators[0].line()
	}
	return x.line()
}

// decorate calls decorators, which lie below what they decorate: the last one first.
func (u *unit) decorate(decorators []expr) {
	for _, d := range slices.Backward(decorators) {
		u.at(d)
		u.call(1)
	}
}

// flow says what a call of a scope's function gives.
func (s *scope) flow() ir.Flow {
	switch {
	case s.async && s.yields || s.name == compNames[genExp] && s.kind == compScope && s.awaits:
		return ir.AsyncGenerator
	case s.async || s.kind == compScope && s.awaits:
		return ir.Coroutine
	case s.yields || s.name == compNames[genExp] && s.kind == compScope:
		return ir.Generator
	}
	return ir.Plain
}

// annotations evaluates those that may do more than look names up; their values are
// not kept. Others are left out: what they name is often not there at run time, or only
// for type checkers. Until 3.13 they are evaluated where they stand, since 3.14 only
// when someone asks, so both ways are open.
func (u *unit) annotations(list ...expr) {
	if list = acting(list); u.lazy || len(list) == 0 {
		return
	}
	u.at(list[0])
	after := u.label()
	u.opaque(0)
	u.jump(ir.JumpIfFalse, after)
	depth := u.depth
	for _, e := range list {
		if s, ok := e.(*starred); ok {
			e = s.value
		}
		u.expression(e)
		u.op(ir.Pop)
	}
	u.place(after, depth)
}
