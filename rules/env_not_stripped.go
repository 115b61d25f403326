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
			left := r.kept & r.known &^ r.tried
			if left == 0 {
				continue
			}
			at := atPlace(p, first(r.path, left, effect.ReadVariable, effect.Argument))
			how := "read and not removed"
			if left&r.read == 0 {
				how = "not removed on every path"
			}
			f := p.Reportf(at, "%s %s %s: the code at %s has %s in its environment", names(l, left), verb(left, "is", "are"), how,
				place(r.path.Sink.Place), verb(left, "it", "them"))
			setBy(p, f, l, left)
			via(p, f, l.Outcome, r.path)
			return
		}
		if !unproved(p, l, all) {
			r := all[0]
			via(p, p.Shownf(atSink(p, r.path), "%s are gone from the environment on every path that was followed to untrusted code", names(l, effect.All(len(l.Outcome.Watched)))), l.Outcome, r.path)
		}
	},
})
