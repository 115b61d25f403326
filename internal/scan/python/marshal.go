package python

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
)

// A constant is what marshal stores: nil for None, bool, int64, float64,
// complex128, a *codeObject, or one of the types below.
type constant any

type (
	text     string // str, in UTF-8; a lone surrogate is three bytes
	octets   string // bytes
	long     string // an int of more than 60 bits, as stored
	tuple    []constant
	list     []constant
	set      []constant // frozen or not
	mapping  []constant // keys and values in turn; frozen or not
	slice    [3]constant
	singular byte // Ellipsis and StopIteration, by the byte that stands for them
)

const (
	maxNesting = 500       // of objects in one another; CPython's own limit is 2000
	maxObjects = 1_000_000 // of one file, counted as stored
)

// errLimit ends the reading of what is larger than anything a compiler writes. It
// says nothing about what CPython makes of it.
var errLimit = errors.New("it is nested too deeply or holds too many objects to be read")

// Errors that CPython would find as well.
var (
	errShort   = errors.New("marshal data too short")
	errType    = errors.New("bad marshal data: unknown type code")
	errRef     = errors.New("bad marshal data: invalid reference")
	errNull    = errors.New("bad marshal data: an object is missing")
	errNumber  = errors.New("bad marshal data: a number that is none")
	errNotCode = errors.New("what it holds is no code")
)

// A reader decodes marshal's format (CPython, Python/marshal.c, r_object). It
// allocates as it goes, never by what a count claims. After an error all that it
// returns is empty.
type reader struct {
	rest    string
	minor   int // 11 for Python 3.11
	refs    []constant
	depth   int
	objects int
	err     error
}

// pending stands in refs for what is still being read; null is the end of a
// mapping.
type (
	pending struct{}
	null    struct{}
)

const refFlag = 0x80 // the object may be referred to later

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = ""
}

func (r *reader) take(n int) string {
	if n < 0 || n > len(r.rest) {
		r.fail(errShort)
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *reader) byte() byte {
	if s := r.take(1); s != "" {
		return s[0]
	}
	return 0
}

func (r *reader) int() int {
	if s := r.take(4); s != "" {
		return int(int32(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24))
	}
	return 0
}

// object reads one object with all that is in it.
func (r *reader) object() constant {
	r.depth++
	r.objects++
	if r.depth > maxNesting || r.objects > maxObjects {
		r.fail(errLimit)
	}
	kind := r.byte()
	slot := -1
	if kind&refFlag != 0 {
		slot = len(r.refs)
		r.refs = append(r.refs, pending{})
	}
	v := r.value(kind &^ refFlag)
	if slot >= 0 {
		r.refs[slot] = v
	}
	r.depth--
	if r.err != nil {
		return nil
	}
	return v
}

func (r *reader) value(kind byte) constant {
	switch kind {
	case 'N':
		return nil
	case 'T', 'F':
		return kind == 'T'
	case '.', 'S':
		return singular(kind)
	case '0':
		return null{}
	case 'r':
		return r.ref()
	case 's':
		return octets(r.take(r.int()))
	case 'z', 'Z':
		return text(r.take(int(r.byte())))
	case 't', 'u', 'a', 'A':
		return text(r.take(r.int()))
	case ')':
		return tuple(r.sequence(int(r.byte())))
	case '(':
		return tuple(r.sequence(r.int()))
	case '[':
		return list(r.sequence(r.int()))
	case '<', '>':
		return set(r.sequence(r.int()))
	case '{', '}':
		return r.mapping()
	case ':':
		return slice{r.item(), r.item(), r.item()}
	case 'c':
		return r.code()
	}
	return r.number(kind)
}

func (r *reader) number(kind byte) constant {
	switch kind {
	case 'i':
		return int64(r.int())
	case 'I':
		return int64(r.bits())
	case 'l':
		return r.long()
	case 'g':
		return math.Float64frombits(r.bits())
	case 'y':
		return complex(math.Float64frombits(r.bits()), math.Float64frombits(r.bits()))
	case 'f':
		return r.decimal()
	case 'x':
		return complex(r.decimal(), r.decimal())
	}
	r.fail(errType)
	return nil
}

func (r *reader) bits() uint64 {
	if s := r.take(8); s != "" {
		return binary.LittleEndian.Uint64([]byte(s))
	}
	return 0
}

// long reads an int: the signed number of its digits, then the digits, 15 bits
// each, the least first.
func (r *reader) long() constant {
	n := r.int()
	digits := r.take(2 * max(n, -n))
	if len(digits) > 8 {
		return long(digits)
	}
	var v int64
	for i := len(digits) - 2; i >= 0; i -= 2 {
		v = v<<15 | int64(digits[i]) | int64(digits[i+1])<<8
	}
	if n < 0 {
		v = -v
	}
	return v
}

func (r *reader) decimal() float64 {
	f, err := strconv.ParseFloat(r.take(int(r.byte())), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		r.fail(errNumber)
	}
	return f
}

func (r *reader) ref() constant {
	n := r.int()
	if r.err != nil {
		return nil
	}
	if n < 0 || n >= len(r.refs) || r.refs[n] == (constant)(pending{}) {
		r.fail(errRef)
		return nil
	}
	return r.refs[n]
}

// item reads an object that must be there.
func (r *reader) item() constant {
	v := r.object()
	if _, missing := v.(null); missing {
		r.fail(errNull)
		return nil
	}
	return v
}

func (r *reader) sequence(n int) []constant {
	if n < 0 || n > len(r.rest) { // each takes a byte at least
		r.fail(errShort)
	}
	var out []constant
	for range n {
		v := r.item()
		if r.err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

func (r *reader) mapping() mapping {
	var out mapping
	for r.err == nil {
		key := r.object()
		if _, end := key.(null); end {
			return out
		}
		out = append(out, key, r.item())
	}
	return nil
}
