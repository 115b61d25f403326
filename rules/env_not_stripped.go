package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

var _ = register(&scan.Rule{
	ID: "SBX308", Name: "env-not-stripped", Step: scan.Environment, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{526, 212},
	Title: "a variable of the session is read and not removed",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{launch.Fact},
	Run: func(p *scan.Pass) {
		l := launch.Fact.Of(p)
		all := remnants(l)
		for _, r := range all {
			if left := r.kept & r.read &^ r.tried; left != 0 {
				at := atPlace(p, first(r.path, left, effect.ReadVariable, effect.Argument))
				via(p, p.Reportf(at, "%s is read and not removed: the code at %s has it in its environment", names(l, left), place(r.path.Sink.Place)), l.Outcome, r.path)
				return
			}
		}
		if !unproved(p, l, all) {
			r := all[0]
			via(p, p.Shownf(atSink(p, r.path), "%s are gone from the environment on every path that was followed to untrusted code", names(l, effect.All(len(l.Outcome.Watched)))), l.Outcome, r.path)
		}
	},
})
