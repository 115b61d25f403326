package pyc

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
)

// Errors that CPython would find as well.
var (
	errShort   = errors.New("marshal data too short")
	errType    = errors.New("bad marshal data: unknown type code")
	errRef     = errors.New("bad marshal data: invalid reference")
	errNull    = errors.New("bad marshal data: an object is missing")
	errNumber  = errors.New("bad marshal data: a number that is none")
	errText    = errors.New("bad marshal data: text that is no UTF-8")
	errNotCode = errors.New("what it holds is no code")
)

// A reader decodes marshal's format (CPython, Python/marshal.c, r_object). It
// allocates as it goes, never by what a count claims. After an error all that it
// returns is empty.
type reader struct {
	rest    string
	version Version
	limits  Limits
	refs    []Constant
	depth   int
	objects int
	err     error
}

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
func (r *reader) object() Constant {
	r.depth++
	r.objects++
	if r.depth > r.limits.Nesting || r.objects > r.limits.Objects {
		r.fail(ErrLimit)
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

func (r *reader) value(kind byte) Constant {
	switch kind {
	case 'N':
		return nil
	case 'T', 'F':
		return kind == 'T'
	case '.', 'S':
		return Singular(kind)
	case '0':
		return null{}
	case 'r':
		return r.ref()
	case 's':
		return Bytes(r.take(r.int()))
	case 'z', 'Z':
		return latin(r.take(int(r.byte())))
	case 'a', 'A':
		return latin(r.take(r.int()))
	case 't', 'u':
		return r.utf8()
	case ')':
		return Tuple(r.sequence(int(r.byte())))
	case '(':
		return Tuple(r.sequence(r.int()))
	case '[':
		return List(r.sequence(r.int()))
	case '<', '>':
		return Set(r.sequence(r.int()))
	case '{', '}':
		return r.mapping()
	case ':':
		return Slice{r.item(), r.item(), r.item()}
	case 'c':
		return r.code()
	}
	return r.number(kind)
}

func (r *reader) utf8() Constant {
	s := r.take(r.int())
	if !encoded(s) {
		r.fail(errText)
	}
	return Text(s)
}

func (r *reader) number(kind byte) Constant {
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
// each, the least first and the last not zero.
func (r *reader) long() Constant {
	n := r.int()
	digits := r.take(2 * max(n, -n))
	for i := 1; i < len(digits); i += 2 {
		if digits[i] > 0x7f || i == len(digits)-1 && digits[i]|digits[i-1] == 0 {
			r.fail(errNumber)
		}
	}
	if len(digits) > 8 {
		return Long{n < 0, digits}
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

func (r *reader) ref() Constant {
	n := r.int()
	if r.err != nil {
		return nil
	}
	if n < 0 || n >= len(r.refs) || r.refs[n] == (Constant)(pending{}) {
		r.fail(errRef)
		return nil
	}
	return r.refs[n]
}

// item reads an object that must be there.
func (r *reader) item() Constant {
	v := r.object()
	if _, missing := v.(null); missing {
		r.fail(errNull)
		return nil
	}
	return v
}

func (r *reader) sequence(n int) []Constant {
	if n < 0 || n > len(r.rest) { // each takes a byte at least
		r.fail(errShort)
	}
	var out []Constant
	for range n {
		v := r.item()
		if r.err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

func (r *reader) mapping() Mapping {
	var out Mapping
	for r.err == nil {
		key := r.object()
		if _, end := key.(null); end {
			return out
		}
		out = append(out, key, r.item())
	}
	return nil
}
