package source

import (
	"errors"
	"strings"
)

// strings reads adjacent literals as the one that they are (Python reference,
// 2.4.2, "String literal concatenation").
func (p *parser) strings() expr {
	line := p.here()
	var bytes, fields, templates int
	var parts []expr
	n := 0
	for ; p.cur().kind == str || p.cur().kind == fstart; n++ {
		prefix, _, _ := strings.Cut(p.cur().text, p.cur().text[len(p.cur().text)-1:])
		prefix = strings.ToLower(prefix)
		switch {
		case strings.Contains(prefix, "b"):
			bytes++
		case strings.Contains(prefix, "t"):
			templates++
		case strings.Contains(prefix, "f"):
			fields++
		}
		if p.cur().kind == str {
			parts = append(parts, p.literal(p.next()))
		} else {
			parts = append(parts, p.fstring()...)
		}
	}
	if bytes > 0 && bytes < n || templates > 0 && templates < n {
		p.fail("joins literals of different kinds")
	}
	if fields > 0 || templates > 0 {
		return &joined{line, templates > 0, merge(parts)}
	}
	if bytes > 0 {
		all := octets("")
		for _, e := range parts {
			v, _ := e.(*constant).value.(octets)
			all += v
		}
		return &constant{line, all}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return &constant{line, concat(parts)}
}

// literal returns the constant that a literal without fields stands for.
func (p *parser) literal(t token) *constant {
	prefix, body := unquote(t.text)
	bytes := strings.Contains(prefix, "b")
	value := p.unescaped(body, strings.Contains(prefix, "r"), bytes)
	if s, ok := value.(string); ok && bytes {
		if strings.IndexFunc(body, func(r rune) bool { return r > 127 }) >= 0 {
			p.fail("has a bytes literal that is not ASCII")
		}
		value = octets(s)
	}
	return &constant{at(t.line), value}
}

func (p *parser) unescaped(body string, raw, bytes bool) any {
	value, err := unescape(body, raw, bytes)
	if errors.Is(err, errNamed) {
		return opaque{value}
	}
	if err != nil {
		p.fail("has a literal that %s", err)
	}
	return value
}

// concat joins the values of constants.
func concat(parts []expr) any {
	var b strings.Builder
	known := true
	for _, e := range parts {
		switch v := e.(*constant).value.(type) {
		case string:
			b.WriteString(v)
		case opaque:
			b.WriteString(v.text)
			known = false
		}
	}
	if !known {
		return opaque{b.String()}
	}
	return b.String()
}

// merge joins neighbouring constants of an f-string and drops empty ones.
func merge(parts []expr) []expr {
	var out []expr
	for i := 0; i < len(parts); {
		j := i
		for j < len(parts) {
			if _, ok := parts[j].(*constant); !ok {
				break
			}
			j++
		}
		if j == i {
			out = append(out, parts[i])
			i++
			continue
		}
		if v := concat(parts[i:j]); v != "" {
			out = append(out, &constant{at(parts[i].line()), v})
		}
		i = j
	}
	return out
}

// fstring reads one f-string or t-string (PEP 701).
func (p *parser) fstring() []expr {
	start := p.next()
	raw := strings.ContainsAny(start.text, "rR")
	template := strings.ContainsAny(start.text, "tT")
	parts := p.fparts(fend, raw, template)
	if p.cur().kind != fend {
		p.unexpected()
	}
	p.next()
	return parts
}

// fparts reads literal text and fields until a token of kind last, or a closing brace.
func (p *parser) fparts(last kind, raw, template bool) []expr {
	var parts []expr
	for {
		switch t := p.cur(); {
		case t.kind == fmiddle:
			p.next()
			body := t.text
			if last == fend { // braces are doubled only outside a format
				body = undouble(body, raw)
			}
			parts = append(parts, &constant{at(t.line), p.unescaped(body, raw, false)})
		case p.is("{"):
			parts = append(parts, p.field(raw, template)...)
		default:
			return parts
		}
	}
}

// undouble makes doubled braces single ones, but for those that belong to \N{NAME}:
// there, braces are not doubled.
func undouble(s string, raw bool) string {
	if raw || !strings.Contains(s, `\`) {
		return doubled.Replace(s)
	}
	return doubledEscaped.Replace(s)
}

// doubledEscaped skips escaped backslashes, so that only a real \N{ is kept.
var (
	doubled        = strings.NewReplacer("{{", "{", "}}", "}")
	doubledEscaped = strings.NewReplacer(`\\`, `\\`, `\N{`, `\N{`, "{{", "{", "}}", "}")
)

// field reads a replacement field; what "=" shows of it comes before it as text.
func (p *parser) field(raw, template bool) []expr {
	p.enter()
	defer p.leave(1)
	opening := p.next()
	f := &formatted{at: at(opening.line)}
	var shown []expr
	f.value = p.yieldOr()
	written := p.src[opening.pos+1 : p.cur().pos]
	if p.take("=") {
		text := p.src[opening.pos+1 : p.cur().pos]
		shown = []expr{&constant{at(opening.line), text}}
		f.conversion = "r"
	}
	if template {
		f.str = strings.TrimSpace(written)
	}
	if p.take("!") {
		f.conversion = p.identifier()
		if f.conversion != "s" && f.conversion != "r" && f.conversion != "a" {
			p.unexpected()
		}
	} else if p.is(":") && shown != nil {
		f.conversion = "" // a format is applied to the value itself
	}
	if p.is(":") {
		line := p.here()
		p.next()
		f.spec = &joined{at: line, values: merge(p.fparts(op, raw, false))}
	}
	p.want("}")
	return append(shown, f)
}
