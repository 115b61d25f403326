package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
)

var _ = register(&scan.Rule{
	ID: "SBX305", Name: "secret-in-lower-layer", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{312, 212, 798},
	Title: "a file that a later layer deletes or replaces holds a credential",
	Many:  "%d credentials lie in files that a later layer deletes or replaces",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{leak.Fact},
	Run: func(p *scan.Pass) {
		found := leak.Fact.Of(p).In(leak.InLowerLayer)
		for _, l := range found {
			reportFile(p, l, "holds")
		}
		switch {
		case len(found) > 0:
		case p.Image.UnreadBase != "":
			p.Unknownf(scan.Location{}, "the layers of the base image %s were not read", p.Image.UnreadBase)
		default:
			p.Shownf(scan.Location{}, "no layer was found to hide a credential of a lower one")
		}
	},
})
