package source

import "strings"

// prefixes are those of string literals, in lower case (Python reference, 2.4.1; PEP 750).
var prefixes = map[string]bool{
	"r": true, "u": true, "b": true, "br": true, "rb": true,
	"f": true, "fr": true, "rf": true, "t": true, "tr": true, "rt": true,
}

// A mode is a part of an f-string or t-string that the lexer is in.
type mode struct {
	kind     part
	quote    string
	raw      bool
	brackets int // that were open where a field began
}

type part uint8

const (
	text  part = iota // between quotes
	field             // between braces: tokens as everywhere
	spec              // after a field's colon
)

// outer is how many brackets were open where the innermost field began.
func (l *lexer) outer() int {
	if n := len(l.modes); n > 0 {
		return l.modes[n-1].brackets
	}
	return 0
}

func (l *lexer) push(m mode) {
	if l.modes = append(l.modes, m); len(l.modes) > l.lim.Depth {
		l.fail("nests f-strings deeper than %d", l.lim.Depth)
	}
}

func (l *lexer) pop(n int) { l.modes = l.modes[:len(l.modes)-n] }

// quoted reads a string literal whose prefix is at from and whose quotes are next,
// or the begin of an f-string.
func (l *lexer) quoted(from int) {
	prefix := strings.ToLower(l.src[from:l.pos])
	quote := l.rest()[:1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(l.rest(), triple) {
		quote = triple
	}
	l.pos += len(quote)
	if strings.ContainsAny(prefix, "ft") {
		l.emit(fstart, from)
		l.push(mode{kind: text, quote: quote, raw: strings.Contains(prefix, "r"), brackets: len(l.brackets)})
		return
	}
	first := l.line
	for l.pos < len(l.src) && !strings.HasPrefix(l.rest(), quote) {
		if !l.char(quote) {
			return
		}
	}
	if l.pos >= len(l.src) {
		l.line = first
		l.fail("begins a string that doesn't end")
		return
	}
	l.pos += len(quote)
	last := l.line
	l.line = first
	l.emit(str, from)
	l.line = last
}

// char skips one character of a literal, with the one that a backslash escapes.
func (l *lexer) char(quote string) bool {
	if l.src[l.pos] == '\\' && l.pos+1 < len(l.src) {
		l.pos++
	} else if l.src[l.pos] == '\n' && len(quote) == 1 {
		l.fail("ends inside a string")
		return false
	}
	if l.src[l.pos] == '\n' {
		l.line++
	}
	l.pos++
	return true
}

// literal reads literal text of an f-string up to its end or to the next brace that
// means a field.
func (l *lexer) literal() {
	m := l.modes[len(l.modes)-1]
	from, first := l.pos, l.line
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case strings.HasPrefix(l.rest(), m.quote):
			l.closed(m, from, first)
			return
		case m.kind == text && (strings.HasPrefix(l.rest(), "{{") || strings.HasPrefix(l.rest(), "}}")):
			l.pos += 2
		case c == '{':
			l.middle(from, first)
			l.pos++
			l.emit(op, l.pos-1)
			l.push(mode{kind: field, brackets: len(l.brackets)})
			return
		case c == '}' && m.kind == spec:
			l.middle(from, first)
			l.pos++
			l.emit(op, l.pos-1)
			l.pop(2)
			return
		case c == '}':
			l.fail("has a single } in an f-string")
			return
		case !l.fchar(m):
			return
		}
	}
}

// fchar skips one character of an f-string's text. A backslash escapes no brace,
// but braces are part of \N{NAME}.
func (l *lexer) fchar(m mode) bool {
	rest := l.rest()
	if strings.HasPrefix(rest, `\{`) || strings.HasPrefix(rest, `\}`) {
		l.pos++
		return true
	}
	if strings.HasPrefix(rest, `\N{`) && !m.raw {
		i := strings.IndexByte(rest, '}')
		if i < 0 || strings.Contains(rest[:i], "\n") {
			l.fail("has an escape of a named character that doesn't end")
			return false
		}
		l.pos += i + 1
		return true
	}
	return l.char(m.quote)
}

// middle emits literal text, which began at from, if there is any.
func (l *lexer) middle(from, first int) {
	if l.pos > from {
		last := l.line
		l.line = first
		l.emit(fmiddle, from)
		l.line = last
	}
}

// closed emits the end of an f-string.
func (l *lexer) closed(m mode, from, first int) {
	if m.kind == spec {
		l.fail("ends an f-string inside a field")
		return
	}
	l.middle(from, first)
	l.pos += len(m.quote)
	l.emit(fend, l.pos-len(m.quote))
	l.pop(1)
}

// fieldDelimiter reads the delimiters that mean something else directly inside a
// field: its end, its conversion and the begin of its format.
func (l *lexer) fieldDelimiter(m *mode) bool {
	if m.kind != field || len(l.brackets) != m.brackets {
		return false
	}
	c := l.src[l.pos]
	switch {
	case c != '}' && c != ':' && c != '!' || strings.HasPrefix(l.rest(), "!="):
		return false
	case c == '}':
		l.pop(1)
	case c == ':':
		around := l.modes[len(l.modes)-2]
		l.push(mode{kind: spec, quote: around.quote, raw: around.raw, brackets: len(l.brackets)})
	}
	l.pos++
	l.emit(op, l.pos-1)
	return true
}
