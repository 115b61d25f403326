package source

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A lexer cuts decoded source into tokens as CPython's tokenizer does.
type lexer struct {
	src    string
	pos    int
	line   int
	lim    Limits
	tokens []token

	indents  []column // of the blocks that are open
	brackets []byte   // that are open
	modes    []mode   // f-strings and their parts that are open, outermost first
	err      error
}

// A column is how far a line is indented, with tabs to multiples of eight and with
// tabs as one. CPython refuses lines that compare differently under the two.
type column struct{ wide, narrow int }

// lex returns the tokens of src; the last is end.
func lex(src string, lim Limits) ([]token, error) {
	l := &lexer{src: src, line: 1, lim: lim, indents: []column{{}}}
	for l.err == nil && l.pos < len(l.src) {
		l.logical()
	}
	if l.err == nil && (len(l.brackets) > 0 || len(l.modes) > 0) {
		l.fail("ends inside a bracket or a string")
	}
	if n := len(l.tokens); n > 0 && l.tokens[n-1].kind != newline && l.tokens[n-1].kind != dedent {
		l.emit(newline, l.pos)
	}
	for range l.indents[1:] {
		l.emit(dedent, l.pos)
	}
	l.emit(end, l.pos)
	return l.tokens, l.err
}

func (l *lexer) fail(format string, args ...any) {
	if l.err == nil {
		l.err = refuse(l.line, format, args...)
	}
}

// emit adds the token that ends at from..l.pos.
func (l *lexer) emit(k kind, from int) {
	if l.lim.Tokens > 0 && len(l.tokens) >= l.lim.Tokens {
		l.fail("has more than %d tokens", l.lim.Tokens)
		return
	}
	l.tokens = append(l.tokens, token{kind: k, line: l.line, pos: from, text: l.src[from:l.pos]})
}

// rest is what follows.
func (l *lexer) rest() string { return l.src[l.pos:] }

// logical reads one logical line with its indentation.
func (l *lexer) logical() {
	c := l.indentation()
	if l.pos == len(l.src) || l.src[l.pos] == '\n' || l.src[l.pos] == '#' {
		l.comment() // a line without tokens means nothing
		if l.pos < len(l.src) {
			l.pos++
			l.line++
		}
		return
	}
	l.block(c)
	for l.err == nil && l.pos < len(l.src) {
		if len(l.modes) > 0 && l.modes[len(l.modes)-1].kind != field {
			l.literal()
		} else if l.step() {
			return
		}
	}
}

// indentation measures and skips the white space that begins a line.
func (l *lexer) indentation() column {
	var c column
	for ; l.pos < len(l.src); l.pos++ {
		switch l.src[l.pos] {
		case ' ':
			c.wide++
			c.narrow++
		case '\t':
			c.wide = (c.wide/8 + 1) * 8
			c.narrow++
		case '\f':
			c = column{}
		case '\\': // the first of joined lines tells the indentation
			if !l.joined() {
				return c
			}
			l.pos--
			for l.pos+1 < len(l.src) && strings.IndexByte(" \t\f", l.src[l.pos+1]) >= 0 {
				l.pos++
			}
		default:
			return c
		}
	}
	return c
}

// joined skips a backslash that joins a line to the next; it is false for any other.
func (l *lexer) joined() bool {
	if !strings.HasPrefix(l.rest(), "\\\n") || l.pos+2 >= len(l.src) {
		l.fail("has a backslash that joins no line")
		return false
	}
	l.pos += 2
	l.line++
	return true
}

// block opens or closes the blocks that a line's indentation says.
func (l *lexer) block(c column) {
	top := l.indents[len(l.indents)-1]
	if c.wide > top.wide {
		if c.narrow <= top.narrow {
			l.fail("mixes tabs and spaces")
		}
		if len(l.indents) > l.lim.Depth {
			l.fail("nests blocks deeper than %d", l.lim.Depth)
		}
		l.indents = append(l.indents, c)
		l.emit(indent, l.pos)
		return
	}
	for c.wide < l.indents[len(l.indents)-1].wide {
		l.indents = l.indents[:len(l.indents)-1]
		l.emit(dedent, l.pos)
	}
	if top = l.indents[len(l.indents)-1]; c.wide != top.wide {
		l.fail("is indented like no block around it")
	} else if c.narrow != top.narrow {
		l.fail("mixes tabs and spaces")
	}
}

// step reads what comes next outside literal text; it is true after the end of the
// logical line.
func (l *lexer) step() (done bool) {
	switch c := l.src[l.pos]; {
	case c == ' ' || c == '\t' || c == '\f':
		l.pos++
	case c == '#':
		l.comment()
	case c == '\\':
		l.joined()
	case c == '\n':
		inside := len(l.brackets) > 0 || len(l.modes) > 0
		if !inside {
			l.emit(newline, l.pos)
		}
		l.pos++
		l.line++
		return !inside
	case c >= '0' && c <= '9' || c == '.' && l.pos+1 < len(l.src) && isDigit(l.src[l.pos+1]):
		l.number()
	case c == '"' || c == '\'':
		l.quoted(l.pos)
	case c == '_' || c >= utf8.RuneSelf || isLetter(c):
		l.name()
	default:
		l.operator()
	}
	return false
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (l *lexer) comment() {
	if i := strings.IndexByte(l.rest(), '\n'); i >= 0 {
		l.pos += i
	} else {
		l.pos = len(l.src)
	}
}

// name reads an identifier or keyword, or a string that such letters prefix.
func (l *lexer) name() {
	from := l.pos
	for i, r := range l.rest() {
		if !identifier(r, i > 0) {
			break
		}
		l.pos += utf8.RuneLen(r)
	}
	switch {
	case l.pos == from:
		l.fail("holds a character that Python doesn't know")
	case l.pos < len(l.src) && (l.src[l.pos] == '"' || l.src[l.pos] == '\'') && prefixes[strings.ToLower(l.src[from:l.pos])]:
		l.quoted(from)
	default:
		l.emit(name, from)
		l.normalize(from)
	}
}

// normalize brings the identifier that was just emitted into normal form (Python
// reference, 2.3, "Identifiers").
func (l *lexer) normalize(from int) {
	written := l.src[from:l.pos]
	normal := norm.NFKC.String(written)
	switch {
	case l.err != nil || normal == written:
	case keywords[normal]: // it is none: CPython looks for them before
		l.fail("writes the keyword %q in other letters", normal)
	default:
		l.tokens[len(l.tokens)-1].text = normal
	}
}

// identifier tells whether r may stand in an identifier, at its begin or inside.
func identifier(r rune, inside bool) bool {
	if r < utf8.RuneSelf {
		return r == '_' || isLetter(byte(r)) || inside && isDigit(byte(r))
	}
	if unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start) {
		return true
	}
	return inside && unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

func (l *lexer) operator() {
	if n := len(l.modes); n > 0 && l.fieldDelimiter(&l.modes[n-1]) {
		return
	}
	for n := min(3, len(l.src)-l.pos); n > 0; n-- { // the longest that fits
		if !operators[l.src[l.pos:l.pos+n]] {
			continue
		}
		l.pos += n
		if n == 1 {
			l.bracket(l.src[l.pos-1])
		}
		l.emit(op, l.pos-n)
		return
	}
	l.fail("holds %q, which Python 3 doesn't know", l.src[l.pos])
}

// bracket keeps count of open brackets.
func (l *lexer) bracket(c byte) {
	switch i := strings.IndexByte("([{)]}", c); {
	case i < 0:
	case i < 3:
		l.brackets = append(l.brackets, ")]}"[i])
		if len(l.brackets) > l.lim.Depth {
			l.fail("nests brackets deeper than %d", l.lim.Depth)
		}
	case len(l.brackets) <= l.outer() || l.brackets[len(l.brackets)-1] != c:
		l.fail("closes a bracket that is not open")
	default:
		l.brackets = l.brackets[:len(l.brackets)-1]
	}
}
