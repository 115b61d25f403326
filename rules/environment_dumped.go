package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
)

var _ = register(&scan.Rule{
	ID: "SBX311", Name: "environment-dumped", Step: scan.Environment, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{532, 538},
	Title: "a build writes its whole environment to a file",
	Many:  "%d files get the whole environment of the build",
	Where: scan.InDockerfile,
	Run: func(p *scan.Pass) {
		for _, s := range p.Build.Steps {
			if s.Instr.Cmd != "RUN" || s.Instr.Exec || len(s.Args) == 0 {
				continue
			}
			for _, file := range leak.Dumped(s.Args[0]) {
				if file == "" {
					file = "a file"
				}
				p.Reportf(p.AtInstr(s.Instr), "the build writes its whole environment to %s: what build arguments and mounted secrets it has stays in the layer", file)
			}
		}
	},
})
