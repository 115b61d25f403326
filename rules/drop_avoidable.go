package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

var _ = register(&scan.Rule{
	ID: "SBX203", Name: "drop-avoidable", Step: scan.Privilege, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{273, 636},
	Title: "root is not given up on every path",
	Where: scan.InImage | scan.InDockerfile, Kernel: true,
	Needs: []scan.Need{accounts.Fact, launch.Fact},
	Run: func(p *scan.Pass) {
		l := launch.Fact.Of(p)
		d := descend(l.Outcome)
		switch {
		case !startsAsRoot(p):
			notRoot(p)
		case len(d.good) > 0 && len(d.rooted) > 0:
			avoidable(p, l.Outcome, d)
		case l.Drop.Verdict == launch.Partial:
			at := dropAt(p, l.Drop)
			p.Reportf(at, "root is given up with %s, but not on every path: %s", l.Drop.How, l.Drop.Reason)
		case lost(l) != "":
			p.Unknownf(entry(p), "what happens between the start and the untrusted code could not be followed to the end: %s", lost(l))
		default:
			shownDrop(p, l.Outcome, d)
		}
	},
})

// avoidable tells of the path that stays root, and why it can be taken.
func avoidable(p *scan.Pass, o effect.Outcome, d descent) {
	path := d.rooted[0]
	why := "untrusted code can start before it"
	switch {
	case path.State.DropFailed:
		why = "where the calls fail, as they do without the capabilities, the failure is caught and the program goes on as root"
	case path.State.Switched:
		why = "the environment or the command line decides whether it runs"
	case path.Sink.Place == d.good[0].Sink.Place:
		why = "a path leads around it"
	}
	f := p.Reportf(atPlace(p, d.tried), "root is given up here, but not on every path: %s (%s)", why, path.Sink.Place)
	via(p, f, o, path)
}
