package rules

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

var _ = register(&scan.Rule{
	ID: "SBX001", Name: "not-audited", Step: scan.Audit, Level: scan.LevelError, Severity: 8.0, CWE: []int{693},
	Title: "something that was to be audited could not be read",
	Many:  "%d things of one place were not audited",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile | scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, pr := range p.Image.Problems {
			if pr.Kind == image.NotAudited {
				note(p.Reportf(p.AtProblem(pr), "not audited: %s", problem(pr)), pr.Hint)
			}
		}
		for _, pr := range p.Unread() {
			note(p.Reportf(scan.Location{Source: pr.Span}, "not audited: %s", pr.What), pr.Hint)
		}
		for _, pr := range p.Unjudged() {
			note(p.Reportf(scan.AtManifest(pr.At), "not audited: %s", pr.What), pr.Hint)
		}
	},
})

// note adds what the user can do, where that is known.
func note(f *scan.Finding, hint string) {
	if hint != "" {
		f.Notef(scan.Location{}, "%s", hint)
	}
}

// problem is the text of a problem whose layer stands in the location.
func problem(pr image.Problem) string {
	if pr.Entry == "" {
		return pr.What
	}
	return fmt.Sprintf("%q %s", pr.Entry, pr.What)
}
