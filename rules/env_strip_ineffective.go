package rules

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

var _ = register(&scan.Rule{
	ID: "SBX309", Name: "env-strip-ineffective", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{526, 212},
	Title: "a variable of the session is removed in a way that does not hold",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{launch.Fact, accounts.Fact},
	Run: func(p *scan.Pass) {
		l := launch.Fact.Of(p)
		all := remnants(l)
		for _, r := range all {
			if left := r.left() & r.tried; left != 0 {
				at := atPlace(p, first(r.path, left, effect.RemoveVariable, effect.KeepVariable, effect.AddVariable))
				f := p.Reportf(at, "%s %s removed here, and %s", names(l, left), verb(left, "is", "are"), r.still(left))
				setBy(p, f, l, left)
				via(p, f, l.Outcome, r.path)
				return
			}
		}
		for _, r := range all {
			if back := reminders(p, l, r); len(back) > 0 {
				broughtBack(p, l, r, back)
				return
			}
		}
		for _, r := range all {
			if r.late != 0 {
				at := atPlace(p, first(r.path, r.late, effect.RemoveVariable))
				via(p, p.Reportf(at, "%s %s removed before the program reads %[3]s: it never sees %[3]s", names(l, r.late), verb(r.late, "is", "are"), verb(r.late, "it", "them")).As(scan.LevelWarning), l.Outcome, r.path)
				return
			}
		}
		if !unproved(p, l, all) {
			r := all[0]
			via(p, p.Shownf(atSink(p, r.path), "no process of the user that runs untrusted code shows %s in /proc", names(l, effect.All(len(l.Outcome.Watched)))), l.Outcome, r.path)
		}
	},
})

// broughtBack reports processes that are started with what the entrypoint removed.
func broughtBack(p *scan.Pass, l *launch.Launch, r remnant, back []reminder) {
	first := back[0]
	f := p.Reportf(first.at, "%s is started with %s, and as the user that runs the untrusted code: what the entrypoint removed, /proc/PID/environ shows as long as that runs", first.what, first.set.Name)
	f.Notef(inManifest(first.set.At), "%s is set here", first.set.Name)
	for _, b := range back[1:] {
		f.Notef(b.at, "%s is, too", b.what)
	}
	via(p, f, l.Outcome, r.path)
}

// still says how untrusted code gets at what was removed.
func (r remnant) still(left effect.Variables) string {
	sink, it := place(r.path.Sink.Place), verb(left, "it", "them")
	switch {
	case r.kept&left != 0 && !r.path.Sink.InProcess():
		return fmt.Sprintf("the process started at %s gets %s all the same", sink, it)
	case r.kept&left != 0:
		return fmt.Sprintf("the code at %s still has %s in its environment", sink, it)
	case r.parent != "":
		return fmt.Sprintf("%s, which runs on as the same user, shows %s in /proc/PID/environ", r.parent, it)
	}
	return "/proc/PID/environ still shows " + it + ": the process was started as the user that runs the untrusted code, and what a process is started with stays readable to its user"
}
