package source

// The syntax tree has the nodes of CPython's own with their fields in its order
// (Python library, ast, "Abstract grammar"), less what the meaning doesn't need:
// whether an expression is loaded, stored or deleted, and comments about types.

// at is the line on which a node begins.
type at int

func (l at) line() int { return int(l) }

type (
	expr interface{ line() int }
	stmt interface{ line() int }
	// A pattern is what stands after "case".
	pattern interface{ line() int }
)

// Statements.
type (
	functionDef struct {
		at
		name       string
		args       *arguments
		body       []stmt
		decorators []expr
		returns    expr
		typeParams []*typeParam
		async      bool
	}
	classDef struct {
		at
		name       string
		bases      []expr
		keywords   []*keyword
		body       []stmt
		decorators []expr
		typeParams []*typeParam
	}
	returnStmt struct {
		at
		value expr
	}
	deleteStmt struct {
		at
		targets []expr
	}
	assign struct {
		at
		targets []expr
		value   expr
	}
	typeAlias struct {
		at
		name       expr
		typeParams []*typeParam
		value      expr
	}
	augAssign struct {
		at
		target expr
		op     string
		value  expr
	}
	annAssign struct {
		at
		target     expr
		annotation expr
		value      expr
		simple     bool
	}
	forStmt struct {
		at
		target, iter expr
		body, orelse []stmt
		async        bool
	}
	whileStmt struct {
		at
		test         expr
		body, orelse []stmt
	}
	ifStmt struct {
		at
		test         expr
		body, orelse []stmt
	}
	withStmt struct {
		at
		items []*withItem
		body  []stmt
		async bool
	}
	matchStmt struct {
		at
		subject expr
		cases   []*matchCase
	}
	raiseStmt struct {
		at
		exc, cause expr
	}
	tryStmt struct {
		at
		body     []stmt
		handlers []*exceptHandler
		orelse   []stmt
		final    []stmt
		star     bool
	}
	assertStmt struct {
		at
		test, msg expr
	}
	importStmt struct {
		at
		names []*alias
	}
	importFrom struct {
		at
		module string
		names  []*alias
		level  int
	}
	globalStmt struct {
		at
		names []string
	}
	nonlocalStmt struct {
		at
		names []string
	}
	exprStmt struct {
		at
		value expr
	}
	passStmt     struct{ at }
	breakStmt    struct{ at }
	continueStmt struct{ at }
)

// Parts of statements.
type (
	withItem struct {
		context, vars expr
	}
	matchCase struct {
		pattern pattern
		guard   expr
		body    []stmt
	}
	exceptHandler struct {
		at
		kind expr
		name string
		body []stmt
	}
	alias struct {
		at
		name, asname string
	}
	arguments struct {
		posonly, args []*arg
		vararg        *arg
		kwonly        []*arg
		kwDefaults    []expr // nil where there is none
		kwarg         *arg
		defaults      []expr
	}
	arg struct {
		at
		name       string
		annotation expr
	}
	keyword struct {
		at
		arg   string // "" for **value
		value expr
	}
	typeParam struct {
		at
		stars        int // 0: a type variable, 1: of a tuple, 2: of parameters
		name         string
		bound        expr
		defaultValue expr
	}
)
