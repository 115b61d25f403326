package main

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// judge judges an image or Dockerfile: with each workload of the manifests that runs
// it, or else alone.
func (a *audit) judge(t scan.Target) {
	joined := false
	for _, d := range a.deployments {
		for _, w := range d.manifest.Sandboxes() {
			if !a.runs(d, w, t) {
				continue
			}
			d.joined = append(d.joined, w)
			a.judgeOne(t.RunBy(d.manifest, w))
			joined = true
		}
	}
	if !joined {
		a.judgeOne(t)
	}
}

// runs reports whether a workload runs a target: its image has the name of the target,
// it is built from it, or the target has no name and there is but one of each.
func (a *audit) runs(d *deployment, w *manifest.Workload, t scan.Target) bool {
	for _, c := range w.Sandboxed() {
		switch {
		case t.Kind == "dockerfile" && c.Build.Given:
			if sameFile(t.Build.File.Path, recipeOf(d, c.Build)) && buildsStage(c.Build, t.Build) {
				return true
			}
		case t.Kind != "dockerfile" && c.Image.Known() && sameReference(c.Image.Value, t.Name):
			return true
		}
	}
	return a.pair && nameless(t.Kind)
}

// nameless reports whether a target of that kind has no reference to be known by.
func nameless(kind string) bool {
	switch kind {
	case "dockerfile", "docker-archive", "oci-archive", "oci-layout", "rootfs":
		return true
	}
	return false
}

// recipeOf is the Dockerfile that a service is built from (Compose specification,
// "build": the dockerfile is relative to the context).
func recipeOf(d *deployment, b manifest.Build) string {
	context := filepath.FromSlash(b.Context)
	if !filepath.IsAbs(context) {
		context = filepath.Join(d.dir, context)
	}
	name := b.Dockerfile
	if name == "" {
		name = "Dockerfile"
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(context, filepath.FromSlash(name))
}

// buildsStage reports whether a service is built from the stage that was judged.
func buildsStage(b manifest.Build, judged *dockerfile.Build) bool {
	return b.Target == "" || strings.EqualFold(b.Target, judged.Target.Name) || b.Target == strconv.Itoa(judged.Target.Index)
}

func sameFile(a, b string) bool {
	x, err := filepath.Abs(a)
	if err != nil {
		return false
	}
	y, err := filepath.Abs(b)
	return err == nil && x == y
}

// sameReference reports whether two names are of one image. An archive's name stands
// behind its path.
func sameReference(image, target string) bool {
	want := reference(image)
	if want == reference(target) {
		return true
	}
	_, picked, ok := strings.Cut(target, "@")
	return ok && want == reference(picked)
}

// reference is a name with what is left out by default: no registry of Docker's, the tag
// latest, and no tag where there is a digest.
func reference(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "docker.io/"), "index.docker.io/"), "library/")
	repo, digest, pinned := strings.Cut(name, "@")
	last := repo[strings.LastIndexByte(repo, '/')+1:]
	tagged := strings.Contains(last, ":")
	switch {
	case pinned && tagged:
		return repo[:strings.LastIndexByte(repo, ':')] + "@" + digest
	case pinned || tagged:
		return name
	}
	return name + ":latest"
}

// onePair reports whether there is one target and one sandbox to run it, so that they
// belong together although nothing names it.
func (a *audit) onePair(targets []string) bool {
	n := 0
	for _, d := range a.deployments {
		n += len(d.manifest.Sandboxes())
	}
	return n == 1 && len(targets) == 1 && len(a.found) == 0
}
