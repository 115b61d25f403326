package rules

import "github.com/sandbox-audit/sandbox-audit/internal/scan"

var _ = register(&scan.Rule{
	ID: "SBX002", Name: "ignore-unused", Step: scan.Audit, Level: scan.LevelNote, Severity: 2.0, CWE: []int{1164},
	Title: "an ignore that accepts nothing",
	Many:  "%d ignores of one line accept nothing",
	Each:  true, Last: true,
	Where: scan.InImage | scan.InDockerfile | scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, i := range p.Ignores {
			switch {
			case i.Wrong != "":
				note(p.Reportf(i.At, "this ignore accepts nothing: %s", i.Wrong).As(scan.LevelWarning), i.Hint)
			case !i.Expired && i.Matched == 0:
				p.Reportf(i.At, "the ignore of %s matched nothing: what it was for is gone, or elsewhere", i.Rule)
			}
		}
	},
})
