package scan

import (
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// ManifestTarget is a target of which only the manifest is given: how it is run is
// known, and nothing of its image. Workload is nil if the manifest has no sandbox.
func ManifestTarget(name string, m *manifest.Manifest, w *manifest.Workload) Target {
	t := Target{
		Name: name, Kind: m.Kind.String(), Image: &image.Image{Predicted: true},
		Manifest: m, Workload: w, NoImage: true,
	}
	if w != nil {
		t.Containers = w.Sandboxed()
	}
	return t
}

// RunBy is the target as a container of a workload runs it: the user, entrypoint and
// command of the manifest go over those of the image. A user that is root stays out of
// it: that is a finding of its own, not the image's.
func (t Target) RunBy(m *manifest.Manifest, w *manifest.Workload, c *manifest.Container) Target {
	t.Manifest, t.Workload, t.Containers = m, w, []*manifest.Container{c}
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
	switch {
	case len(entry) > 0:
		img.Config.Entrypoint, img.Config.Cmd = entry, nil
		t.set["Entrypoint"], t.set["Cmd"] = c.Entry[0].At, c.Entry[0].At
	case entry != nil && m.Kind == manifest.Compose: // the command stays
		img.Config.Entrypoint = nil
		t.set["Entrypoint"] = c.At
	}
	if len(cmd) > 0 {
		img.Config.Cmd = cmd
		t.set["Cmd"] = c.Command[0].At
	}
	return t
}

// Environment is what the manifest sets in the environment of the container that runs the
// image, over the image's own: known values as "NAME=value", and names whose values are
// not known. Variables of the session are not among them.
func (p *Pass) Environment() (known, unknown []string) {
	if p.NoImage {
		return nil, nil
	}
	for _, c := range p.Containers {
		for _, v := range c.Env {
			switch {
			case slices.Contains(p.Options.Session(), v.Name):
			case v.From != "" || strings.Contains(v.Raw, "$"):
				unknown = append(unknown, v.Name)
			default:
				known = append(known, v.Name+"="+v.Raw)
			}
		}
	}
	return known, unknown
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

// Tier is the isolation tier of the target, by what it is known, and where that stands:
// by the runtime of its workload, or as the user says.
func (t *Target) Tier() (tier manifest.Tier, by string, at Location) {
	if w := t.Workload; w != nil && w.Tier() > manifest.ContainerTier && w.Tier() >= t.Isolation {
		return w.Tier(), "by the runtime " + w.Runtime.Value, AtManifest(w.Runtime.At)
	}
	if t.Isolation > manifest.ContainerTier {
		return t.Isolation, "as the configuration says", Location{}
	}
	return manifest.ContainerTier, "", Location{}
}

// contained lowers what the boundary of the workload's tier holds.
func (t *Target) contained(fs []*Finding) {
	tier, by, at := t.Tier()
	if tier == manifest.ContainerTier {
		return
	}
	for _, f := range fs {
		if f.Rule.Kernel && f.Level > LevelNote {
			f.setLevel(LevelNote)
			f.Notef(at, "lowered to a note: the isolation tier is %s (%s), so root in the sandbox is not root on the host's kernel", tier, by)
		}
	}
}
