package pyc

// Lines says which source line a range of the code is from.
type Lines struct {
	Start, End int // offsets in bytes
	Line       int // NoLine if it has none; 0 for what begins a module
}

// NoLine is the line of code that is from no line.
const NoLine = -1

// Lines returns the lines of the code, by rising offset, as co_lines does (PEP 626).
// Code behind the last range has none.
func (c *Code) Lines() []Lines {
	switch {
	case c.Version < 10:
		return c.lnotab()
	case c.Version == 10:
		return c.deltas()
	}
	return c.locations()
}

// A LineStart is where the code of a line begins.
type LineStart struct {
	Offset int // in bytes
	Line   int // NoLine for code without line, which is shown since Python 3.13
}

// LineStarts returns what findlinestarts of the dis module does; a line that
// follows on itself is not repeated.
func (c *Code) LineStarts() []LineStart {
	var out []LineStart
	for _, l := range c.Lines() {
		switch n := len(out); {
		case l.Line == NoLine && c.Version < 13:
		case n > 0 && out[n-1].Line == l.Line:
		default:
			out = append(out, LineStart{l.Start, l.Line})
		}
	}
	return out
}

// span adds a range, or makes the last one longer if it has the same line. It
// reports whether there is code left.
func (c *Code) span(out []Lines, end, line int) ([]Lines, bool) {
	start := 0
	if n := len(out); n > 0 {
		start = out[n-1].End
	}
	switch n := len(out); {
	case end <= start:
	case n > 0 && out[n-1].Line == line:
		out[n-1].End = end
	default:
		out = append(out, Lines{start, end, line})
	}
	return out, end < len(c.Bytecode)
}

// lnotab reads pairs of how far the offset and the line rise (CPython 3.9,
// Objects/lnotab_notes.txt). Up to Python 3.7 it may tell of code that the compiler
// took away behind a return.
func (c *Code) lnotab() []Lines {
	var out []Lines
	offset, line, more := 0, c.FirstLine, true
	for t := c.LineTable; len(t) >= 2 && (more || c.Version < 8); t = t[2:] {
		offset += int(t[0])
		out, more = c.span(out, offset, line)
		line += int(int8(t[1]))
	}
	if more || c.Version < 8 {
		out, _ = c.span(out, max(len(c.Bytecode), offset+1), line)
	}
	return out
}

// deltas reads the table of Python 3.10: pairs of a length and of how much the line
// differs from the last one (CPython 3.10, Objects/lnotab_notes.txt).
func (c *Code) deltas() []Lines {
	const none = -128
	var out []Lines
	offset, line, more := 0, c.FirstLine, true
	for t := c.LineTable; len(t) >= 2 && more; t = t[2:] {
		offset += int(t[0])
		if d := int(int8(t[1])); d == none {
			out, more = c.span(out, offset, NoLine)
		} else {
			line += d
			out, more = c.span(out, offset, line)
		}
	}
	return out
}

// locations reads the table of Python 3.11 and later: entries of a first byte, with
// kind and length, and what the kind demands (CPython, InternalDocs/code_objects.md,
// "Format of the locations table").
func (c *Code) locations() []Lines {
	const (
		oneLine0  = 10 // to 12: the line rises by 0 to 2; two columns follow
		noColumns = 13
		long      = 14
		none      = 15
	)
	var out []Lines
	offset, line, more := 0, c.FirstLine, true
	for t := (table{c.LineTable}); t.rest != "" && more; {
		first := int(t.byte())
		offset += 2 * (first&7 + 1)
		at := NoLine
		switch kind := first >> 3 & 15; {
		case kind == none:
		case kind == long:
			line += t.signed()
			t.number()
			t.number()
			t.number()
			at = line
		case kind == noColumns:
			line += t.signed()
			at = line
		case kind >= oneLine0:
			line += kind - oneLine0
			t.byte()
			t.byte()
			at = line
		default: // columns only
			t.byte()
			at = line
		}
		out, more = c.span(out, offset, at)
	}
	return out
}

// A table is what is left of a location table.
type table struct{ rest string }

func (t *table) byte() byte {
	if t.rest == "" {
		return 0
	}
	b := t.rest[0]
	t.rest = t.rest[1:]
	return b
}

// number reads six bits a byte, the lowest first; more than an int32 holds is cut.
func (t *table) number() int {
	n := 0
	for shift := 0; ; shift += 6 {
		b := t.byte()
		if shift < 36 {
			n |= int(b&63) << shift
		}
		if b&64 == 0 {
			return n
		}
	}
}

// signed reads a number whose lowest bit is its sign.
func (t *table) signed() int {
	n := t.number()
	if n&1 != 0 {
		return -(n >> 1)
	}
	return n >> 1
}
