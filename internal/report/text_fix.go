package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// mostChanged is how many lines of a fix the text of a finding shows.
const mostChanged = 12

// textFix shows the patch of a finding as a short diff.
func (r *Report) textFix(p *page, q *quoter, f *scan.Finding) {
	if f.Fix == nil || r.Snippet == nil || r.Mask == nil {
		return
	}
	body := strings.Repeat(" ", margin)
	label := "fix: "
	if !f.Fix.Safe {
		label = "fix (unsafe): "
	}
	p.put(body+p.style(dim, label), margin+len(label), r.sentence(f.Fix.Description))
	n := 0
	for _, h := range fix.Hunks(f.Fix.Edits, r.Snippet) {
		for _, c := range q.changed(h) {
			if n++; n > mostChanged {
				p.raw(body + "  " + p.style(dim, "..."))
				return
			}
			where := fmt.Sprintf("%4d ", c.number)
			if h.Path != f.At.Source.Path {
				where = r.clean(h.Path) + " "
			}
			p.raw(body + p.style(dim, where) + p.style(c.color(), cut(c.sign+" "+c.text, p.width-margin-len(where))))
		}
	}
}

// A changed is a line of a diff, fit to be shown.
type changed struct {
	sign   string // "-", "+" or " "
	number int    // of the line, before or after
	text   string
}

func (c changed) color() string {
	switch c.sign {
	case "-":
		return red
	case "+":
		return green
	}
	return ""
}

// changed returns the lines of a hunk. Of one that may hold a secret, and of what takes
// its place, the values are hidden.
func (q *quoter) changed(h fix.Hunk) []changed {
	var out []changed
	hidden := false
	for i, line := range h.Old {
		text := q.shown(line)
		if q.lines[h.Path][h.Line+i] {
			hidden, text = true, q.clean(veiled(line))
		}
		out = append(out, changed{"-", h.Line + i, text})
	}
	for i, line := range h.New {
		text := q.shown(line)
		if hidden {
			text = q.clean(veiled(line))
		}
		out = append(out, changed{"+", h.Line + i, text})
	}
	return out
}

var (
	assigns = regexp.MustCompile(`^\s*(?i:ENV|ARG|LABEL)\s+[A-Za-z_][A-Za-z0-9_]*`)
	mounts  = regexp.MustCompile(`^\s*(?i:RUN)(\s+--mount=type=(secret|cache|bind|tmpfs)[A-Za-z0-9_,=./-]*)*(\s|$)`)
)

// veiled is a line that may hold a secret, without all that could be one: only the
// instruction and the first name stay.
func veiled(line string) string {
	for _, head := range []*regexp.Regexp{assigns, mounts} {
		if h := head.FindString(line); h != "" {
			if strings.TrimSpace(line[len(h):]) == "" {
				return line
			}
			if head == assigns {
				return h + "=***"
			}
			return strings.TrimRight(h, " \t") + " ***"
		}
	}
	if strings.TrimSpace(line) == "" {
		return ""
	}
	return "***"
}

// context is how many lines a diff shows around what changes.
const context = 3

// Diff writes what edits change in the files of a target, as unified diffs. Values
// that may be secrets are hidden, so it is for reading only where there are some.
func Diff(w io.Writer, r *Report, res *scan.Result, edits []scan.Edit, opt TextOptions) error {
	p := &page{color: opt.Color}
	q := r.quoter(res)
	path, shift := "", 0
	hunks := fix.Hunks(edits, r.Snippet)
	for len(hunks) > 0 {
		n := 1
		for n < len(hunks) && hunks[n].Path == hunks[0].Path && hunks[n].Line-(hunks[n-1].Line+len(hunks[n-1].Old)) <= 2*context {
			n++
		}
		if h := hunks[0]; h.Path != path {
			path, shift = h.Path, 0
			p.raw(p.style(bold, "--- "+r.clean(path)))
			p.raw(p.style(bold, "+++ "+r.clean(path)))
		}
		shift = q.together(p, hunks[:n], shift)
		hunks = hunks[n:]
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// together writes hunks that lie close to each other, with the lines between and
// around them. shift is by how much line numbers have moved so far.
func (q *quoter) together(p *page, hunks []fix.Hunk, shift int) int {
	var out []changed
	around := func(path string, first, last int) {
		for i, line := range q.Snippet(path, max(first, 1), last) {
			text := q.shown(line)
			if q.lines[path][max(first, 1)+i] {
				text = q.clean(veiled(line))
			}
			out = append(out, changed{" ", 0, text})
		}
	}
	start := max(1, hunks[0].Line-context)
	next := start
	grown := 0
	for _, h := range hunks {
		around(h.Path, next, h.Line-1)
		out = append(out, q.changed(h)...)
		next = h.Line + len(h.Old)
		grown += len(h.New) - len(h.Old)
	}
	around(hunks[0].Path, next, next+context-1)
	before := 0
	for _, c := range out {
		if c.sign != "+" {
			before++
		}
	}
	first := start
	if before == 0 {
		first = 0
	}
	p.raw(p.style(cyan, fmt.Sprintf("@@ -%d,%d +%d,%d @@", first, before, start+shift, before+grown)))
	for _, c := range out {
		p.WriteString(p.style(c.color(), c.sign+c.text) + "\n")
	}
	return shift + grown
}
