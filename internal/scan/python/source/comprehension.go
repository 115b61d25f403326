package source

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// comprehension compiles one as a function that is called at once with the iterator
// that it begins with. (Since 3.12 most are part of the code around; what they do is
// the same.)
func (u *unit) comprehension(e *comp) {
	code := u.once(e, e.line(), func(inner *unit) { inner.comprehensionBody(e) })
	u.makeFunction(code, 0)
	first := e.generators[0]
	u.expression(first.iter)
	u.at(e)
	u.iterate(first.async)
	u.call(1)
	if code.Flow == ir.Coroutine {
		u.op(ir.Await)
	}
}

func (u *unit) iterate(async bool) {
	if async {
		u.op(ir.GetAIter)
	} else {
		u.op(ir.GetIter)
	}
}

func (u *unit) comprehensionBody(e *comp) {
	u.code.Params, u.code.Positional = []string{firstIter}, 1
	u.code.Flow = u.scope.flow()
	switch e.kind {
	case listComp:
		u.count(ir.BuildList, 0)
	case setComp:
		u.count(ir.BuildSet, 0)
	case dictComp:
		u.count(ir.BuildMap, 0)
	}
	u.named(ir.LoadLocal, firstIter)
	u.generator(e, 0)
	if e.kind == genExp {
		u.none()
	}
	u.op(ir.Return)
}

// generator compiles the i-th loop, whose iterator is pushed, and what is inside it.
func (u *unit) generator(e *comp, i int) {
	g := e.generators[i]
	l := u.loop(g.async)
	u.store(g.target)
	for _, test := range g.ifs {
		u.jumpIf(test, l.next, false)
	}
	if i+1 < len(e.generators) {
		u.expression(e.generators[i+1].iter)
		u.at(e)
		u.iterate(e.generators[i+1].async)
		u.generator(e, i+1)
	} else {
		u.element(e)
	}
	u.jump(ir.Jump, l.next)
	u.exhausted(l)
}

// element adds an element to what is built, which lies below all iterators.
func (u *unit) element(e *comp) {
	u.expression(e.elt)
	depth := len(e.generators) + 1
	switch e.kind {
	case listComp:
		u.at(e.elt)
		u.count(ir.ListAppend, depth)
	case setComp:
		u.at(e.elt)
		u.count(ir.SetAdd, depth)
	case dictComp:
		u.expression(e.value)
		u.at(e.elt)
		u.count(ir.MapAdd, depth)
	case genExp:
		u.at(e.elt)
		u.op(ir.Yield)
		u.op(ir.Pop)
	}
}

// A loop is a "for" in the making.
type loop struct {
	async      bool
	next, last label // where the next item is fetched; where it ends
	depth      int   // of the stack without the iterator
	line       int
}

// loop begins one whose iterator is pushed: it pushes the next item.
func (u *unit) loop(async bool) loop {
	l := loop{async, u.label(), u.label(), u.depth - 1, u.line}
	u.place(l.next, u.depth)
	if !async {
		u.jump(ir.ForIter, l.last)
		return l
	}
	around := u.active
	u.active = &handler{l.last, u.depth, ir.Exception}
	u.op(ir.GetANext)
	u.op(ir.Await)
	u.active = around
	return l
}

// exhausted ends a loop: its iterator is gone then.
func (u *unit) exhausted(l loop) {
	u.line = l.line
	if !l.async {
		u.place(l.last, l.depth)
		return
	}
	u.place(l.last, l.depth+2)
	u.count(ir.EndAsyncFor, 2)
}
