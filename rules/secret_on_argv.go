package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

var _ = register(&scan.Rule{
	ID: "SBX310", Name: "secret-on-argv", Step: scan.Environment, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.VeryHigh, CWE: []int{214},
	Title: "a variable of the session is put on a command line",
	Many:  "%d command lines are given a variable of the session",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{launch.Fact},
	Run: func(p *scan.Pass) {
		l := launch.Fact.Of(p)
		told := map[effect.Place]bool{}
		tell := func(at effect.Place, v effect.Variables) {
			if !told[at] {
				told[at] = true
				p.Reportf(atPlace(p, at), "the value of %s is put on a command line: every user of the container can read it in /proc/PID/cmdline", names(l, v))
			}
		}
		for _, e := range l.Arguments {
			tell(e.Place, e.Variables)
		}
		for _, path := range l.Outcome.Paths {
			if path.Sink.Argv != 0 {
				tell(path.Sink.Place, path.Sink.Argv)
			}
		}
	},
})
