package report

import (
	"strings"
	"unicode/utf8"
)

// ANSI styles (ECMA-48, 8.3.117).
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// A page is text that is being laid out. What is put on it is clean.
type page struct {
	strings.Builder
	width int
	color bool
}

// style gives s a style, if the page has any.
func (p *page) style(code, s string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *page) blank() { p.WriteByte('\n') }

// raw writes one line as it is.
func (p *page) raw(line string) {
	p.WriteString(strings.TrimRight(line, " "))
	p.WriteByte('\n')
}

// put writes a label, then text wrapped to the width; its further lines start at
// column indent. A word that is wider than the page, such as a path, stays whole.
func (p *page) put(label string, indent int, text string) {
	line, column := label, indent
	start, blank := true, true // nothing of the text is on the line; nothing but spaces is
	for _, word := range strings.Split(text, " ") {
		n := columns(word)
		if !start && column+1+n > p.width {
			p.raw(line)
			line, column, start, blank = strings.Repeat(" ", indent), indent, true, true
		}
		if !start {
			line, column = line+" ", column+1
		}
		// A line that wraps here must not begin as a command to CI systems.
		if rest, ok := strings.CutPrefix(word, "::"); ok && blank {
			word = `\x3a:` + rest
		}
		line, column, start, blank = line+word, column+n, false, blank && word == ""
	}
	p.raw(line)
}

// columns is how wide a string shows, styles left out.
func columns(s string) int {
	n := 0
	for len(s) > 0 {
		if strings.HasPrefix(s, "\x1b[") {
			if i := strings.IndexByte(s, 'm'); i >= 0 {
				s = s[i+1:]
				continue
			}
		}
		_, size := utf8.DecodeRuneInString(s)
		s, n = s[size:], n+1
	}
	return n
}

// cutWords shortens text to a number of columns, between two words.
func cutWords(s string, width int) string {
	short := cut(s, width)
	if i := strings.LastIndexByte(short, ' '); short != s && i > 0 {
		return short[:i] + " ..."
	}
	return short
}

// cutClauses shortens text to a number of columns: after a whole clause if that
// leaves more than half, or else between two words.
func cutClauses(s string, width int) string {
	short := cut(s, width)
	if short == s {
		return s
	}
	if i := max(strings.LastIndex(short, "; "), strings.LastIndex(short, ": ")); i > len(short)/2 {
		return short[:i]
	}
	return cutWords(s, width)
}

// cut shortens a line to a number of columns.
func cut(s string, width int) string {
	if runes := []rune(s); len(runes) > width {
		return string(runes[:max(0, width-3)]) + "..."
	}
	return s
}
