package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
)

var _ = register(&scan.Rule{
	ID: "SBX303", Name: "secret-in-instruction", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{538, 798},
	Title: "a secret stands in an instruction other than ENV and ARG",
	Many:  "%d secrets stand in one instruction",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Needs: []scan.Need{leak.Fact},
	Run: func(p *scan.Pass) {
		found := leak.Fact.Of(p).In(leak.InInstruction)
		for _, l := range found {
			c := l[0]
			also(p.Reportf(c.At, "%s holds a secret (%s): %s; the image shows it to whoever can pull", holder(c.At), about(c), c.Reason), l)
		}
		switch {
		case len(found) > 0:
		case p.Image.UnreadBase != "":
			p.Unknownf(scan.Location{}, "the history of the base image %s was not read", p.Image.UnreadBase)
		default:
			p.Shownf(scan.Location{}, "no label and no command of the config or the history holds a secret")
		}
	},
})
