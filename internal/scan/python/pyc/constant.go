package pyc

import (
	"unicode/utf8"
)

// A Constant is what marshal stores: nil for None, bool, int64, float64,
// complex128, a *Code, or one of the types below. A constant that a file refers to
// often is stored once, so a walk through all of it can take exponential time:
// bound it.
type Constant any

type (
	// Text is a str, in UTF-8; a lone surrogate is three bytes.
	Text string
	// Bytes is a bytes object.
	Bytes string
	// Tuple is a tuple.
	Tuple []Constant
	// List is a list.
	List []Constant
	// Set is a set or frozenset, in the order stored.
	Set []Constant
	// Mapping is a dict or frozendict: keys and values in turn.
	Mapping []Constant
	// Slice is a slice: start, stop and step (since Python 3.14).
	Slice [3]Constant
	// Singular is Ellipsis, '.', or StopIteration, 'S'.
	Singular byte
)

// Long is an int of more than 60 bits.
type Long struct {
	Negative bool
	Digits   string // of 15 bits, two bytes each, the least first
}

// pending stands among the references for what is still being read; null is the end
// of a mapping.
type (
	pending struct{}
	null    struct{}
)

// latin is text that is stored one byte a character: ASCII, or else Latin-1, as
// CPython reads it.
func latin(s string) Text {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			r := make([]rune, len(s))
			for i := range len(s) {
				r[i] = rune(s[i])
			}
			return Text(r)
		}
	}
	return Text(s)
}

// encoded reports whether s is UTF-8 in which surrogates may stand alone (Python's
// error handler "surrogatepass").
func encoded(s string) bool {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			if len(s) < 3 || s[0] != 0xed || s[1]&0xe0 != 0xa0 || s[2]&0xc0 != 0x80 {
				return false
			}
			n = 3
		}
		s = s[n:]
	}
	return true
}
