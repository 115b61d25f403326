package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX513", Name: "metadata-reachable", Step: scan.Runtime, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{918, 522},
	Title: "nothing blocks the metadata address of the cloud",
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		if p.Workload == nil {
			return
		}
		e := p.Workload.Egress
		at := inManifest(e.Blocked.At)
		switch e.Metadata {
		case manifest.Yes:
			p.Reportf(at, "%s can reach 169.254.169.254, where a cloud gives a machine its credentials: %s", p.Workload, e.Blocked.Text)
		case manifest.No:
			p.Shownf(at, "169.254.169.254 can't be reached: %s", e.Blocked.Text)
		default:
			p.Unknownf(at, "whether 169.254.169.254 can be reached is not known: %s", e.Blocked.Text)
		}
	},
})
