package rules

import (
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
				if m.Kind == manifest.ClusterToken {
					p.Reportf(inManifest(m.At), "%s has a token of its service account mounted at %s", running(p, c), m.Target)
				}
			}
		}
	},
})
