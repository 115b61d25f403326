package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

var _ = register(&scan.Rule{
	ID: "SBX403", Name: "build-entitlement", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{250},
	Title: "a RUN lifts the builder's own sandbox",
	Where: scan.InDockerfile,
	Run: func(p *scan.Pass) {
		for _, s := range p.Build.Steps {
			for _, flag := range s.Instr.Flags {
				switch name, value, _ := strings.Cut(flag, "="); {
				case s.Instr.Cmd != "RUN":
				case name == "--network" && strings.EqualFold(value, "host"):
					p.Reportf(p.AtInstr(s.Instr), "RUN --network=host gives this step, and whatever it fetches and runs, the build host's network")
				case name == "--security" && strings.EqualFold(value, "insecure"):
					p.Reportf(p.AtInstr(s.Instr), "RUN --security=insecure gives this step, and whatever it fetches and runs, all capabilities on the build host")
				}
			}
		}
	},
})
