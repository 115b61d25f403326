package dockerfile

import (
	"regexp"
	"strings"
)

// anyText stands for what only the build or the base image knew.
const anyText = string(markOpen) + string(markClose)

// A gapped text is one in which any other may stand between its parts.
type gapped struct {
	parts []string // one, if nothing may
}

var marks = regexp.MustCompile(string(markOpen) + `[^` + string(markClose) + `]*` + string(markClose))

func newGapped(text string) gapped { return gapped{marks.Split(text, -1)} }

// maxGapped is how long a text may be to be compared with one that has gaps. What
// has them names arguments, users and paths.
const maxGapped = 4 << 10

func (p gapped) match(s string) bool {
	if len(s) > maxGapped {
		return false
	}
	if len(p.parts) == 1 {
		return s == p.parts[0]
	}
	first, last := p.parts[0], p.parts[len(p.parts)-1]
	if len(first)+len(last) > len(s) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range p.parts[1 : len(p.parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}
