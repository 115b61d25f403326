package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX512", Name: "service-account-token", Step: scan.Runtime, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{522, 668},
	Title: "the sandbox gets a token for the cluster",
	Many:  "%d tokens for the cluster are mounted",
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		if p.Workload == nil {
			return
		}
		switch t := p.Workload.Token; {
		case t.False():
		case unresolved(p, t, "whether it gets a token for the cluster"):
		case t.Given:
			p.Reportf(inManifest(t.At), "%s gets the token of its service account: untrusted code can use the cluster's API with it", p.Workload)
		default:
			p.Reportf(inManifest(t.At), "%s gets the token of its service account, as automountServiceAccountToken is not false: untrusted code can use the cluster's API with it", p.Workload)
		}
		for _, c := range sandboxContainers(p) {
			for _, m := range c.Mounts {
				switch {
				case m.Kind != manifest.ClusterToken:
				case forAnother(m.Source):
					p.Reportf(inManifest(m.At), "%s has a token of its service account for %s mounted at %s: untrusted code can show it there", running(p, c), m.Source, m.Target).As(scan.LevelNote)
				default:
					p.Reportf(inManifest(m.At), "%s has a token of its service account mounted at %s: untrusted code can use the cluster's API with it", running(p, c), m.Target)
				}
			}
		}
	},
})

// forAnother reports whether a token is for another audience than the cluster's API,
// which has the names of its service by default (kube-apiserver, --api-audiences).
func forAnother(audience string) bool {
	return audience != "" && audience != "api" && !strings.Contains(audience, "kubernetes.default")
}
