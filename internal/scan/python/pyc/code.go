package pyc

// Code is a code object: what a module, class body or function is compiled to
// (Python reference, 3.2.13.1, "Code objects").
type Code struct {
	Version        Version
	Arguments      int // positional-only ones are among them
	PositionalOnly int
	KeywordOnly    int
	Locals         int // co_nlocals: as many of Variables are locals before Python 3.11
	StackSize      int
	Flags          int    // co_flags: see the constants
	Bytecode       string // co_code
	Constants      Tuple
	Names          []string // globals, attributes and imported names
	Variables      []string // locals, then cells, then free variables, as instructions count them
	Kinds          []Kind   // of Variables
	File           string   // co_filename: the source, as the compiler was told
	Name           string
	Qualified      string // co_qualname; before Python 3.11 the name
	FirstLine      int
	LineTable      string // co_lnotab up to 3.9, co_linetable since
	ExceptionTable string // since Python 3.11
}

// Flags of code objects (CPython, Include/cpython/code.h).
const (
	Optimized         = 0x1 // its variables are slots: a function
	NewLocals         = 0x2
	VarArgs           = 0x4 // it takes *args
	VarKeywords       = 0x8 // it takes **kwargs
	Generator         = 0x20
	Coroutine         = 0x80
	IterableCoroutine = 0x100
	AsyncGenerator    = 0x200
	HasDocstring      = 0x4000000 // since Python 3.14
	Method            = 0x8000000 // since Python 3.14
)

// A Kind says what a variable is (CPython, Include/internal/pycore_code.h). A local
// that inner functions see is Local and Cell since Python 3.11; before, it is listed
// as a Cell, and an argument as a Local too.
type Kind byte

// The kinds, as bits.
const (
	Hidden Kind = 0x10 // a comprehension's own, in the code around it
	Local  Kind = 0x20
	Cell   Kind = 0x40
	Free   Kind = 0x80
)

// code reads a code object after its type (CPython, Python/marshal.c, TYPE_CODE).
func (r *reader) code() *Code {
	c := &Code{Version: r.version, Arguments: r.int()}
	if r.version >= 8 {
		c.PositionalOnly = r.int()
	}
	c.KeywordOnly = r.int()
	if r.version < 11 {
		r.int() // the number of locals, which the variables tell too
	}
	c.StackSize, c.Flags = r.int(), r.int()
	c.Bytecode = r.octets()
	c.Constants = r.tuple()
	c.Names = r.strings()
	r.variables(c)
	c.File, c.Name = r.text(), r.text()
	c.Qualified = c.Name
	if r.version >= 11 {
		c.Qualified = r.text()
	}
	c.FirstLine = r.int()
	c.LineTable = r.octets()
	if r.version >= 11 {
		c.ExceptionTable = r.octets()
	}
	return c
}

// variables reads the names of all that instructions find in slots and cells.
func (r *reader) variables(c *Code) {
	c.Variables = r.strings()
	if r.version >= 11 {
		kinds := r.octets()
		if len(kinds) != len(c.Variables) {
			r.fail(errNotCode)
		}
		c.Kinds = []Kind(kinds)
		for _, k := range c.Kinds {
			if k&Local != 0 {
				c.Locals++
			}
		}
		return
	}
	c.Locals = len(c.Variables)
	free := r.strings()
	cells := r.strings()
	for range c.Variables {
		c.Kinds = append(c.Kinds, Local)
	}
	for _, name := range cells {
		c.Variables, c.Kinds = append(c.Variables, name), append(c.Kinds, Cell)
	}
	for _, name := range free {
		c.Variables, c.Kinds = append(c.Variables, name), append(c.Kinds, Free)
	}
}

func (r *reader) tuple() Tuple {
	t, ok := r.object().(Tuple)
	if !ok {
		r.fail(errNotCode)
	}
	return t
}

func (r *reader) octets() string {
	b, ok := r.object().(Bytes)
	if !ok {
		r.fail(errNotCode)
	}
	return string(b)
}

func (r *reader) text() string {
	s, ok := r.object().(Text)
	if !ok {
		r.fail(errNotCode)
	}
	return string(s)
}

func (r *reader) strings() []string {
	t := r.tuple()
	if r.objects += len(t); r.objects > r.limits.Objects { // one tuple may serve many code objects
		r.fail(ErrLimit)
		return nil
	}
	var out []string
	for _, v := range t {
		s, ok := v.(Text)
		if !ok {
			r.fail(errNotCode)
			return nil
		}
		out = append(out, string(s))
	}
	return out
}

// VariablesOf returns the names of the variables that have one of the kinds.
func (c *Code) VariablesOf(k Kind) []string {
	var out []string
	for i, name := range c.Variables {
		if c.Kinds[i]&k != 0 {
			out = append(out, name)
		}
	}
	return out
}
