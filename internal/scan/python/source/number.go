package source

import (
	"math/big"
	"strconv"
	"strings"
)

// number reads a numeric literal (Python reference, 2.4.4 to 2.4.7). What follows it
// directly may be a keyword, as in "1if x else 2".
func (l *lexer) number() {
	from := l.pos
	if digits := base(l.rest()); digits != "" {
		l.pos += 2
		l.digits(digits)
		if l.pos == from+2 {
			l.fail("has a number without digits")
		}
		l.emit(number, from)
		return
	}
	l.digits(decimal)
	whole := l.src[from:l.pos]
	if l.at(".") {
		l.pos++
		if l.pos < len(l.src) && isDigit(l.src[l.pos]) {
			l.digits(decimal)
		}
	}
	l.exponent()
	if l.at("j") || l.at("J") {
		l.pos++
	}
	if l.pos-from == len(whole) && len(whole) > 1 && whole[0] == '0' && strings.Trim(whole, "0_") != "" {
		l.fail("has an octal number as Python 2 wrote them")
	}
	l.emit(number, from)
}

const decimal = "0123456789"

// base returns the digits of the base that a literal names, "" if it names none.
func base(s string) string {
	if len(s) < 2 || s[0] != '0' {
		return ""
	}
	switch s[1] | 0x20 {
	case 'x':
		return "0123456789abcdefABCDEF"
	case 'o':
		return "01234567"
	case 'b':
		return "01"
	}
	return ""
}

// at tells whether s is next.
func (l *lexer) at(s string) bool { return strings.HasPrefix(l.rest(), s) }

// digits skips digits with single underscores between them; after a base one may
// stand before the first, too.
func (l *lexer) digits(allowed string) {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		next := l.pos+1 < len(l.src) && strings.IndexByte(allowed, l.src[l.pos+1]) >= 0
		if strings.IndexByte(allowed, c) < 0 && (c != '_' || !next) {
			return
		}
		l.pos++
	}
}

// exponent skips an exponent, if it has digits.
func (l *lexer) exponent() {
	if !l.at("e") && !l.at("E") {
		return
	}
	i := l.pos + 1
	if i < len(l.src) && (l.src[i] == '+' || l.src[i] == '-') {
		i++
	}
	if i < len(l.src) && isDigit(l.src[i]) {
		l.pos = i
		l.digits(decimal)
	}
}

// An imaginary is the imaginary part of a complex number.
type imaginary float64

// numeral returns the value of a numeric literal: *big.Int, float64 or imaginary.
// Decimal integers with more digits than most are not converted: it would take time
// that grows with their square, and CPython refuses them, too (since 3.11). The value
// is opaque then.
func numeral(text string) any {
	text = strings.ReplaceAll(text, "_", "")
	if base(text) != "" || strings.Trim(text, decimal) == "" {
		const digits = 4300 // sys.int_info.default_max_str_digits
		if len(text) > digits && base(text) == "" {
			return opaque{}
		}
		if base(text) == "" {
			if text = strings.TrimLeft(text, "0"); text == "" {
				text = "0"
			}
		}
		if i, ok := new(big.Int).SetString(text, 0); ok {
			return i
		}
		return opaque{}
	}
	plain := strings.TrimRight(text, "jJ")
	f, _ := strconv.ParseFloat(plain, 64) // out of range is infinite, as in Python
	if plain != text {
		return imaginary(f)
	}
	return f
}
