package source

import "slices"

// A parser builds the syntax tree of one source by recursive descent. After the
// first error it stands at the end of the tokens, so that everything unwinds.
type parser struct {
	src    string
	tokens []token
	pos    int
	depth  int
	lim    Limits
	err    error
}

// parse returns the statements of a decoded source.
func parse(src string, lim Limits) ([]stmt, error) {
	tokens, err := lex(src, lim)
	if err != nil {
		return nil, err
	}
	p := &parser{src: src, tokens: tokens, lim: lim}
	var body []stmt
	for p.cur().kind != end {
		body = append(body, p.statement()...)
	}
	return body, p.err
}

func (p *parser) cur() token { return p.tokens[p.pos] }

// ahead is the token n after the current one.
func (p *parser) ahead(n int) token { return p.tokens[min(p.pos+n, len(p.tokens)-1)] }

func (p *parser) here() at { return at(p.cur().line) }

// next moves on and returns the token that was current.
func (p *parser) next() token {
	t := p.cur()
	if p.pos < len(p.tokens)-1 {
		p.pos++
	}
	return t
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = refuse(p.cur().line, format, args...)
	}
	p.pos = len(p.tokens) - 1
}

// unexpected refuses the current token.
func (p *parser) unexpected() {
	t := p.cur()
	switch t.kind {
	case newline:
		p.fail("ends before its statement does")
	case indent, dedent:
		p.fail("is indented where no block is")
	case end:
		p.fail("ends before its statement does")
	default:
		p.fail("has %s where Python 3 has something else", brief(t.text))
	}
}

// brief quotes what may be long.
func brief(s string) string {
	if r := []rune(s); len(r) > 20 {
		s = string(r[:20]) + "..."
	}
	return `"` + s + `"`
}

// enter counts one more level; leave(n) goes back by n.
func (p *parser) enter() {
	if p.depth++; p.depth > p.lim.Depth {
		p.fail("nests deeper than %d", p.lim.Depth)
	}
}

func (p *parser) leave(n int) { p.depth -= n }

// is tells whether the current token is the operator s.
func (p *parser) is(s string) bool { t := p.cur(); return t.kind == op && t.text == s }

// word tells whether the current token is the keyword s.
func (p *parser) word(s string) bool { t := p.cur(); return t.kind == name && t.text == s }

// take skips the operator s, if it is next.
func (p *parser) take(s string) bool {
	ok := p.is(s)
	if ok {
		p.next()
	}
	return ok
}

// takeWord skips the keyword s, if it is next.
func (p *parser) takeWord(s string) bool {
	ok := p.word(s)
	if ok {
		p.next()
	}
	return ok
}

// want skips the operator s, which must be next.
func (p *parser) want(s string) {
	if !p.take(s) {
		p.unexpected()
	}
}

func (p *parser) wantWord(s string) {
	if !p.takeWord(s) {
		p.unexpected()
	}
}

// identifier reads a name that is no keyword.
func (p *parser) identifier() string {
	t := p.cur()
	if t.kind != name || keywords[t.text] {
		p.unexpected()
		return ""
	}
	return p.next().text
}

// begins tells whether the current token may begin an expression, or a starred one.
func (p *parser) begins() bool {
	switch t := p.cur(); t.kind {
	case name:
		return !keywords[t.text] || slices.Contains([]string{"None", "True", "False", "not", "lambda", "await"}, t.text)
	case number, str, fstart:
		return true
	case op:
		return slices.Contains([]string{"(", "[", "{", "-", "+", "~", "...", "*"}, t.text)
	}
	return false
}

// list reads items separated by commas, one of which may follow the last, until the
// operator that closes them.
func (p *parser) list(closing string, item func()) {
	for !p.is(closing) && p.err == nil {
		item()
		if !p.take(",") {
			break
		}
	}
	p.want(closing)
}
