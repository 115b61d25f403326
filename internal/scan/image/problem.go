package image

import "fmt"

// A Problem is something about the target that the auditor could not read, or
// that can be read in more than one way.
type Problem struct {
	Kind  ProblemKind
	Layer int    // index, or -1 if no layer is concerned
	Entry string // path or member concerned; empty if none. Foreign text: clean before printing
	What  string // one clause: what happened, with the limit's name and value if one was hit
	Hint  string // what the user can do; may be empty
}

// ProblemKind says what a Problem does to the audit.
type ProblemKind uint8

// The kinds, worst first.
const (
	NotAudited ProblemKind = iota // the audit is incomplete: SBX001, exit 3
	Ambiguous                     // readers may disagree about the image: SBX004
	Remark                        // worth saying, changes nothing
)

func (p Problem) String() string {
	s := ""
	if p.Layer >= 0 {
		s = fmt.Sprintf("layer %d: ", p.Layer+1) // people count from 1
	}
	if p.Entry != "" {
		s += fmt.Sprintf("%q: ", p.Entry)
	}
	return s + p.What
}

// Complete reports whether everything that was to be read was read.
func (img *Image) Complete() bool {
	for _, p := range img.Problems {
		if p.Kind == NotAudited {
			return false
		}
	}
	return true
}
