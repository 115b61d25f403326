package scan

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// ManifestTarget is a target of which only the manifest is given: how it is run is
// known, and nothing of its image. Workload is nil if the manifest has no sandbox.
func ManifestTarget(name string, m *manifest.Manifest, w *manifest.Workload) Target {
	return Target{
		Name: name, Kind: m.Kind.String(), Image: &image.Image{Predicted: true},
		Manifest: m, Workload: w, NoImage: true,
	}
}

// RunBy is the target as a workload of a manifest runs it: the user, entrypoint and
// command of the manifest go over those of the image. A user that is root stays out of
// it: that is a finding of its own, not the image's.
func (t Target) RunBy(m *manifest.Manifest, w *manifest.Workload) Target {
	t.Manifest, t.Workload = m, w
	all := w.Sandboxed()
	if len(all) != 1 {
		return t
	}
	c := all[0]
	img := *t.Image
	t.Image, t.set = &img, map[string]manifest.Place{}
	if c.User.Known() && c.User.Value != "" && !manifest.IsRoot(c.User.Value) {
		img.Config.User = c.User.Value
		t.set["User"] = c.User.At
	}
	entry, cmd, known := c.Start()
	if !known {
		return t
	}
	if entry != nil {
		img.Config.Entrypoint, img.Config.Cmd = entry, nil
		t.set["Entrypoint"], t.set["Cmd"] = c.Entry[0].At, c.Entry[0].At
	}
	if cmd != nil {
		img.Config.Cmd = cmd
		t.set["Cmd"] = c.Command[0].At
	}
	return t
}

// AtManifest locates a part of a manifest.
func AtManifest(at manifest.Place) Location {
	l := Location{Manifest: true, Field: at.Field}
	if at.Line == 0 {
		return l
	}
	l.Source = dockerfile.Span{Path: at.File, Start: at.Line, End: max(at.Line, at.EndLine)}
	if at.Column > 0 && at.EndColumn > 0 {
		l.Focus = dockerfile.Range{
			Start: dockerfile.Pos{Line: at.Line, Column: at.Column},
			End:   dockerfile.Pos{Line: l.Source.End, Column: at.EndColumn},
		}
	}
	return l
}

// Unjudged returns the parts of the manifest under audit that could not be read.
func (t *Target) Unjudged() []manifest.Problem {
	if t.Manifest == nil {
		return nil
	}
	var out []manifest.Problem
	for _, p := range t.Manifest.Problems {
		if p.Fatal {
			out = append(out, p)
		}
	}
	return out
}

// Unjudged returns the parts of the manifest that could not be read.
func (p *Pass) Unjudged() []manifest.Problem {
	t := Target{Manifest: p.Manifest}
	return t.Unjudged()
}

// contained lowers what the boundary of the workload's tier holds.
func (t *Target) contained(fs []*Finding, opt Options) {
	tier, at, by := opt.Isolation, Location{}, "as the configuration says"
	if t.Workload != nil && t.Workload.Tier() >= tier {
		tier, at, by = t.Workload.Tier(), AtManifest(t.Workload.Runtime.At), t.Workload.Runtime.Value
	}
	if tier == manifest.ContainerTier {
		return
	}
	for _, f := range fs {
		if f.Rule.Kernel && f.Level > LevelNote {
			f.Level = LevelNote
			f.Notef(at, "lowered to a note: the isolation tier is %s (%s), so root in the sandbox is not root on the host's kernel", tier, by)
		}
	}
}
