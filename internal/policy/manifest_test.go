package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// TestManifestChecklist answers for a manifest alone: step 4 by how it is run, the
// others only where the manifest itself fails them.
func TestManifestChecklist(t *testing.T) {
	rule := func(id string) *scan.Rule { return &scan.Rule{ID: id, Step: scan.Runtime, Where: scan.InManifest} }
	egress := rule("SBX508")
	for _, tt := range []struct {
		name   string
		change func(*scan.Result)
		want   string
	}{
		{"shown", func(*scan.Result) {}, "unknown unknown unknown pass"},
		{"not shown", func(r *scan.Result) { r.Claims = nil }, "unknown unknown unknown unknown"},
		{"not known", func(r *scan.Result) { r.Claims[0].Shown = false }, "unknown unknown unknown unknown"},
		{"open", func(r *scan.Result) { r.Findings = []*scan.Finding{{Rule: egress, Level: scan.LevelWarning}} }, "unknown unknown unknown fail"},
		{"a small hole", func(r *scan.Result) {
			r.Findings = []*scan.Finding{{Rule: egress, Level: scan.LevelNote}}
		}, "unknown unknown unknown pass"},
		{"privileged", func(r *scan.Result) {
			r.Findings = []*scan.Finding{{Rule: rule("SBX501"), Level: scan.LevelError}}
		}, "unknown fail unknown pass"},
		{"a namespace of the host", func(r *scan.Result) { // that of the network is an open network too
			r.Findings = []*scan.Finding{{Rule: rule("SBX502"), Level: scan.LevelError}}
		}, "unknown unknown unknown pass"},
		{"a secret", func(r *scan.Result) {
			r.Findings = []*scan.Finding{{Rule: rule("SBX510"), Level: scan.LevelError}}
		}, "unknown unknown fail pass"},
		{"sources", func(r *scan.Result) {
			r.Findings = []*scan.Finding{{Rule: rule("SBX517"), Level: scan.LevelWarning}}
		}, "fail unknown unknown pass"},
		{"a document that can't be read", func(r *scan.Result) {
			r.Target.Manifest.Problems = []manifest.Problem{{What: "broken", Fatal: true}}
		}, "unknown unknown unknown unknown"},
	} {
		r := &scan.Result{Target: scan.Target{Name: "pod.yaml", Image: &image.Image{Predicted: true}, Manifest: &manifest.Manifest{}, NoImage: true}}
		for _, s := range Steps() {
			for _, id := range required(s) {
				if id != "SBX508" {
					r.Rules = append(r.Rules, &scan.Rule{ID: id, Step: s, Where: scan.InImage | scan.InDockerfile})
				}
			}
		}
		r.Rules = append(r.Rules, egress)
		r.Claims = []scan.Claim{{Rule: egress, Shown: true, Text: "control plane only"}}
		tt.change(r)
		var got []string
		for _, v := range Checklist(r) {
			got = append(got, v.Answer.String())
			if len(v.Evidence) == 0 {
				t.Errorf("%s: %s has no evidence", tt.name, v.Step)
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, s, tt.want)
		}
	}
}

// TestCounted keeps rules that count for a step from being those that it requires.
func TestCounted(t *testing.T) {
	for _, s := range Steps() {
		for _, id := range counted(s) {
			if slices.Contains(required(s), id) {
				t.Errorf("%s is required for %s and counted too", id, s)
			}
		}
	}
}
