package report

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

func (r *Report) textSnippet(p *page, q *quoter, at scan.Location) {
	lines, first, more := q.excerpt(at)
	if len(lines) == 0 {
		return
	}
	digits := len(fmt.Sprint(first + len(lines) - 1))
	for i, line := range lines {
		gutter := fmt.Sprintf("%*d | ", digits+2, first+i)
		room := p.width - margin - len(gutter)
		p.raw(strings.Repeat(" ", margin) + p.style(dim, gutter) + cut(line, room))
		if from, n := q.underlined(at, first+i, line); n > 0 && from+n <= room {
			p.raw(strings.Repeat(" ", margin) + p.style(dim, fmt.Sprintf("%*s | ", digits+2, "")) + strings.Repeat(" ", from) + p.style(yellow, strings.Repeat("^", n)))
		}
	}
	if more > 0 {
		p.raw(strings.Repeat(" ", margin) + p.style(dim, fmt.Sprintf("%*s | (%d more)", digits+2, "", more)))
	}
}

// underlined says which columns of a quoted line show the part that a location is
// about: none if that is not on this one line, or if the line is not shown as it is.
func (q *quoter) underlined(at scan.Location, number int, shown string) (from, n int) {
	f := at.Focus
	if f.IsZero() || f.Start.Line != number || f.End.Line != number {
		return 0, 0
	}
	raw := q.Snippet(at.Source.Path, number, number)
	if len(raw) != 1 {
		return 0, 0
	}
	line := utf16.Encode([]rune(strings.TrimPrefix(raw[0], "\ufeff")))
	if f.Start.Column < 1 || f.End.Column-1 > len(line) || f.Start.Column >= f.End.Column {
		return 0, 0
	}
	before := q.shown(string(utf16.Decode(line[:f.Start.Column-1])))
	upTo := q.shown(string(utf16.Decode(line[:f.End.Column-1])))
	if !strings.HasPrefix(shown, upTo) || !strings.HasPrefix(upTo, before) {
		return 0, 0 // something in it is masked or escaped
	}
	return columns(before), columns(upTo) - columns(before)
}
