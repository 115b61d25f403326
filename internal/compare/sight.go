package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A sight is what one side could see of what the other has.
type sight struct {
	side  Side
	other *scan.Result    // nil if there is none
	gaps  []gap           // that the other side has not
	paths map[string]bool // of the side's files; nil until they are needed
}

// A gap is something of a side that was not read.
type gap struct {
	text  string
	entry string // path or member, if only that one was not read
	layer string // diff ID; empty if no layer is concerned or it has none
}

// sightOf is what a side could see. What neither side could read hides nothing from one
// that the other found in spite of it: a gap that both have raises no doubt.
func sightOf(side, other Side) *sight {
	s := &sight{side: side, other: other.Result}
	if side.Result == nil {
		return s
	}
	var theirs []gap
	if other.Result != nil {
		theirs = gapsOf(other.Result)
	}
	for _, g := range gapsOf(side.Result) {
		if !slices.ContainsFunc(theirs, g.same) {
			s.gaps = append(s.gaps, g)
		}
	}
	return s
}

func gapsOf(res *scan.Result) []gap {
	var out []gap
	for _, p := range res.Target.Image.Problems {
		if p.Kind != image.NotAudited {
			continue
		}
		g := gap{text: p.String(), entry: p.Entry}
		if p.Layer >= 0 && p.Layer < len(res.Target.Image.Layers) {
			g.layer = res.Target.Image.Layers[p.Layer].DiffID
		}
		out = append(out, g)
	}
	for _, p := range res.Target.Unread() {
		out = append(out, gap{text: fmt.Sprintf("%s: %s", p.Span, p.What)})
	}
	for _, p := range res.Target.Unjudged() {
		out = append(out, gap{text: fmt.Sprintf("%s:%d: %s", p.At.File, p.At.Line, p.What)})
	}
	return out
}

// same reports whether two gaps are of the same bytes: of one layer, for the same
// reason.
func (g gap) same(o gap) bool { return g.layer != "" && g == o }

// doubtAll says why a side could not tell of a finding in any of its places; empty if it
// could in one.
func (s *sight) doubtAll(f *scan.Finding) string {
	why := ""
	for _, at := range places(f) {
		if why = s.doubt(f.Rule, at); why == "" {
			return ""
		}
	}
	return why
}

// doubt says why a side could not tell whether a rule finds something at a place; empty
// if it could.
func (s *sight) doubt(rule *scan.Rule, at scan.Location) string {
	switch {
	case s.side.Failure != "":
		return s.side.Name + " could not be read"
	case s.side.Result == nil || rule.Last:
		return ""
	}
	for _, g := range s.gaps {
		if g.hides(rule, at) {
			return "not audited: " + g.text
		}
	}
	if s.lacks(at) {
		return ""
	}
	return cmp.Or(s.unasked(rule), s.undecided(rule))
}

// lacks reports whether the side certainly has nothing of that name: no version of the
// file in any layer, no such variable or port.
func (s *sight) lacks(at scan.Location) bool {
	img := s.side.Result.Target.Image
	kind, name, _ := strings.Cut(at.Field, ".")
	switch {
	case at.Manifest || img.Predicted:
		return false
	case at.File != nil:
		return !s.has(at.File.Path)
	case at.Path != "":
		return !s.has(at.Path)
	case img.NoConfig:
		return false
	case kind == "Env":
		_, ok := img.Config.Getenv(name)
		return !ok
	case kind == "ExposedPorts":
		return !slices.Contains(img.Config.ExposedPorts, name)
	}
	return false
}

func (s *sight) has(path string) bool {
	if s.paths == nil {
		s.paths = map[string]bool{}
		for f := range s.side.Result.Target.Image.Files() {
			s.paths[f.Path] = true
		}
	}
	return s.paths[path]
}

// unasked says why a rule told nothing, or not all.
func (s *sight) unasked(rule *scan.Rule) string {
	res := s.side.Result
	switch {
	case !slices.ContainsFunc(res.Rules, func(r *scan.Rule) bool { return r.ID == rule.ID }):
		return rule.ID + " is turned off"
	case !rule.Judges(res.Target) && res.Target.NoImage:
		return rule.ID + " judges no manifest"
	case !rule.Judges(res.Target) && res.Target.Image.Predicted:
		return rule.ID + " judges no Dockerfile, only images"
	case !rule.Judges(res.Target):
		return rule.ID + " judges only manifests"
	case slices.ContainsFunc(res.Broken, func(b scan.Broken) bool { return b.Rule.ID == rule.ID }):
		return rule.ID + " broke"
	case slices.ContainsFunc(res.Unlisted, func(u scan.Unlisted) bool { return u.Rule.ID == rule.ID }):
		return rule.ID + " found more than the limit per rule lists"
	}
	return ""
}

// undecided is what the rule itself says that it can't tell, and does not say of the
// other side.
func (s *sight) undecided(rule *scan.Rule) string {
	for _, c := range s.side.Result.Claims {
		if c.Shown || c.Rule.ID != rule.ID {
			continue
		}
		said := func(o scan.Claim) bool { return !o.Shown && o.Rule.ID == rule.ID && o.Text == c.Text }
		if s.other == nil || !slices.ContainsFunc(s.other.Claims, said) {
			return c.Text
		}
	}
	return ""
}

// hides reports whether what was not read may hold what a rule finds at a place. A
// setting was read with the config; but a rule that also needs files may not have seen
// them. Of a single entry that was not read, rules say themselves what they can't tell.
func (g gap) hides(rule *scan.Rule, at scan.Location) bool {
	switch {
	case g.entry == "":
		return at.Path != "" || at.Field == "" || rule.Needs != nil
	case at.Path == "":
		return false
	}
	return at.Path == g.entry || below(at.Path, g.entry) || below(g.entry, at.Path)
}

// below reports whether a path is in a directory or an archive.
func below(path, parent string) bool {
	rest, ok := strings.CutPrefix(path, parent)
	return ok && rest != "" && (strings.HasSuffix(parent, "/") || strings.ContainsRune("/!", rune(rest[0])))
}
