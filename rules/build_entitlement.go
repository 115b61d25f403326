package rules

import (
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

var _ = register(&scan.Rule{
	ID: "SBX403", Name: "build-entitlement", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{250},
	Title: "a RUN lifts the builder's own sandbox",
	Where: scan.InDockerfile,
	Run: func(p *scan.Pass) {
		found := false
		seen := map[*dockerfile.Instr]bool{}
		for _, b := range append([]*dockerfile.Build{p.Build}, p.Build.Sources()...) {
			for _, s := range b.Steps {
				if !seen[s.Instr] {
					seen[s.Instr] = true
					found = lifts(p, s.Instr) || found
				}
			}
		}
		if !found {
			p.Shownf(scan.Location{}, "no RUN of the Dockerfile lifts the builder's own sandbox")
		}
	},
})

// lifts reports a RUN, also one that an ONBUILD hands on, by the flags that the
// builder asks an entitlement for (Dockerfile reference, "RUN --network", "RUN
// --security").
func lifts(p *scan.Pass, in *dockerfile.Instr) bool {
	run := in
	if in.Trigger != nil {
		run = in.Trigger
	}
	if run.Cmd != "RUN" {
		return false
	}
	var flags, gives, names []string
	for _, flag := range run.Flags {
		switch name, value, _ := strings.Cut(flag, "="); {
		case name == "--network" && strings.EqualFold(value, "host"):
			flags, gives = append(flags, "--network=host"), append(gives, "the build host's network")
			names = append(names, name)
		case name == "--security" && strings.EqualFold(value, "insecure"):
			flags, gives = append(flags, "--security=insecure"), append(gives, "all capabilities on the build host")
			names = append(names, name)
		}
	}
	if len(flags) > 0 {
		at := p.AtInstr(in)
		at.Focus = p.Build.File.Layout(in).Flag(names[0])
		p.Reportf(at, "RUN %s gives this step, and whatever it fetches and runs, %s", strings.Join(flags, " "), strings.Join(gives, " and ")).
			Mend(fix.Without(p.Build, in, !slices.Contains(names, "--security"), names...))
	}
	return len(flags) > 0
}
