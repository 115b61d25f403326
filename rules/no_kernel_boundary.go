package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX516", Name: "no-kernel-boundary", Step: scan.Runtime, Level: scan.LevelNote, Severity: 2.0, CWE: []int{653},
	Title: "the sandbox shares the kernel of the host",
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		if p.Workload == nil {
			return
		}
		r := p.Workload.Runtime
		at := inManifest(r.At)
		switch tier := p.Workload.Tier(); {
		case tier == manifest.ContainerTier && p.Options.Isolation != manifest.ContainerTier:
			p.Shownf(at, "isolation tier %s, as the configuration says", p.Options.Isolation)
		case unresolved(p, r, "which runtime it has"):
		case tier != manifest.ContainerTier:
			p.Shownf(at, "isolation tier %s, by the runtime %s", tier, r.Value)
		case r.Given:
			p.Reportf(at, "isolation tier container: whether the runtime %s has a kernel of its own is not known from its name", r.Value)
		default:
			p.Reportf(at, "isolation tier container: %s shares the kernel of the host, which is all that holds untrusted code; gVisor or a microVM would be another boundary", p.Workload)
		}
	},
})
