package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
)

var _ = register(&scan.Rule{
	ID: "SBX306", Name: "secret-in-bytecode", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{798, 540},
	Title: "a credential is among the constants of Python bytecode",
	Many:  "%d credentials are among the constants of Python bytecode",
	Each:  true,
	Where: scan.InImage,
	Needs: []scan.Need{leak.Fact},
	Run: func(p *scan.Pass) {
		found := leak.Fact.Of(p).In(leak.InBytecode)
		for _, l := range found {
			reportFile(p, l, "has among its constants")
		}
		if len(found) == 0 {
			p.Shownf(scan.Location{}, "no bytecode was found to have a credential among its constants")
		}
	},
})
