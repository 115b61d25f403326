package trace

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// operate does unary, binary and comparison operations.
func (r *run) operate(c *control, in *ir.Instr) *control {
	if x := *c.top(1); x.kind == instanceKind || in.Op != ir.Unary && in.Op != ir.ToBool && c.top(2).kind == instanceKind {
		return r.overloaded(c, in)
	}
	switch in.Op {
	case ir.ToBool:
		c.push(asBool(c.pop(), &c.w))
	case ir.Unary:
		c.push(unary(in.Name, c.pop(), &c.w))
	case ir.Compare:
		y, x := c.pop(), c.pop()
		c.push(compare(in.Name, x, y, &c.w))
	default:
		y, x := c.pop(), c.pop()
		return r.binary(c, in, x, y)
	}
	return c.next()
}

// overloads are the methods that operators call on the left or on the right.
var overloads = map[string][2]string{
	"==": {"__eq__", "__eq__"}, "!=": {"__ne__", "__ne__"}, "<": {"__lt__", "__gt__"}, ">": {"__gt__", "__lt__"}, "<=": {"__le__", "__ge__"},
	">=": {"__ge__", "__le__"}, "in": {"", "__contains__"}, "not in": {"", "__contains__"}, "+": {"__add__", "__radd__"},
	"-": {"__sub__", "__rsub__"}, "|": {"__or__", "__ror__"}, "&": {"__and__", "__rand__"}, "<<": {"__lshift__", "__rlshift__"},
	">>": {"__rshift__", "__rrshift__"}, "%": {"__mod__", "__rmod__"}, "*": {"__mul__", "__rmul__"}, "@": {"__matmul__", "__rmatmul__"},
	"/": {"__truediv__", "__rtruediv__"}, "//": {"__floordiv__", "__rfloordiv__"}, "**": {"__pow__", "__rpow__"}, "^": {"__xor__", "__rxor__"},
}

// overloaded is an operation on an object of the program's own: its method runs if it has one.
func (r *run) overloaded(c *control, in *ir.Instr) *control {
	cl := r.call(c)
	if in.Op == ir.Unary || in.Op == ir.ToBool {
		x := c.pop()
		outs, ok := cl.special(x, "__bool__")
		if !ok || in.Op == ir.Unary && in.Name != "not" {
			outs = cl.ret(asBool(x, &c.w))
		}
		return r.each(c, outs, func(n *control, v value) {
			if in.Op == ir.Unary {
				v = unary(in.Name, v, &n.w)
			}
			n.push(v)
		})
	}
	y, x := c.pop(), c.pop()
	names := overloads[in.Name]
	if x.kind == instanceKind {
		if outs, ok := cl.special(x, names[0], y); ok {
			return r.apply(c, outs, true)
		}
	}
	if y.kind == instanceKind {
		if outs, ok := cl.special(y, names[1], x); ok {
			return r.each(c, outs, func(n *control, v value) {
				if in.Name == "not in" {
					v = unary("not", v, &n.w)
				}
				n.push(v)
			})
		}
	}
	if in.Name == "%" && isText(x) {
		return r.apply(c, cl.written(y, ""), true)
	}
	if in.Op == ir.Compare {
		c.push(compare(in.Name, x, y, &c.w))
	} else {
		c.push(unknown)
	}
	return c.next()
}

// asBool is the value's truth; a condition of the environment remains one.
func asBool(v value, w *world) value {
	switch yes, no := truth(v, w); {
	case yes && no && v.kind == settingKind:
		return v
	case yes && no:
		return unknown
	default:
		return boolean(yes)
	}
}

func unary(op string, x value, w *world) value {
	switch {
	case op == "not":
		if yes, no := truth(x, w); yes != no {
			return boolean(no)
		}
		if x.kind == settingKind {
			return x
		}
	case op == "-" && x.kind == intKind:
		return integer(-x.num)
	case op == "+" && (x.kind == intKind || x.kind == idKind):
		return x
	case op == "~" && x.kind == intKind:
		return integer(^x.num)
	}
	return unknown
}

// binary computes x op y. What has operators of its own is not known.
func (r *run) binary(c *control, in *ir.Instr, x, y value) *control {
	if x.kind == listKind && in.Arg == 1 && in.Name == "+" {
		c.w.extend(x, y)
		c.push(x)
		return c.next()
	}
	if x.named("sys.path") && in.Arg == 1 {
		c.w = c.w.with(nameKey("sys.path", ""), none)
	}
	if in.Name == "-" && (x.named("os.environ") || x.kind == setKind || y.kind == setKind) {
		names := c.w.sequence(x)
		if all, ok := r.call(c).environNames(x); ok {
			names = all
		}
		c.push(c.w.subtract(names, c.w.sequence(y), r.f.site(c.pc)))
		return c.next()
	}
	if x.named("os.environ") && in.Name == "|" {
		call := r.call(c)
		if in.Arg == 1 {
			call.addAll(y)
			c.w = call.w
			c.push(x)
		} else {
			c.push(c.w.newDict(r.f.site(c.pc), c.w.merged(call.environCopy(), y)))
		}
		return c.next()
	}
	c.push(c.w.combine(in.Name, x, y, r.f.site(c.pc), in.Arg == 1))
	return c.next()
}

// combine is x op y for values without operators of their own.
func (w *world) combine(op string, x, y value, site int64, inPlace bool) value {
	switch {
	case op == "/" && x.kind == pathKind && (y.kind == stringKind || y.kind == pathKind):
		return simple(pathKind, 0, under(x.text, y.text))
	case x.kind == intKind && y.kind == intKind:
		return arithmetic(op, x.num, y.num)
	case isText(x) && isText(y) && op == "+", isText(x) && op == "%":
		return joinTexts(x, y, op)
	case op == "+" && x.kind == tupleKind && y.kind == tupleKind:
		return tuple(append(append([]value(nil), x.items()...), y.items()...))
	case op == "*" && (x.kind == tupleKind || x.kind == listKind) && y.kind == intKind:
		return w.repeated(x, y.num, site)
	case op == "+" && x.kind == listKind:
		a, b := w.sequence(x), w.sequence(y)
		if a.kind == tupleKind && b.kind == tupleKind {
			return w.newList(site, tuple(append(append([]value(nil), a.items()...), b.items()...)))
		}
		return w.newList(site, unknown)
	case op == "|" && x.kind == dictKind:
		both := w.merged(w.content(x.num), y)
		if inPlace {
			w.setContent(x.num, both)
			return x
		}
		return w.newDict(site, both)
	case inPlace && (x.kind == listKind || x.kind == dictKind || x.kind == setKind):
		w.setContent(x.num, unknown)
		return x
	}
	return unknown
}

// repeated is a tuple or a list times n.
func (w *world) repeated(x value, n, site int64) value {
	all := w.sequence(x)
	switch {
	case all.kind != tupleKind, n > maxItems, int(n)*len(all.items()) > maxItems:
		all = unknown
	default:
		var items []value
		for range max(n, 0) {
			items = append(items, all.items()...)
		}
		all = tuple(items)
	}
	if x.kind == tupleKind {
		return all
	}
	return w.newList(site, all)
}

func isText(v value) bool {
	return v.kind == stringKind || v.kind == secretKind || v.kind == settingKind
}

// joinTexts is x + y or x % y: known if both are, a secret if one is made of secrets.
func joinTexts(x, y value, op string) value {
	if s := secretsIn(x) | secretsIn(y); s != 0 {
		return secret(s)
	}
	if op == "+" && x.kind == stringKind && y.kind == stringKind {
		return text(x.text + y.text)
	}
	return unknown
}

// secretsIn are the variables whose values a value contains.
func secretsIn(v value) effect.Variables {
	switch v.kind {
	case secretKind:
		return effect.Variables(v.num)
	case tupleKind, mapKind:
		return v.data.secrets
	}
	return 0
}

func arithmetic(op string, x, y int64) value {
	const far = 1 << 31
	if x > far || x < -far || y > far || y < -far {
		return unknown
	}
	switch op {
	case "+":
		return integer(x + y)
	case "-":
		return integer(x - y)
	case "*":
		return integer(x * y)
	case "&":
		return integer(x & y)
	case "|":
		return integer(x | y)
	case "^":
		return integer(x ^ y)
	case "<<":
		if y >= 0 && y < 31 {
			return integer(x << uint(y))
		}
	case ">>":
		if y >= 0 && y < 63 {
			return integer(x >> uint(y))
		}
	case "//":
		if x >= 0 && y > 0 {
			return integer(x / y)
		}
	case "%":
		if x >= 0 && y > 0 {
			return integer(x % y)
		}
	}
	return unknown
}
