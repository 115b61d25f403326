package source

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// match compiles a match statement: a pattern is tested as a whole before it binds
// names. What the parts of a sequence, a mapping or an instance are is not known.
func (u *unit) match(s *matchStmt) {
	done, depth := u.label(), u.depth
	u.expression(s.subject)
	for _, c := range s.cases {
		next := u.label()
		u.at(c.pattern)
		u.count(ir.Copy, 1)
		u.test(c.pattern, next)
		u.count(ir.Copy, 1)
		u.bindPattern(c.pattern)
		if c.guard != nil {
			u.jumpIf(c.guard, next, false)
		}
		u.op(ir.Pop)
		u.statements(c.body)
		u.jump(ir.Jump, done)
		u.place(next, depth+1)
	}
	u.op(ir.Pop)
	u.place(done, depth)
}

// test pops a value and jumps if the pattern doesn't match it.
func (u *unit) test(p pattern, fail label) {
	u.at(p)
	switch p := p.(type) {
	case *matchAs:
		if p.pattern == nil {
			u.op(ir.Pop)
		} else {
			u.test(p.pattern, fail)
		}
		return
	case *matchOr:
		u.testAny(p, fail)
		return
	case *matchValue:
		u.expression(p.value)
		u.at(p)
		u.named(ir.Compare, "==")
	case *matchSingleton:
		c, _ := value(p.value)
		u.load(c)
		u.named(ir.Compare, "is")
	default: // looks at the value, but changes nothing
		u.opaque(1)
	}
	u.jump(ir.JumpIfFalse, fail)
}

func (u *unit) testAny(p *matchOr, fail label) {
	matched, depth := u.label(), u.depth
	for _, x := range p.patterns {
		next := u.label()
		u.count(ir.Copy, 1)
		u.test(x, next)
		u.jump(ir.Jump, matched)
		u.place(next, depth)
	}
	u.op(ir.Pop)
	u.jump(ir.Jump, fail)
	u.place(matched, depth)
	u.op(ir.Pop)
}

// bindPattern pops a value and binds the names that the pattern captures of it.
func (u *unit) bindPattern(p pattern) {
	u.at(p)
	as, ok := p.(*matchAs)
	switch {
	case !ok:
		u.op(ir.Pop)
		captures(p, func(name string) {
			u.opaque(0)
			u.storeName(name)
		})
	case as.pattern != nil:
		u.count(ir.Copy, 1)
		u.bindPattern(as.pattern)
		u.storeName(as.name)
	case as.name != "":
		u.storeName(as.name)
	default:
		u.op(ir.Pop)
	}
}
