package report

import (
	"fmt"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

func (r *Report) sarifResult(g *group) *sarif.Result {
	first := g.members[0]
	location := sarif.NewLocation().WithPhysicalLocation(physicalLocation(g.uri, g.line, first.finding.At))
	if at := first.finding.At; !first.target.Image.Predicted && subject(at) != "" {
		name := r.clean(subject(at))
		location.AddLogicalLocation(sarif.NewLogicalLocation().WithKind("resource").WithName(name).
			WithFullyQualifiedName(r.clean(longName(first.target)) + ":" + name))
	}
	result := sarif.NewRuleResult(g.rule.ID).WithLevel(g.level().String()).
		WithMessage(sarif.NewTextMessage(r.sarifMessage(g))).
		AddLocation(location).WithRelatedLocations(r.related(g)).WithCodeFlows(r.codeFlows(g)).
		WithPartialFingerprints(map[string]string{"sandboxAuditFinding/v1": first.fingerprint}).
		WithFixes(r.sarifFixes(g)).WithProperties(r.properties(g))
	if g.ignored != nil {
		result.AddSuppression(r.suppression(g.ignored))
	}
	return result
}

// alsoTold is how many further findings of a group its message tells in full.
const alsoTold = 2

// sarifMessage is one sentence that names the thing and the image: where space is
// short it is all that a reader sees.
func (r *Report) sarifMessage(g *group) string {
	var parts []string
	for i, m := range g.members {
		if i > alsoTold {
			parts = append(parts, fmt.Sprintf("and %d more here", len(g.members)-i))
			break
		}
		parts = append(parts, r.named(m))
	}
	return noLinks(strings.Join(parts, "; "))
}

func (r *Report) named(m member) string {
	text := r.sentence(m.finding.Message)
	if p := m.finding.At.Path; p != "" && !strings.Contains(m.finding.Message, p) {
		text += ", at " + r.clean(p)
	}
	switch {
	case m.target.Image.Predicted:
		return text
	case m.target.Name == "-":
		return text + ", in the image on standard input"
	}
	return text + ", in image " + r.clean(longName(m.target))
}

// related are the lines of Dockerfiles that the notes tell of. Places in an image
// are none: they are no files of the repository.
func (r *Report) related(g *group) []*sarif.Location {
	out := []*sarif.Location{}
	for _, m := range g.members {
		for _, n := range m.finding.Notes {
			if n.At.Source.IsZero() || len(out) == maxPlaces {
				continue
			}
			uri, line := r.physical(m.target, n.At)
			out = append(out, sarif.NewLocation().WithID(len(out)+1).WithPhysicalLocation(physicalLocation(uri, line, n.At)).
				WithMessage(sarif.NewTextMessage(noLinks(r.sentence(n.Message)))))
		}
	}
	return out
}

// codeFlows tells what happens when the container runs, in order. A step lies in a
// file of the image, so its physical location is the line that brought the file,
// which is one of the repository, and its message names the file and line itself.
func (r *Report) codeFlows(g *group) []*sarif.CodeFlow {
	out := []*sarif.CodeFlow{}
	for _, m := range g.members {
		if len(m.finding.Flow) == 0 {
			continue
		}
		thread := sarif.NewThreadFlow()
		for _, n := range m.finding.Flow[max(0, len(m.finding.Flow)-maxPlaces):] {
			text := r.sentence(n.Message)
			if at := r.stepPlace(n.At, m.target); at != "" {
				text = at + ": " + text
			}
			uri, line := r.physical(m.target, n.At)
			thread.AddLocation(sarif.NewThreadFlowLocation().WithLocation(sarif.NewLocation().
				WithPhysicalLocation(physicalLocation(uri, line, n.At)).WithMessage(sarif.NewTextMessage(noLinks(text)))))
		}
		out = append(out, sarif.NewCodeFlow().AddThreadFlow(thread))
	}
	return out
}

// maxPlaces is how many places a result lists; its count tells of all.
const maxPlaces = 100

func (r *Report) properties(g *group) *sarif.PropertyBag {
	m := g.members[0]
	at := m.finding.At
	bag := sarif.NewPropertyBag()
	add := func(key, value string) {
		if value != "" {
			bag.Add(key, r.clean(value))
		}
	}
	if !m.target.Image.Predicted {
		add("image", m.target.Name)
		add("imageDigest", m.target.Digest)
		if at.Layer != nil {
			add("layerDiffID", at.Layer.DiffID)
			bag.Add("layerIndex", at.Layer.Index)
		}
	}
	add("path", at.Path)
	add("field", at.Field)
	add("state", state(at))
	count := 0
	var all, notes []string
	for _, m := range g.members {
		ps := places(m.finding)
		count += len(ps)
		for _, p := range ps {
			all = r.list(all, subject(p))
		}
		for _, n := range m.finding.Notes {
			notes = r.list(notes, n.Message)
		}
	}
	bag.Add("count", count)
	if count > 1 && all != nil {
		bag.Add("places", all)
	}
	if notes != nil {
		bag.Add("notes", notes)
	}
	return bag
}

// list adds s to a list of at most maxPlaces.
func (r *Report) list(to []string, s string) []string {
	if s == "" || len(to) == maxPlaces {
		return to
	}
	return append(to, r.sentence(s))
}
