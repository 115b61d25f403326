package trace

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

func (w *world) newObject(k kind, site int64, content value) value {
	id, ok := w.fresh(site)
	if !ok {
		content = unknown
	}
	w.setContent(id, content)
	return simple(k, id, "")
}

func (w *world) newList(site int64, content value) value { return w.newObject(listKind, site, content) }
func (w *world) newDict(site int64, content value) value { return w.newObject(dictKind, site, content) }

// sequence is what an iterable holds, as a tuple; unknown if that is not known or the iterable runs code.
func (w *world) sequence(v value) value {
	switch v.kind {
	case tupleKind:
		return v
	case listKind, setKind, iteratorKind:
		return w.content(v.num)
	case dictKind:
		content := w.content(v.num)
		if content.kind == mapKind {
			return tuple(every(content.items(), 2))
		}
		if content.kind == watchedKind {
			return unknown
		}
	case mapKind:
		return tuple(every(v.items(), 2))
	}
	return unknown
}

// every is each n-th of the values.
func every(vs []value, n int) []value {
	var out []value
	for i := 0; i < len(vs); i += n {
		out = append(out, vs[i])
	}
	return out
}

// extend adds what the iterable holds to a list or set.
func (w *world) extend(list, iterable value) {
	if list.kind != listKind && list.kind != setKind {
		return
	}
	have, more := w.content(list.num), w.sequence(iterable)
	if have.kind != tupleKind || more.kind != tupleKind {
		w.setContent(list.num, unknown)
		return
	}
	w.setContent(list.num, tuple(append(append([]value(nil), have.items()...), more.items()...)))
}

// build makes tuples, lists, sets, dicts and strings.
func (r *run) build(c *control, in *ir.Instr) *control {
	site := r.f.site(c.pc)
	switch in.Op {
	case ir.BuildTuple:
		c.push(tuple(c.popn(in.Arg)))
	case ir.BuildList:
		items := c.popn(in.Arg)
		c.push(c.w.newList(site, tuple(items)))
	case ir.BuildSet:
		items := c.popn(in.Arg)
		c.push(c.w.newObject(setKind, site, tuple(items)))
	case ir.BuildMap:
		content := mapping(nil)
		pairs := c.popn(2 * in.Arg)
		for i := 0; i < len(pairs); i += 2 {
			content = put(content, pairs[i], pairs[i+1])
		}
		c.push(c.w.newDict(site, content))
	case ir.BuildConstMap:
		keys, vals := c.pop(), c.popn(in.Arg)
		c.push(c.w.newDict(site, zipped(keys, vals)))
	case ir.BuildUnpack:
		r.buildUnpack(c, in, site)
	case ir.ListToTuple:
		c.push(c.w.sequence(c.pop()))
	case ir.Format:
		x := c.popn(max(in.Arg, 1))[0]
		if x.kind == instanceKind {
			return r.apply(c, r.call(c).written(x, "__format__"), true)
		}
		c.push(formatted(x))
	default:
		c.push(joined(c.popn(in.Arg)))
	}
	return c.next()
}

func zipped(keys value, vals []value) value {
	if keys.kind != tupleKind || len(keys.items()) != len(vals) {
		return unknown
	}
	content := mapping(nil)
	for i, k := range keys.items() {
		content = put(content, k, vals[i])
	}
	return content
}

func (r *run) buildUnpack(c *control, in *ir.Instr, site int64) {
	parts := c.popn(in.Arg)
	if in.Name == "map" {
		content := mapping(nil)
		for _, p := range parts {
			content = r.mergedInto(c, content, p)
		}
		c.push(c.w.newDict(site, content))
		return
	}
	list := c.w.newList(site, tuple(nil))
	for _, p := range parts {
		c.w.extend(list, p)
	}
	switch in.Name {
	case "tuple":
		c.push(c.w.content(list.num))
	case "set":
		c.push(c.w.newObject(setKind, site, c.w.content(list.num)))
	default:
		c.push(list)
	}
}

// mergedInto is the content of a dict with the mapping's entries added; os.environ among the mappings is copied.
func (r *run) mergedInto(c *control, content, mapping value) value {
	if mapping.named("os.environ") {
		return r.call(c).environCopy()
	}
	return c.w.merged(content, mapping)
}

// formatted is the text of a value in an f-string.
func formatted(x value) value {
	switch {
	case x.kind == stringKind:
		return x
	case secretsIn(x) != 0:
		return secret(secretsIn(x))
	case x.kind == intKind:
		return text(decimal(x.num))
	}
	return unknown
}

func joined(parts []value) value {
	all := text("")
	for _, p := range parts {
		all = joinTexts(all, p, "+")
	}
	return all
}

// grow adds to a list, set or dict that is being built.
func (r *run) grow(c *control, in *ir.Instr) *control {
	switch in.Op {
	case ir.MapAdd:
		v, k := c.pop(), c.pop()
		if d := *c.top(in.Arg); d.kind == dictKind {
			c.w.setContent(d.num, put(c.w.content(d.num), k, v))
		}
		return c.next()
	case ir.ListAppend, ir.SetAdd:
		x := c.pop()
		c.w.extend(*c.top(in.Arg), tuple([]value{x}))
		return c.next()
	case ir.DictUpdate:
		m := c.pop()
		if d := *c.top(in.Arg); d.kind == dictKind {
			c.w.setContent(d.num, r.mergedInto(c, c.w.content(d.num), m))
		}
		return c.next()
	}
	iterable := c.pop()
	list := *c.top(in.Arg)
	return r.each(c, r.call(c).drain(iterable), func(n *control, all value) { n.w.extend(list, all) })
}

// each goes on with every outcome of an operation that gives a value to f instead of the stack.
func (r *run) each(c *control, outs []outcome, f func(n *control, v value)) *control {
	var first *control
	for i, o := range outs {
		n := c
		if i < len(outs)-1 {
			n = c.clone()
		}
		n.w = o.w
		switch o.how {
		case returned:
			f(n, o.val)
			n.pc++
		case raised:
			n = r.raise(n, o.val)
		default:
			r.out.add(o)
			n = nil
		}
		if n != nil && first == nil {
			first = n
		} else if n != nil {
			r.work = append(r.work, n)
		}
	}
	return first
}

// unpack takes a sequence apart.
func (r *run) unpack(c *control, in *ir.Instr) *control {
	v := c.pop()
	n := in.Arg
	if in.Op == ir.UnpackEx {
		n += 1 + in.Arg2
	}
	return r.each(c, r.call(c).drain(v), func(c *control, all value) {
		parts := make([]value, n)
		for i := range parts {
			parts[i] = unknown
		}
		items := all.items()
		switch {
		case all.kind != tupleKind:
		case in.Op == ir.Unpack && len(items) == n:
			copy(parts, items)
		case in.Op == ir.UnpackEx && len(items) >= n-1:
			copy(parts, items[:in.Arg])
			end := len(items) - in.Arg2
			parts[in.Arg] = c.w.newList(r.f.site(c.pc), tuple(items[in.Arg:end]))
			copy(parts[in.Arg+1:], items[end:])
		}
		for i := n - 1; i >= 0; i-- {
			c.push(parts[i])
		}
	})
}
