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
			var lifts, gives []string
			for _, flag := range s.Instr.Flags {
				switch name, value, _ := strings.Cut(flag, "="); {
				case s.Instr.Cmd != "RUN":
				case name == "--network" && strings.EqualFold(value, "host"):
					lifts, gives = append(lifts, "--network=host"), append(gives, "the build host's network")
				case name == "--security" && strings.EqualFold(value, "insecure"):
					lifts, gives = append(lifts, "--security=insecure"), append(gives, "all capabilities on the build host")
				}
			}
			if len(lifts) > 0 {
				p.Reportf(p.AtInstr(s.Instr), "RUN %s gives this step, and whatever it fetches and runs, %s", strings.Join(lifts, " "), strings.Join(gives, " and "))
			}
		}
	},
})
