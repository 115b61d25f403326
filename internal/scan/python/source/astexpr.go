package source

// Expressions.
type (
	boolOp struct {
		at
		op     string
		values []expr
	}
	namedExpr struct {
		at
		target, value expr
	}
	binOp struct {
		at
		left  expr
		op    string
		right expr
	}
	unaryOp struct {
		at
		op      string
		operand expr
	}
	lambda struct {
		at
		args *arguments
		body expr
	}
	ifExp struct {
		at
		test, body, orelse expr
	}
	dictExpr struct {
		at
		keys, values []expr // a nil key for **value
	}
	setExpr struct {
		at
		elts []expr
	}
	comp struct { // of a list, set, dict or generator
		at
		kind       compKind
		elt, value expr // value is a dict's
		generators []*generator
	}
	awaitExpr struct {
		at
		value expr
	}
	yieldExpr struct {
		at
		value expr
	}
	yieldFrom struct {
		at
		value expr
	}
	compare struct {
		at
		left        expr
		ops         []string
		comparators []expr
	}
	call struct {
		at
		fn       expr
		args     []expr
		keywords []*keyword
	}
	// A formatted is a replacement field of an f-string or t-string.
	formatted struct {
		at
		value      expr
		str        string // the expression as written, of a t-string
		conversion string // "s", "r", "a" or ""
		spec       *joined
	}
	// A joined is an f-string or t-string: constants and fields.
	joined struct {
		at
		template bool
		values   []expr
	}
	constant struct {
		at
		// nil for None, bool, ellipsis, *big.Int, float64, imaginary, string, octets or opaque
		value any
	}
	attribute struct {
		at
		value expr
		attr  string
	}
	subscript struct {
		at
		value, slice expr
	}
	starred struct {
		at
		value expr
	}
	nameExpr struct {
		at
		id string
	}
	listExpr struct {
		at
		elts []expr
	}
	tupleExpr struct {
		at
		elts   []expr
		parens bool // it stands in parentheses of its own
	}
	sliceExpr struct {
		at
		lower, upper, step expr
	}
)

type ellipsis struct{}

type compKind uint8

const (
	listComp compKind = iota
	setComp
	dictComp
	genExp
)

// A generator is one "for" of a comprehension.
type generator struct {
	target, iter expr
	ifs          []expr
	async        bool
}

// Patterns.
type (
	matchValue struct {
		at
		value expr
	}
	matchSingleton struct {
		at
		value any
	}
	matchSequence struct {
		at
		patterns []pattern
	}
	matchMapping struct {
		at
		keys     []expr
		patterns []pattern
		rest     string
	}
	matchClass struct {
		at
		cls         expr
		patterns    []pattern
		kwdAttrs    []string
		kwdPatterns []pattern
	}
	matchStar struct {
		at
		name string
	}
	matchAs struct {
		at
		pattern pattern
		name    string // "" for _
	}
	matchOr struct {
		at
		patterns []pattern
	}
)
