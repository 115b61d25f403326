package report

import (
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// physicalLocation is a line of a file and, where they are known, the columns of the
// part concerned; and the lines of the whole instruction, if it has more than that one.
func physicalLocation(uri string, line int, at scan.Location) *sarif.PhysicalLocation {
	region := sarif.NewRegion().WithStartLine(line)
	out := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri)).WithRegion(region)
	if at.Source.IsZero() {
		return out
	}
	last := line
	if !at.Focus.IsZero() && at.Focus.Start.Line == line {
		out.WithRegion(regionOf(at.Focus))
		last = at.Focus.End.Line
	}
	if s := at.Source; s.End > s.Start && s.Start <= line && s.End >= last && (s.Start < line || s.End > last) {
		out.WithContextRegion(sarif.NewRegion().WithStartLine(s.Start).WithEndLine(s.End))
	}
	return out
}

func regionOf(r dockerfile.Range) *sarif.Region {
	return sarif.NewRegion().WithStartLine(r.Start.Line).WithStartColumn(r.Start.Column).WithEndLine(r.End.Line).WithEndColumn(r.End.Column)
}

// sarifFixes are the patches of a group's findings.
func (r *Report) sarifFixes(g *group) []*sarif.Fix {
	out := []*sarif.Fix{}
	var seen []*scan.Fix
	for _, m := range g.members {
		f := m.finding.Fix
		if f == nil || slices.ContainsFunc(seen, func(o *scan.Fix) bool { return slices.Equal(o.Edits, f.Edits) }) {
			continue
		}
		seen = append(seen, f)
		what := r.sentence(f.Description)
		if !f.Safe {
			what += " (not safe: it may change what the image does)"
		}
		out = append(out, sarif.NewFix().WithDescription(sarif.NewTextMessage(noLinks(what))).WithArtifactChanges(r.artifactChanges(f.Edits)))
	}
	return out
}

func (r *Report) artifactChanges(edits []scan.Edit) []*sarif.ArtifactChange {
	var out []*sarif.ArtifactChange
	for i, e := range edits {
		if i == 0 || e.Path != edits[i-1].Path {
			uri := relativeURI(r.repoPath(e.Path))
			out = append(out, sarif.NewArtifactChange().WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri)))
		}
		change := sarif.NewReplacement().WithDeletedRegion(regionOf(e.At))
		if text := r.inserted(e); strings.TrimSpace(text) != "" {
			change.WithInsertedContent(sarif.NewArtifactContent().WithText(text))
		}
		out[len(out)-1].AddReplacement(change)
	}
	return out
}
