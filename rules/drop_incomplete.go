package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

var _ = register(&scan.Rule{
	ID: "SBX202", Name: "drop-incomplete", Step: scan.Privilege, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{271, 273},
	Title: "root is given up in a way that does not hold",
	Many:  "%d ways to give up root do not hold",
	Where: scan.InImage | scan.InDockerfile, Kernel: true,
	Needs: []scan.Need{accounts.Fact, launch.Fact},
	Run: func(p *scan.Pass) {
		l := launch.Fact.Of(p)
		d := descend(l.Outcome)
		switch {
		case !startsAsRoot(p):
			notRoot(p)
		case len(d.weak) > 0:
			reportWeak(p, l.Outcome, d.weak[0])
		case len(d.rooted) > 0 && len(d.good) == 0 && d.tried != (effect.Place{}):
			via(p, p.Reportf(atPlace(p, d.tried), "root is given up here, but not for the code at %s, which runs as root", d.rooted[0].Sink.Place), l.Outcome, d.rooted[0])
		case lost(l) != "":
			p.Unknownf(entry(p), "what happens between the start and the untrusted code could not be followed to the end: %s", lost(l))
		default:
			shownDrop(p, l.Outcome, d)
		}
	},
})

// notRoot claims what a container shows that does not start as root, if that is known.
func notRoot(p *scan.Pass) {
	if user := accounts.Fact.Of(p).Resolve(p.Image.Config.User); user.IsRoot() == accounts.No {
		p.Shownf(userAt(p), "the container does not start as root: there is nothing to give up")
	} else {
		p.Unknownf(userAt(p), "whether the container starts as root is not known")
	}
}

func reportWeak(p *scan.Pass, o effect.Outcome, path effect.Path) {
	_, why := path.Dropped()
	at := changed(path)
	if at == (effect.Place{}) {
		at = path.Sink.Place
	}
	via(p, p.Reportf(atPlace(p, at), "root is given up, but not for good: %s", reasons(why)), o, path)
}

// shownDrop claims that root is given up on every path, and tells one of them.
func shownDrop(p *scan.Pass, o effect.Outcome, d descent) {
	if len(d.good) == 0 {
		p.Unknownf(entry(p), "no place is known where untrusted code could start")
		return
	}
	at := atPlace(p, changed(d.good[0]))
	via(p, p.Shownf(at, "no path that was followed reaches untrusted code with a way back to root; it runs as %s", identity(d.good[0].State)), o, d.good[0])
}
