package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

var _ = register(&scan.Rule{
	ID: "SBX004", Name: "ambiguous-image", Step: scan.Audit, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{436},
	Title: "the image can be read in more than one way",
	Many:  "%d things can be read in more than one way",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile,
	Run: func(p *scan.Pass) {
		if p.Image.Predicted { // else the Dockerfile only serves to find lines
			for _, pr := range p.Build.File.Problems {
				if pr.Ambiguous {
					note(p.Reportf(scan.Location{Source: pr.Span}, "%s", pr.What), pr.Hint)
				}
			}
		}
		for _, pr := range p.Image.Problems {
			if pr.Kind == image.Ambiguous {
				note(p.Reportf(p.AtProblem(pr), "%s", problem(pr)), pr.Hint)
			}
		}
	},
})
