package pyc

import (
	"fmt"
	"strings"
	"testing"
)

// Each case is one object as marshal stores it.
func TestMarshal(t *testing.T) {
	nesting := DefaultLimits().Nesting
	for _, c := range []struct{ name, data, want string }{
		{"singletons", ")\x05NTF.S", "[<nil> true false 46 83]"},
		{"numbers", ")\x04i\xff\xff\xff\xff" + "I\x01\x00\x00\x00\x00\x00\x00\x00" + "g\x00\x00\x00\x00\x00\x00\xf0\x3f" + "f\x031.5", "[-1 1 1 1.5]"},
		{"complex numbers", ")\x02" + "y\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\xf0\x3f" + "x\x011\x03inf", "[(1+1i) (1+Infi)]"},
		{"an int of two digits", "l\xfe\xff\xff\xff\x01\x00\x01\x00", "-32769"},
		{"an int that is kept as stored", "l\x05\x00\x00\x00" + strings.Repeat("\x01\x00", 5), "{false " + strings.Repeat("\x01\x00", 5) + "}"},
		{"strings", "(\x06\x00\x00\x00z\x01aZ\x01bt\x01\x00\x00\x00cu\x01\x00\x00\x00da\x01\x00\x00\x00eA\x01\x00\x00\x00f", "[a b c d e f]"},
		{"bytes", "s\x02\x00\x00\x00ab", "ab"},
		{"collections", ")\x04[\x01\x00\x00\x00N<\x01\x00\x00\x00N>\x00\x00\x00\x00{NT0", "[[<nil>] [<nil>] [] [<nil> true]]"},
		{"slice", ":NNN", "[<nil> <nil> <nil>]"},
		{"references count containers before what is in them", "\xa9\x02\xfa\x01ar\x01\x00\x00\x00", "[a a]"},
		{"a tuple that holds itself", "\xa9\x01r\x00\x00\x00\x00", "error: bad marshal data: invalid reference"},
		{"a reference to nothing", "r\x00\x00\x00\x00", "error: bad marshal data: invalid reference"},
		{"a negative reference", "\xa9\x01r\xff\xff\xff\xff", "error: bad marshal data: invalid reference"},
		{"a missing object", ")\x010", "error: bad marshal data: an object is missing"},
		{"a missing value", "{N0", "error: bad marshal data: an object is missing"},
		{"a mapping without end", "{NN", "error: marshal data too short"},
		{"an int with a digit of more than 15 bits", "l\x01\x00\x00\x00\x00\x80", "error: bad marshal data: a number that is none"},
		{"an int whose last digit is zero", "l\x02\x00\x00\x00\x01\x00\x00\x00", "error: bad marshal data: a number that is none"},
		{"text of one byte a character", "z\x02a\xe9", "a\u00e9"},
		{"a lone surrogate", "u\x03\x00\x00\x00\xed\xa0\x80", "\xed\xa0\x80"},
		{"text that is none", "u\x01\x00\x00\x00\xff", "error: bad marshal data: text that is no UTF-8"},
		{"nothing", "", "error: marshal data too short"},
		{"an unknown type", "?", "error: bad marshal data: unknown type code"},
		{"a count of more than there is", "(\xff\xff\xff\x7f", "error: marshal data too short"},
		{"a negative count", "(\xff\xff\xff\xff", "error: marshal data too short"},
		{"a string of more than there is", "s\xff\xff\xff\x7f", "error: marshal data too short"},
		{"a string of negative length", "s\xff\xff\xff\xff", "error: marshal data too short"},
		{"an int of the least number of digits", "l\x00\x00\x00\x80", "error: marshal data too short"},
		{"no number", "f\x01x", "error: bad marshal data: a number that is none"},
		{"deep, but not too deep", strings.Repeat(")\x01", nesting-1) + "N", strings.Repeat("[", nesting-1) + "<nil>" + strings.Repeat("]", nesting-1)},
		{"too deep", strings.Repeat(")\x01", nesting) + "N", "error: " + ErrLimit.Error()},
		{"too many", "(" + "\x80\x84\x1e\x00" + strings.Repeat("N", 2_000_000), "error: " + ErrLimit.Error()},
	} {
		r := &reader{rest: c.data, version: 14, limits: DefaultLimits()}
		got := fmt.Sprint(r.object())
		if r.err != nil {
			got = "error: " + r.err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %.200s, want %.200s", c.name, got, c.want)
		}
	}
}
