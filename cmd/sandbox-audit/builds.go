package main

import (
	"cmp"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// A plan is the ways in which the Dockerfiles among the targets are built, by target.
type plan map[string][]recipe

// plan finds out how each Dockerfile is built, as bake and compose files say. What is
// built in the same way twice is built once, and a Dockerfile that was found in a
// directory is only built as these say, if one of them does.
func (a *audit) plan(targets []string) plan {
	p := plan{}
	for _, t := range targets {
		if file, name, ok := bakeFile(t); ok && a.from == "" {
			p[t] = a.bakeRecipes(file, name)
		}
	}
	baked := p.all(targets)
	for _, t := range targets {
		if _, done := p[t]; done || !a.isDockerfile(t, a.stdin) {
			continue
		}
		p[t] = []recipe{}
		known := slices.ContainsFunc(baked, func(b recipe) bool { return sameFile(b.file, t) })
		for _, r := range a.recipes(t, a.stdin) {
			plain := r.built == nil && a.found[t] && known
			if !plain && !slices.ContainsFunc(baked, r.same) {
				p[t] = append(p[t], r)
			}
		}
	}
	a.alike(p, targets)
	return p
}

// all are the recipes of a plan, in the order of the targets.
func (p plan) all(targets []string) []recipe {
	var out []recipe
	for _, t := range targets {
		out = append(out, p[t]...)
	}
	return out
}

// same reports whether two recipes make the same image, whatever platform it is for.
func (r recipe) same(o recipe) bool {
	args := func(all map[string]string) map[string]string {
		all = maps.Clone(all)
		delete(all, "TARGETPLATFORM")
		return all
	}
	return sameFile(r.file, o.file) && sameFile(r.context, o.context) && strings.EqualFold(r.stage, o.stage) && maps.Equal(args(r.args), args(o.args))
}

// recipes are the ways in which the compose files among the targets build a
// Dockerfile, each once; without one, as the flags say.
func (a *audit) recipes(target string, stdin io.Reader) []recipe {
	var out []recipe
	for _, r := range a.composed() {
		if target == "-" || r.inline != nil || !sameFile(target, r.file) {
			continue
		}
		if i := slices.IndexFunc(out, r.same); i >= 0 {
			out[i].built, out[i].tags = append(out[i].built, r.built...), append(out[i].tags, r.tags...)
			continue
		}
		r.name, r.file = target, target
		out = append(out, r)
	}
	if len(out) == 0 {
		return []recipe{a.recipe(target, stdin)}
	}
	return out
}

// composed are the builds of the sandboxes of compose files.
func (a *audit) composed() []recipe {
	var out []recipe
	for _, d := range a.deployments {
		out = append(out, d.builds...)
	}
	return out
}

// composed is how a compose file builds a container. Its paths are relative to the file,
// and the Dockerfile is relative to the context (Compose specification, "build").
func composed(c *manifest.Container) recipe {
	context := named(filepath.Dir(c.Build.At.File), c.Build.Context)
	file := named(context, cmp.Or(c.Build.Dockerfile, "Dockerfile"))
	r := recipe{file: file, context: context, stage: c.Build.Target, args: c.Build.Args, built: []*manifest.Container{c}}
	if c.Image.Known() {
		r.tags = []string{c.Image.Value}
	}
	return r
}

// withBuilds adds the Dockerfiles that the sandboxes of compose files are built from,
// where the image that they make is not among the targets.
func (a *audit) withBuilds(targets []string) []string {
	given := slices.Clone(targets)
	for _, r := range a.composed() {
		named := func(t string) bool {
			return slices.ContainsFunc(r.tags, func(tag string) bool { return sameReference(tag, t) })
		}
		if isFile(r.file) && !slices.ContainsFunc(given, named) && !slices.ContainsFunc(targets, func(t string) bool { return sameFile(t, r.file) }) {
			targets = append(targets, r.file)
			a.built[r.file] = true
		}
	}
	return targets
}

// alike gives each recipe the containers whose images are called like it. An image that
// several are called like is nobody's.
func (a *audit) alike(p plan, targets []string) {
	for _, d := range a.deployments {
		for _, c := range d.manifest.Sandboxed() {
			var of []*recipe
			for _, t := range targets {
				for i := range p[t] {
					if r := &p[t][i]; c.Image.Known() && !c.Build.Given && r.calls(manifest.Repository(c.Image.Value)) {
						of = append(of, r)
					}
				}
			}
			if len(of) == 1 {
				of[0].alike = append(of[0].alike, c)
			}
		}
	}
}

// calls reports whether a Dockerfile is called like an image: by its folder, or by what
// its own name has besides ("Dockerfile.agent", "agent.Dockerfile").
func (r recipe) calls(image string) bool {
	abs, err := filepath.Abs(r.file)
	if err != nil || r.inline != nil {
		return false
	}
	base := strings.ToLower(filepath.Base(abs))
	own := strings.Trim(strings.NewReplacer("dockerfile", "", "containerfile", "").Replace(base), ".-_")
	if own == "" {
		own = filepath.Base(filepath.Dir(abs))
	}
	return strings.EqualFold(strings.ReplaceAll(own, "_", "-"), strings.ReplaceAll(image, "_", "-"))
}
