package fix

import (
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// A Hunk is what edits change in some lines that follow each other.
type Hunk struct {
	Path string
	Line int      // the first of Old; if there is none, the line before which New goes
	Old  []string // lines that go, without their ends
	New  []string // lines that come
}

// Hunks returns what sorted edits change. lines returns lines first to last of a file,
// 1-based and inclusive; fewer if there are fewer. An edit that does not fit gives none.
func Hunks(edits []scan.Edit, lines func(path string, first, last int) []string) []Hunk {
	var out []Hunk
	for len(edits) > 0 {
		n, last := 1, edits[0].At.End.Line
		for n < len(edits) && edits[n].Path == edits[0].Path && edits[n].At.Start.Line <= last {
			last = max(last, edits[n].At.End.Line)
			n++
		}
		if h, ok := hunk(edits[:n], last, lines); ok {
			out = append(out, h)
		}
		edits = edits[n:]
	}
	return out
}

func hunk(edits []scan.Edit, last int, lines func(path string, first, last int) []string) (Hunk, bool) {
	h := Hunk{Path: edits[0].Path, Line: edits[0].At.Start.Line}
	h.Old = slices.Clone(lines(h.Path, h.Line, last))
	text := ""
	if len(h.Old) > 0 {
		text = strings.Join(h.Old, "\n") + "\n"
	}
	after, err := replace(text, h.Line, edits, "\n")
	if err != nil {
		return h, false
	}
	if after = strings.TrimSuffix(after, "\n"); after != "" {
		h.New = strings.Split(after, "\n")
	}
	for len(h.Old) > 0 && len(h.New) > 0 && h.Old[0] == h.New[0] {
		h.Old, h.New, h.Line = h.Old[1:], h.New[1:], h.Line+1
	}
	for len(h.Old) > 0 && len(h.New) > 0 && h.Old[len(h.Old)-1] == h.New[len(h.New)-1] {
		h.Old, h.New = h.Old[:len(h.Old)-1], h.New[:len(h.New)-1]
	}
	return h, len(h.Old)+len(h.New) > 0
}
