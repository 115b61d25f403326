package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
)

// A baseImage is one --base-image.
type baseImage struct {
	ref    string // that the Dockerfile names; empty for what its target stage is based on
	target string // where it is read from
}

// parseBaseImages reads every --base-image: "IMAGE", or "REF=IMAGE" for one of
// several.
func (o *options) parseBaseImages() ([]baseImage, error) {
	var out []baseImage
	for _, given := range o.baseImages {
		ref, target, both := strings.Cut(given, "=")
		if !both || strings.HasPrefix(ref, "/") || strings.HasPrefix(ref, ".") {
			ref, target = "", given
		}
		if target == "" || both && ref == "" && target != given {
			return nil, &hinted{fmt.Errorf("--base-image %s names no image", given), "write --base-image IMAGE, or --base-image REF=IMAGE for the REF of one FROM or --from"}
		}
		out = append(out, baseImage{ref, target})
	}
	return out, nil
}

// onBases evaluates a build again on the images of --base-image, and returns with it
// the one that its target stage stands on; nil if that was not given.
func (a *audit) onBases(ctx context.Context, s *image.Scanner, b *dockerfile.Build, r recipe) (*dockerfile.Build, *scan.Base, error) {
	if len(a.bases) == 0 {
		return b, nil, nil
	}
	read := map[*dockerfile.BaseImage]*scan.Base{}
	var images dockerfile.BaseImages
	for _, given := range a.bases {
		ref, err := given.of(b)
		if err != nil {
			return nil, nil, &usageError{err}
		}
		base, err := a.readBase(ctx, s, given.target)
		if err != nil {
			return nil, nil, err
		}
		images.Add(ref, base.Build)
		read[base.Build] = base
	}
	b, err := b.File.BuildOn(r.stage, r.args, images)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	return b, read[b.Image], nil
}

// of returns the reference in a Dockerfile that the image stands for.
func (g baseImage) of(b *dockerfile.Build) (string, error) {
	origins := b.Origins()
	switch {
	case g.ref != "":
		var refs []string
		for _, o := range origins {
			if dockerfile.SameRef(o.Ref, g.ref) {
				return o.Ref, nil
			}
			refs = append(refs, o.Ref)
		}
		return "", didYouMean(fmt.Errorf("--base-image %s=%s: %s takes nothing from an image of that name", g.ref, g.target, b.File.Path), g.ref, refs)
	case b.Base == "scratch":
		return "", fmt.Errorf("--base-image %s: %s builds FROM scratch, which is no image", g.target, b.File.Path)
	case !b.BaseKnown:
		return "", &hinted{fmt.Errorf("--base-image %s: the base of %s has a variable without a value", g.target, b.File.Path), "give it with --build-arg"}
	}
	return b.Base, nil
}

// readBase reads an image from wherever targets are read from.
func (a *audit) readBase(ctx context.Context, s *image.Scanner, target string) (*scan.Base, error) {
	a.openCache()
	s.Known = &a.known
	p := a.progress(ctx, s, target)
	defer p.end()
	opened, err := source.Open(ctx, target, source.Options{Platform: a.platform, Insecure: a.insecure, Scanner: s, Getenv: a.proc.getenv})
	if err != nil {
		return nil, fmt.Errorf("reading --base-image: %w", err)
	}
	defer opened.Close()
	if n := len(opened.Sources); n > 1 {
		return nil, &hinted{fmt.Errorf("reading --base-image: %s holds %d images", target, n), "pick one with " + target + "@NAME:TAG"}
	}
	p.open(opened.Sources)
	return scan.ReadBase(ctx, s, opened.Sources[0])
}
