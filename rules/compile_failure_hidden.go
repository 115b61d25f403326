package rules

import "github.com/sandbox-audit/sandbox-audit/internal/scan"

var _ = register(&scan.Rule{
	ID: "SBX108", Name: "compile-failure-hidden", Step: scan.Bytecode, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{391},
	Title: "a Python file that does not compile goes unnoticed",
	Where: scan.InDockerfile,
	Run: func(p *scan.Pass) {
		for _, c := range p.Build.Compilations() {
			if c.Hidden == "" {
				p.Shownf(p.AtInstr(c.Instr), "a file that %s can't compile fails the build", c.Module)
				continue
			}
			p.Reportf(p.AtInstr(c.Instr), "a file that %s can't compile goes unnoticed: %s", c.Module, c.Hidden)
		}
	},
})
