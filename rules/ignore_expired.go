package rules

import (
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

var _ = register(&scan.Rule{
	ID: "SBX003", Name: "ignore-expired", Step: scan.Audit, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{1164},
	Title: "an ignore that is past its date",
	Many:  "%d ignores of one line are past their date",
	Each:  true, Last: true,
	Where: scan.InImage | scan.InDockerfile | scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, i := range p.Ignores {
			if i.Wrong != "" || !i.Expired {
				continue
			}
			until := i.Until.Format(time.DateOnly)
			if i.Matched == 0 {
				p.Reportf(i.At, "the ignore of %s ended on %s, and there is nothing left that it would accept", i.Rule, until)
				continue
			}
			f := p.Reportf(i.At, "the ignore of %s ended on %s: what it accepted is a finding again", i.Rule, until)
			if i.Reason != "" {
				f.Notef(scan.Location{}, "its reason was: %s", i.Reason)
			}
		}
	},
})
