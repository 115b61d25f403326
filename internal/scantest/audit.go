package scantest

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// today is when fixtures are audited.
var today = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// Audit runs rules over the fixture, and honours what it ignores.
func (f *Fixture) Audit(t testing.TB, rules []*scan.Rule) *scan.Result {
	t.Helper()
	s := image.NewScanner(scan.Probes(rules), limits.Default())
	var target scan.Target
	if len(f.Manifests) > 0 {
		target = f.manifestTarget(t, s)
	} else {
		target = f.imageTarget(t, s)
	}
	ignores := &policy.Ignores{Rules: rules, Today: today}
	res := scan.Run(target, rules, scan.Options{Forbid: f.forbid, Ignore: ignores.For(target)}, limits.Default())
	ignores.Review([]*scan.Result{res}, scan.Options{})
	return res
}

// imageTarget is the image of the fixture, or that of its Dockerfile.
func (f *Fixture) imageTarget(t testing.TB, s *image.Scanner) scan.Target {
	t.Helper()
	if f.Image == nil {
		return f.predict(t, s)
	}
	target := scan.Target{Name: "fixture", Kind: "docker-archive", Image: f.Image.Load(t, s)}
	if f.Dockerfile != nil && !f.hidden {
		b, err := f.evaluate()
		if err != nil {
			t.Fatal(err)
		}
		target.Build = b
	}
	return target
}

// Load reads an image with the scanner's probes.
func (img *Image) Load(t testing.TB, s *image.Scanner) *image.Image {
	t.Helper()
	cfg, problems, err := image.ParseConfig(img.Config, s.Limits)
	if err != nil {
		t.Fatal(err)
	}
	src := &image.Source{Name: "fixture", Config: cfg, Problems: problems}
	for i, l := range img.Layers {
		src.Layers = append(src.Layers, image.Blob{Name: cfg.DiffIDs[i], Size: int64(len(l)),
			Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(l)), nil }})
	}
	loaded, err := s.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// predict reads the fixture's Dockerfile as a target of its own.
func (f *Fixture) predict(t testing.TB, s *image.Scanner) scan.Target {
	t.Helper()
	b, err := f.evaluate()
	if err != nil {
		t.Fatal(err)
	}
	var files *dockerfile.Context
	var ignore dockerfile.IgnoreEnd
	if len(f.Context) > 0 {
		dir := t.TempDir()
		for name, body := range f.Context {
			p := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, body, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if files, err = dockerfile.OpenContext(dir, "", limits.Default()); err != nil {
			t.Fatal(err)
		}
		defer files.Close()
		if ignore, err = files.IgnoreEnd(); err != nil {
			t.Fatal(err)
		}
		ignore.Path = ".dockerignore"
	}
	img, err := scan.Predict(t.Context(), s, b, files, "there is no build context")
	if err != nil {
		t.Fatal(err)
	}
	return scan.Target{Name: "Dockerfile", Kind: "dockerfile", Image: img, Build: b, Ignore: ignore}
}

// Fact computes a derived fact of the target that a fixture's text describes.
func Fact[T any](t testing.TB, fixture string, fact *scan.Derived[T]) (T, *image.Image) {
	t.Helper()
	f, err := Parse(fixture)
	if err != nil {
		t.Fatal(err)
	}
	var v T
	var img *image.Image
	res := f.Audit(t, []*scan.Rule{{
		ID: "SBX999", Where: scan.InImage | scan.InDockerfile, Needs: []scan.Need{fact},
		Run: func(p *scan.Pass) { v, img = fact.Of(p), p.Image },
	}})
	for _, b := range res.Broken {
		t.Fatal(b.Err)
	}
	return v, img
}
