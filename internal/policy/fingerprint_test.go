package policy

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

func TestImageName(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0a", 32)
	for _, tt := range []struct{ kind, name, want string }{
		{"registry", "debian:12", "debian"},
		{"registry", "debian", "debian"},
		{"registry", "localhost:5000/org/agent:1.4" + digest, "localhost/org/agent"},
		{"registry", "localhost:5000/org/agent", "localhost/org/agent"},
		{"docker", "docker://acme/agent:dev", "acme/agent"},
		{"docker", "sha256:" + strings.Repeat("0a", 32), "image"},
		{"docker", strings.Repeat("0a", 6), "image"},
		{"docker-archive", "/builds/123/agent.tar", "agent"},
		{"docker-archive", "agent.tar.gz", "agent"},
		{"docker-archive", "agent.tar@acme/agent:123", "acme/agent"},
		{"oci-archive", "-", "image"},
		{"oci-layout", "out/agent/", "agent"},
		{"rootfs", ".", "image"},
		{"rootfs", "..", "image"},
		{"registry", "", "image"},
	} {
		if got := ImageName(scan.Target{Kind: tt.kind, Name: tt.name}); got != tt.want {
			t.Errorf("%s %q: got %q, want %q", tt.kind, tt.name, got, tt.want)
		}
	}
}

// D82: the same image, rebuilt with a blank line more and new digests.
func TestFingerprintsSurviveRebuild(t *testing.T) {
	rule := &scan.Rule{ID: "SBX101"}
	build := func(root, tag, diffID string, shift int) []string {
		layer := &image.Layer{Index: shift, DiffID: diffID}
		span := func(n int) dockerfile.Span {
			return dockerfile.Span{Path: filepath.Join(root, "docker", "Dockerfile"), Start: n + shift, End: n + shift}
		}
		at := func(s dockerfile.Span, path string) scan.Location {
			return scan.Location{Source: s, Layer: layer, Step: shift + 1, Path: path, Line: shift + 1}
		}
		r := &scan.Result{Target: scan.Target{Kind: "registry", Name: "acme/agent:" + tag, Image: &image.Image{}}}
		for _, f := range []*scan.Finding{
			{At: at(span(3), "/app/a.py")},
			{At: at(span(4), "/app/b.py")},
			{At: at(dockerfile.Span{}, "/app/a.py")},
			{At: scan.Location{Source: span(5), Field: "User"}},
			{At: scan.Location{Field: "User"}},
			{At: scan.Location{Source: span(6)}},
			{At: scan.Location{Source: span(8)}},
			{At: at(span(9), "/app/a.py"), Places: []scan.Location{at(span(9), "/app/a.py"), at(span(9), "/app/c.py")}},
		} {
			f.Rule, f.Message = rule, "built as "+diffID
			r.Findings = append(r.Findings, f)
		}
		return Fingerprints(r, func(p string) string {
			rel, err := filepath.Rel(root, p)
			if err != nil {
				t.Fatal(err)
			}
			return rel
		})
	}
	before, after := build(t.TempDir(), "1", "sha256:aa", 0), build(t.TempDir(), "2", "sha256:bb", 1)
	if !slices.Equal(before, after) {
		t.Errorf("before %q\nafter  %q", before, after)
	}
	slices.Sort(before)
	if n := len(slices.Compact(before)); n != 8 {
		t.Errorf("%d different fingerprints, want 8: %q", n, before)
	}
}
