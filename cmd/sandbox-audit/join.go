package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// An identity is what tells which containers run a target.
type identity struct {
	names  []string              // of the image: as it is tagged, or as builds tag it
	digest string                // of the image; empty for a Dockerfile
	built  []*manifest.Container // that a compose file builds just so
	alike  []*manifest.Container // whose images have the name of the Dockerfile, or of its folder, and of no other one
}

// judge judges an image or Dockerfile: with each container of the manifests' sandboxes
// that runs it, or else alone.
func (a *audit) judge(t scan.Target, id identity) {
	joined := false
	for _, d := range a.deployments {
		for w, c := range d.manifest.Sandboxed() {
			match := a.match(c, t, id)
			if match == "" {
				continue
			}
			run := t.RunBy(d.manifest, w, c)
			run.Match = match
			d.joined = append(d.joined, c)
			a.judgeOne(run)
			joined = true
		}
	}
	if !joined {
		a.judgeOne(t)
	}
}

// match says why a container is taken to run a target; empty if it is not.
func (a *audit) match(c *manifest.Container, t scan.Target, id identity) string {
	image := c.Image.Value
	switch {
	case slices.Contains(id.built, c):
		if t.Build != nil && !buildsStage(c.Build, t.Build) {
			return ""
		}
		return "the manifest builds it from here"
	case c.Image.Known() && id.digest != "" && strings.HasSuffix(image, "@"+id.digest):
		return "its image has this digest"
	case c.Image.Known() && slices.ContainsFunc(id.names, func(name string) bool { return sameReference(image, name) }):
		return "its image is " + image
	case slices.Contains(id.alike, c):
		return "its image, " + image + ", has the name of this Dockerfile or its folder"
	case a.pair && nameless(t.Kind):
		return "there is one sandbox and one thing that it can run"
	}
	return ""
}

// nameless reports whether a target of that kind has no reference to be known by.
func nameless(kind string) bool {
	switch kind {
	case "dockerfile", "docker-archive", "oci-archive", "oci-layout", "rootfs":
		return true
	}
	return false
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
	_, picked, ok := strings.Cut(target, "@")
	return sameImage(image, target) || ok && sameImage(image, picked)
}

// sameImage compares two references by their digests, or else by their tags. Docker's
// registry is also called by the name of its host.
func sameImage(a, b string) bool {
	parse := func(ref string) dockerfile.Ref {
		return dockerfile.ParseRef(strings.TrimPrefix(ref, "registry-1.docker.io/"))
	}
	x, y := parse(a), parse(b)
	return x.Name == y.Name && x.Digest == y.Digest && (x.Digest != "" || cmp.Or(x.Tag, "latest") == cmp.Or(y.Tag, "latest"))
}

// onePair reports whether there is one target and one container to run it, so that they
// belong together although nothing names it. What was found in a directory is only taken
// for that if the container's image is nobody else's.
func (a *audit) onePair(targets []string) bool {
	var all []*manifest.Container
	for _, d := range a.deployments {
		for _, c := range d.manifest.Sandboxed() {
			all = append(all, c)
		}
	}
	if len(all) != 1 || len(targets) != 1 || len(a.found) > 0 && len(a.plans[targets[0]]) != 1 {
		return false
	}
	_, public := dockerfile.KnownBase(all[0].Image.Value)
	return len(a.found) == 0 || !public && !all[0].Build.Given
}
