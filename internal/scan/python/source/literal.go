package source

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An opaque is a constant whose value is not known here; its text has U+FFFD for what isn't.
type opaque struct{ text string }

// octets is the value of a bytes literal.
type octets string

// unquote splits a literal as written into its prefix in lower case and what its
// quotes hold.
func unquote(s string) (prefix, body string) {
	i := strings.IndexAny(s, `"'`)
	prefix, body = strings.ToLower(s[:i]), s[i:]
	n := 1
	if len(body) >= 6 && body[1] == body[0] && body[2] == body[0] {
		n = 3
	}
	return prefix, body[n : len(body)-n]
}

// An escape of a character by name makes a text opaque: the names are not known here.
var errNamed = errors.New("names a character")

var errEscape = errors.New("has an escape without its digits")

// unescape returns what a literal's body stands for (Python reference, 2.4.1.1). Code
// points that are no characters (lone surrogates) are kept in the form that UTF-8
// would give them, as Python's own bytecode does.
func unescape(body string, raw, bytes bool) (string, error) {
	if raw || strings.IndexByte(body, '\\') < 0 {
		return body, nil
	}
	var b strings.Builder
	var named error
	for len(body) > 0 {
		i := strings.IndexByte(body, '\\')
		if i < 0 || i+1 == len(body) {
			break
		}
		b.WriteString(body[:i])
		n, err := escape(&b, body[i+1:], bytes)
		if errors.Is(err, errNamed) {
			named = err
		} else if err != nil {
			return "", err
		}
		body = body[i+1+n:]
	}
	b.WriteString(body)
	return b.String(), named
}

var simple = map[byte]string{
	'\n': "", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// escape writes what the escape stands for whose backslash is before s, and returns
// how many bytes of s it took.
func escape(b *strings.Builder, s string, bytes bool) (int, error) {
	if v, ok := simple[s[0]]; ok {
		b.WriteString(v)
		return 1, nil
	}
	switch c := s[0]; {
	case c >= '0' && c <= '7':
		n := 1
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		v, _ := strconv.ParseUint(s[:n], 8, 32)
		point(b, rune(v), bytes)
		return n, nil
	case c == 'x':
		return hexadecimal(b, s, 2, bytes)
	case c == 'u' && !bytes:
		return hexadecimal(b, s, 4, false)
	case c == 'U' && !bytes:
		return hexadecimal(b, s, 8, false)
	case c == 'N' && !bytes:
		i := strings.IndexByte(s, '}')
		if len(s) < 2 || s[1] != '{' || i < 0 {
			return 0, errEscape
		}
		b.WriteRune(utf8.RuneError)
		return i + 1, errNamed
	}
	b.WriteByte('\\') // an unknown escape is none
	return 0, nil
}

func hexadecimal(b *strings.Builder, s string, n int, bytes bool) (int, error) {
	if len(s) < 1+n {
		return 0, errEscape
	}
	v, err := strconv.ParseUint(s[1:1+n], 16, 32)
	if err != nil || v > utf8.MaxRune {
		return 0, errEscape
	}
	point(b, rune(v), bytes)
	return 1 + n, nil
}

// point writes one code point, or its low byte.
func point(b *strings.Builder, r rune, bytes bool) {
	switch {
	case bytes:
		b.WriteByte(byte(r))
	case r >= 0xd800 && r < 0xe000:
		b.Write([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
	default:
		b.WriteRune(r)
	}
}
