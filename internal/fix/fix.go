// Package fix makes the patches that findings carry: it chooses those that go
// together, applies them to the text of files, shows what they change, and checks
// that the findings are gone. It promises that nothing but what a patch names
// changes: line ends, a byte order mark, the last line's end and the file's mode stay.
package fix

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// A Plan is what can be mended of a result at once.
type Plan struct {
	Edits   []scan.Edit // sorted, none overlap
	Fixed   []*scan.Finding
	Unsafe  []*scan.Finding // left out, as their fixes are not safe
	Clashes []*scan.Finding // left out, as their fixes change the same text as others
}

// New plans the fixes of the findings for which chosen holds, in their order; unsafe
// ones only if asked for.
func New(r *scan.Result, unsafe bool, chosen func(*scan.Finding) bool) *Plan {
	p := &Plan{}
	for _, f := range r.Findings {
		switch {
		case f.Fix == nil || !chosen(f):
		case !f.Fix.Safe && !unsafe:
			p.Unsafe = append(p.Unsafe, f)
		default:
			p.add(f)
		}
	}
	return p
}

func (p *Plan) add(f *scan.Finding) {
	all := slices.Clone(p.Edits)
	for _, e := range f.Fix.Edits {
		if !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	scan.SortEdits(all)
	if scan.Overlap(all) {
		p.Clashes = append(p.Clashes, f)
		return
	}
	p.Edits, p.Fixed = all, append(p.Fixed, f)
}

// Paths are the files that the plan changes, in order.
func (p *Plan) Paths() []string {
	var out []string
	for _, e := range p.Edits {
		out = append(out, e.Path)
	}
	return slices.Compact(out)
}

// Of are the edits of one file.
func (p *Plan) Of(path string) []scan.Edit {
	return slices.DeleteFunc(slices.Clone(p.Edits), func(e scan.Edit) bool { return e.Path != path })
}

// Left returns those of the findings that a later audit still has. Findings are the
// same if their fingerprints are, apart from the number of those that are alike.
func Left(before, after *scan.Result, fixed []*scan.Finding) []*scan.Finding {
	same := func(path string) string { return path }
	have := map[string]int{}
	for _, name := range policy.Fingerprints(after, same) {
		have[unnumbered(name)]++
	}
	names := policy.Fingerprints(before, same)
	for i, f := range before.Findings {
		if !slices.Contains(fixed, f) { // it may stay
			have[unnumbered(names[i])]--
		}
	}
	var left []*scan.Finding
	for i, f := range before.Findings {
		if name := unnumbered(names[i]); slices.Contains(fixed, f) && have[name] > 0 {
			have[name]--
			left = append(left, f)
		}
	}
	return left
}

func unnumbered(fingerprint string) string {
	name, _, _ := strings.Cut(fingerprint, "-")
	return name
}

var bom = []byte("\xef\xbb\xbf")

// Apply makes sorted edits of one file. It fails if one names a place that the text
// does not have, or two overlap.
func Apply(text []byte, edits []scan.Edit) ([]byte, error) {
	body, marked := bytes.CutPrefix(text, bom)
	eol := "\n"
	if i := bytes.IndexByte(body, '\n'); i > 0 && body[i-1] == '\r' {
		eol = "\r\n"
	}
	out, err := replace(string(body), 1, edits, eol)
	if err != nil {
		return nil, err
	}
	switch ended := strings.HasSuffix(string(body), "\n"); {
	case len(body) > 0 && !ended && strings.HasSuffix(out, eol):
		out = strings.TrimSuffix(out, eol)
	case ended && out != "" && !strings.HasSuffix(out, "\n"):
		out += eol
	}
	if marked {
		return append(slices.Clone(bom), out...), nil
	}
	return []byte(out), nil
}

// replace makes edits in a text that starts with the given line.
func replace(text string, first int, edits []scan.Edit, eol string) (string, error) {
	if scan.Overlap(edits) {
		return "", fmt.Errorf("patching: two patches change the same text")
	}
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	var b strings.Builder
	done := 0
	for _, e := range edits {
		from, ok := offset(text, starts, first, e.At.Start)
		to, ok2 := offset(text, starts, first, e.At.End)
		if !ok || !ok2 || from > to || from < done {
			return "", fmt.Errorf("patching line %d: there is no such place", e.At.Start.Line)
		}
		b.WriteString(text[done:from])
		if from == len(text) && e.At.Start.Line-first == len(starts) && text != "" && e.New != "" {
			b.WriteString(eol) // the last line had no end
		}
		b.WriteString(strings.ReplaceAll(e.New, "\n", eol))
		done = to
	}
	return b.String() + text[done:], nil
}

// offset finds a place. The line after the last one is the end of the text.
func offset(text string, starts []int, first int, p dockerfile.Pos) (at int, ok bool) {
	n := p.Line - first
	if n == len(starts) && p.Column == 1 {
		return len(text), true
	}
	if n < 0 || n >= len(starts) || p.Column < 1 {
		return 0, false
	}
	at = starts[n]
	for left := p.Column - 1; left > 0; {
		r, size := utf8.DecodeRuneInString(text[at:])
		if size == 0 || r == '\n' || r == '\r' {
			return 0, false
		}
		left -= max(1, utf16.RuneLen(r))
		at += size
	}
	return at, true
}
