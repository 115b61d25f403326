package scan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// A Fix is a patch that makes a finding go away. It is offered only where it is
// known to fit.
type Fix struct {
	Description string // what it does, in the imperative: "remove --network=host"
	Edits       []Edit // none overlap
	// Safe means that what the image did before it still does, but for what the
	// finding is about; what needs another command line or may need rights that the
	// fix takes away is not safe.
	Safe bool
}

// An Edit replaces a part of a text file.
type Edit struct {
	Path string           // of the file, as the Dockerfile's is
	At   dockerfile.Range // nothing, where text is only added
	New  string           // its lines end with LF, whatever those of the file do
}

// Mend adds what makes the finding go away; nothing if fix is nil.
func (f *Finding) Mend(fix *Fix) *Finding {
	if fix != nil && len(fix.Edits) > 0 {
		f.Fix = fix
	}
	return f
}

// mergeFixes makes one fix of those of several findings, if each has one and they
// do not get in each other's way.
func mergeFixes(fs []*Finding) *Fix {
	all := Fix{Safe: true}
	var what []string
	for _, f := range fs {
		if f.Fix == nil {
			return nil
		}
		all.Safe = all.Safe && f.Fix.Safe
		what = append(what, f.Fix.Description)
		for _, e := range f.Fix.Edits {
			if !slices.Contains(all.Edits, e) {
				all.Edits = append(all.Edits, e)
			}
		}
	}
	SortEdits(all.Edits)
	if Overlap(all.Edits) {
		return nil
	}
	all.Description = strings.Join(slices.Compact(what), "; ")
	return &all
}

// SortEdits orders edits by file and place. Text that is added at one place stays in
// its order.
func SortEdits(edits []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), comparePos(a.At.Start, b.At.Start), comparePos(a.At.End, b.At.End))
	})
}

func comparePos(a, b dockerfile.Pos) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// Overlap reports whether two of the sorted edits are about the same text.
func Overlap(edits []Edit) bool {
	for i, e := range edits[:max(0, len(edits)-1)] {
		if next := edits[i+1]; e.Path == next.Path && next.At.Start.Before(e.At.End) {
			return true
		}
	}
	return false
}
