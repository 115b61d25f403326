package scantest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// isManifest reports whether a file of a fixture is part of its manifest: YAML, and
// the .env file of a compose project, at the top or in a folder that is no layer.
func isManifest(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	if _, err := strconv.Atoi(top); err == nil || top == "context" {
		return false
	}
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") || name == ".env"
}

// manifestTarget is the target of a fixture with a manifest: its first sandbox, of which
// the first container runs the image if the fixture has one.
func (f *Fixture) manifestTarget(t testing.TB, s *image.Scanner) scan.Target {
	t.Helper()
	m := f.readManifest(t)
	var sandbox *manifest.Workload
	if all := m.Sandboxes(); len(all) > 0 {
		sandbox = all[0]
	}
	if f.Image == nil && f.Dockerfile == nil {
		return scan.ManifestTarget("fixture", m, sandbox)
	}
	target := f.imageTarget(t, s)
	if sandbox == nil {
		target.Manifest = m
		return target
	}
	return target.RunBy(m, sandbox, sandbox.Sandboxed()[0])
}

// readManifest reads the manifest of the fixture: a compose project if there is a file
// with compose's own name, which may come with others, or else Kubernetes objects.
func (f *Fixture) readManifest(t testing.TB) *manifest.Manifest {
	t.Helper()
	opt := manifest.Options{As: ".", Limits: limits.Default(), Sandbox: f.sandbox}
	var files []manifest.File
	for _, name := range slices.Sorted(maps.Keys(f.Manifests)) {
		if manifest.IsCompose(name) {
			return f.readProject(t, name, opt)
		}
		files = append(files, manifest.File{Name: name, Text: f.Manifests[name]})
	}
	m, err := manifest.ReadKubernetes(files, opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (f *Fixture) readProject(t testing.TB, name string, opt manifest.Options) *manifest.Manifest {
	t.Helper()
	dir := t.TempDir()
	for file, text := range f.Manifests {
		p := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := manifest.ReadCompose([]string{filepath.Join(dir, name)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
