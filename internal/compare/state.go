package compare

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// A state is how bad a finding of the old side was in one place.
type state struct {
	level    scan.Level
	hidden   string // by which layer, if no container saw it; empty if one did
	accepted bool
}

// states are those of all findings of the old side, by rule and place.
type states map[[2]string]state

func statesOf(res *scan.Result) states {
	out := states{}
	if res == nil {
		return out
	}
	add := func(f *scan.Finding, accepted bool) {
		for _, at := range places(f) {
			k := [2]string{f.Rule.ID, subject(at)}
			s, seen := out[k]
			if h := hidden(at); !seen || h == "" {
				s.hidden = h
			}
			s.level, s.accepted = max(s.level, f.Level), s.accepted || accepted
			out[k] = s
		}
	}
	for _, f := range res.Findings {
		add(f, false)
	}
	for _, f := range res.Ignored {
		add(f, true)
	}
	return out
}

// hidden says which layer keeps a file from the container; empty if none does.
func hidden(at scan.Location) string {
	if at.File == nil || !at.File.Buried() {
		return ""
	}
	if at.File.Fate.By == nil {
		return "a later layer"
	}
	return fmt.Sprintf("layer %d", at.File.Fate.By.Index+1)
}

// accepted reports whether the old side's user accepted a finding in one of its places.
func (s states) accepted(f *scan.Finding) bool {
	for _, at := range places(f) {
		if s[[2]string{f.Rule.ID, subject(at)}].accepted {
			return true
		}
	}
	return false
}

// change says what a finding of the new side was on the old one, if something else, and
// whether it got worse in one of its places.
func (s states) change(f *scan.Finding) (was string, worse bool) {
	for _, at := range places(f) {
		old, ok := s[[2]string{f.Rule.ID, subject(at)}]
		switch {
		case !ok:
		case old.level < f.Level:
			return fmt.Sprintf("a level of %s", old.level), true
		case old.hidden != "" && hidden(at) == "":
			return "hidden by " + old.hidden, true
		case old.level > f.Level && was == "":
			was = fmt.Sprintf("a level of %s", old.level)
		case old.hidden == "" && hidden(at) != "" && was == "":
			was = "not hidden"
		}
	}
	return was, false
}
