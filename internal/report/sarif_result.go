package report

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

func (r *Report) sarifResult(g *group, hashes *hashes) *sarif.Result {
	first := g.members[0]
	location := sarif.NewLocation().WithPhysicalLocation(physicalLocation(g.uri, g.line, first.finding.At))
	if at := first.finding.At; !at.Source.IsZero() {
		region := location.PhysicalLocation.Region
		if text := hashes.snippet(at.Source.Path, region); text != "" {
			region.WithSnippet(sarif.NewArtifactContent().WithText(text))
		}
	}
	if at := first.finding.At; !first.target.Image.Predicted && subject(at) != "" {
		name := r.clean(subject(at))
		location.AddLogicalLocation(sarif.NewLogicalLocation().WithKind("resource").WithName(name).
			WithFullyQualifiedName(r.clean(longName(first.target)) + ":" + name))
	}
	related := r.related(g)
	result := sarif.NewRuleResult(g.rule.ID).WithLevel(g.level().String()).
		WithMessage(sarif.NewTextMessage(r.sarifMessage(g) + links(related))).
		AddLocation(location).WithRelatedLocations(related).WithCodeFlows(r.codeFlows(g)).
		WithPartialFingerprints(hashes.fingerprints(g)).
		WithFixes(r.sarifFixes(g)).WithProperties(r.properties(g))
	if g.ignored != nil {
		result.AddSuppression(r.suppression(g.ignored))
	}
	return result
}

// fingerprints tell whether an alert is one that was there before: by our own name for
// it and by GitHub's. That is the hash of the line where the repository has it, and
// else, as the upload action does not find the file, our name again.
func (h *hashes) fingerprints(g *group) map[string]string {
	first := g.members[0]
	out := map[string]string{"sandboxAuditFinding/v1": first.fingerprint}
	switch at := first.finding.At; {
	case at.Source.IsZero():
		out["primaryLocationLineHash"] = first.fingerprint + ":1"
	case h.hashed(at.Lines()) != "":
		out["primaryLocationLineHash"] = h.hashed(at.Lines())
	}
	return out
}

// links name lines of the related locations, as GitHub shows only those that the message
// links to (SARIF 2.1.0, 3.11.6).
func links(related []*sarif.Location) string {
	const most = 3
	var out, seen []string
	for _, l := range related {
		at := l.PhysicalLocation
		place := cut(path.Base(*at.ArtifactLocation.URI), 64) + ":" + strconv.Itoa(*at.Region.StartLine)
		if len(out) == most || slices.Contains(seen, place) {
			continue
		}
		seen, out = append(seen, place), append(out, fmt.Sprintf("[%s](%d)", place, l.ID))
	}
	if out == nil {
		return ""
	}
	return "; see " + strings.Join(out, ", ")
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
	case longName(m.target) == noName:
		return text + ", in the image"
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
	left := maxFlowPlaces
	for _, m := range g.members {
		if len(m.finding.Flow) == 0 {
			continue
		}
		flow := m.finding.Flow[max(0, len(m.finding.Flow)-maxPlaces):]
		if left -= len(flow); left < 0 {
			break
		}
		thread := sarif.NewThreadFlow()
		for _, n := range flow {
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

// How many places a result lists, of its own and in all of its flows: as many as
// services show. Its count tells of all.
const (
	maxPlaces     = 100
	maxFlowPlaces = 1000
)

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
