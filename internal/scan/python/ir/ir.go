// Package ir is the small canonical stack machine into which Python programs are translated, from bytecode of any version and from source
// alike, so that the analysis has one language to understand.
//
// It promises that a Code which passes Validate has a fixed stack depth at every reachable instruction, that no instruction pops more than
// is there, and that every jump, constant and handler is in range: who executes it needs no such checks.
package ir

// Module is one translated file.
type Module struct {
	File string // as it is to be shown in evidence
	Code *Code  // the module's body
}

// Code is one code object: a module's body, a class's body, a function, a lambda or a comprehension.
type Code struct {
	Name      string // "drop"
	Qualname  string // "Supervisor.drop"; Name where the version doesn't record it
	FirstLine int    // 0 if not known

	// Parameters in the order of CPython's co_varnames: positional, keyword-only, then *args and **kwargs if there are.
	Params      []string
	PosOnly     int // how many of the positional ones can't be given by keyword
	Positional  int // how many of Params are positional (PosOnly included)
	KeywordOnly int
	VarArgs     bool // has *args
	VarKeywords bool // has **kwargs

	Flow     Flow
	Scope    Scope
	Cells    []string // own variables that inner functions share (parameters among them too)
	Free     []string // variables of enclosing functions, in the order of the closure tuple
	Fields   []string // of a class body from source: the names it annotates, in their order (bytecode does it by instructions)
	Consts   []Const
	Instrs   []Instr
	Ranges   []Range // the first range that holds an instruction handles its exceptions
	MaxStack int     // the deepest stack; set by Validate

	depth   []int32 // of the stack before each instruction, -1 where control never comes; set by Validate
	handler []int32 // index into Ranges for each instruction, -1 for none; set by Validate
}

// Flow tells what a call of the code gives.
type Flow uint8

// The flows.
const (
	Plain          Flow = iota // runs the body, gives what it returns
	Generator                  // gives a generator; the body runs when it is iterated
	Coroutine                  // gives a coroutine; the body runs when it is awaited
	AsyncGenerator             // gives an asynchronous generator
)

// Scope tells where LoadName and StoreName look.
type Scope uint8

// The scopes.
const (
	Function  Scope = iota // fast locals; LoadName does not occur
	Namespace              // a module's or class's body: names live in its namespace
)

// Range is one entry of the exception table: an exception raised by an instruction in [Start, End) cuts the stack to Depth values, pushes
// what Entry says and goes on at Target. All positions are indices into Instrs.
type Range struct {
	Start, End, Target int
	Depth              int
	Entry              Entry
}

// Entry tells what a handler finds on the stack.
type Entry uint8

// The entries. The exception is always on top.
const (
	Exception       Entry = iota // the exception (source; 3.11 and later)
	OffsetException              // an instruction offset, the exception (3.11 and later, "lasti")
	SixSlots                     // three slots of the exception handled before, three of this one (3.10 and earlier)
)

// Slots is how many values the entry pushes.
func (e Entry) Slots() int { return [...]int{Exception: 1, OffsetException: 2, SixSlots: 6}[e] }

// Instr is one instruction. Which of the operands an operation uses is said at the Op.
type Instr struct {
	Op    Op
	Arg   int
	Arg2  int
	Name  string
	Names []string
	Line  int // 0 if not known
}

// ConstKind is the kind of a constant.
type ConstKind uint8

// The kinds of constants.
const (
	None       ConstKind = iota
	Bool                 // Int is 0 or 1
	Int                  // fits in 64 bits
	Big                  // an integer that doesn't fit: not zero
	Str                  // Text
	Bytes                // Text
	Tuple                // Items
	FrozenSet            // Items
	CodeObject           // Code
	Other                // float, complex, ellipsis, ...: no value that matters here
)

// Const is one constant.
type Const struct {
	Kind  ConstKind
	Int   int64
	Text  string
	Items []Const
	Code  *Code
}
