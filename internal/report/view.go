package report

import (
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A gap is something that was not audited, or a remark on how it was. Its text is
// clean, but for the path of its span.
type gap struct {
	What   string
	Hint   string
	Rule   *scan.Rule      // nil if no rule is concerned
	Layer  *image.Layer    // nil if none
	Entry  string          // path or member; empty if none
	Source dockerfile.Span // zero if none
	// Manifest is true if Source is in a manifest.
	Manifest bool
}

// tell puts a gap into one line, its place first.
func (r *Report) tell(g gap) string {
	var parts []string
	if g.Layer != nil {
		parts = append(parts, layerName(g.Layer))
	}
	if !g.Source.IsZero() {
		parts = append(parts, r.line(g.Source))
	}
	if g.Entry != "" {
		parts = append(parts, g.Entry)
	}
	return strings.Join(append(parts, g.What), ": ")
}

// line names a place in a Dockerfile as the user knows it: "Dockerfile:3".
func (r *Report) line(s dockerfile.Span) string {
	return fmt.Sprintf("%s:%d", r.clean(s.Path), s.Start)
}

// notAudited lists what makes an audit incomplete.
func (r *Report) notAudited(res *scan.Result) []gap {
	out := r.problems(res, image.NotAudited)
	for _, p := range res.Target.Unread() {
		out = append(out, r.unread(p))
	}
	for _, p := range res.Target.Unjudged() {
		out = append(out, r.inManifest(p))
	}
	for _, b := range res.Broken {
		out = append(out, gap{Rule: b.Rule, What: r.clean(fmt.Sprintf("rule %s %s broke, its findings are missing: %v", b.Rule.ID, b.Rule.Name, b.Err)),
			Hint: "please report this"})
	}
	for _, u := range res.Unlisted {
		out = append(out, gap{Rule: u.Rule, What: fmt.Sprintf("rule %s %s found %d more than the limit per rule lists", u.Rule.ID, u.Rule.Name, u.N)})
	}
	return out
}

// remarks lists what is worth saying and changes nothing.
func (r *Report) remarks(res *scan.Result) []gap {
	out := append(r.problems(res, image.Remark), r.manifestRemarks(&res.Target)...)
	if res.Target.Build == nil {
		return out
	}
	for _, p := range res.Target.Build.File.Problems {
		if !p.Fatal && !p.Ambiguous || !res.Target.Image.Predicted { // else it is a finding
			out = append(out, r.unread(p))
		}
	}
	if res.Target.Image.Predicted {
		for _, p := range res.Target.Build.Remarks() {
			out = append(out, r.unread(p))
		}
	}
	return out
}

func (r *Report) problems(res *scan.Result, kind image.ProblemKind) []gap {
	var out []gap
	for _, p := range res.Target.Image.Problems {
		if p.Kind != kind {
			continue
		}
		g := gap{What: r.sentence(p.What), Hint: r.sentence(p.Hint), Entry: r.clean(p.Entry)}
		if p.Layer >= 0 && p.Layer < len(res.Target.Image.Layers) {
			g.Layer = res.Target.Image.Layers[p.Layer]
		}
		out = append(out, g)
	}
	return out
}

func (r *Report) unread(p dockerfile.Problem) gap {
	return gap{What: r.sentence(p.What), Hint: r.sentence(p.Hint), Source: p.Span}
}

// targetName is what a target is called in prose.
func (r *Report) targetName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return r.clean(name)
}

// layerName is what people call a layer: counted from 1, the oldest.
func layerName(l *image.Layer) string { return fmt.Sprintf("layer %d", l.Index+1) }

// about is what a target is, beside its name: what kind of thing, for which platform,
// which one by its digest, and what runs it.
func (r *Report) about(t *scan.Target, digest string) []string {
	out := nonEmpty(r.clean(t.Kind), r.clean(platform(t.Image.Config)), r.clean(digest))
	switch {
	case t.Match != "":
		out = append(out, "run by "+r.clean(runner(t.Workload, t.Containers[0])))
	case t.NoImage && t.Workload != nil && len(t.Manifest.Sandboxes()) > 1:
		out = append(out, r.clean(t.Workload.String()))
	}
	return out
}

// platform is the image's, as "linux/arm64/v8"; empty if it does not say.
func platform(c image.Config) string {
	var parts []string
	for _, s := range []string{c.OS, c.Architecture, c.Variant} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "/")
}

// state says whether a container sees the file at l: "live", "replaced",
// "deleted", or "perhaps" where a predicted command may have changed it. It is
// empty if l is no file.
func state(l scan.Location) string {
	if l.File == nil {
		return ""
	}
	return [...]string{"live", "replaced", "deleted", "perhaps"}[l.File.Fate.How]
}

// places are all places of a finding.
func places(f *scan.Finding) []scan.Location {
	if f.Places != nil {
		return f.Places
	}
	return []scan.Location{f.At}
}

// setting says where a setting stands: in the image's config, or for a build
// argument in its history.
func setting(field string) string {
	if name, ok := strings.CutPrefix(field, "Args."); ok {
		return "image history: ARG " + name
	}
	return "image config: " + field
}

// subject is what a place is called: a path in the image or a config setting.
func subject(l scan.Location) string {
	if l.Path != "" {
		return l.Path
	}
	return l.Field
}
