package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

var _ = register(&scan.Rule{
	ID: "SBX302", Name: "secret-in-build-arg", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{538, 798},
	Title: "a secret stands in a build argument",
	Many:  "%d secrets stand in build arguments",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Needs: []scan.Need{leak.Fact},
	Run: func(p *scan.Pass) {
		found := leak.Fact.Of(p).In(leak.InBuildArg)
		for _, l := range found {
			c := l[0]
			name := strings.TrimPrefix(c.At.Field, "Args.")
			also(p.Reportf(c.At, "the value of ARG %s is a secret (%s): %s; the image's history shows it to whoever can pull", name, about(c), c.Reason).Mend(unset(p, c.At)), l)
		}
		open := p.Image.Predicted && awaited(p)
		switch {
		case len(found) > 0 || open:
		case p.Image.UnreadBase != "":
			p.Unknownf(scan.Location{}, "the history of the base image %s was not read", p.Image.UnreadBase)
		default:
			p.Shownf(scan.Location{}, "no build argument on record holds a secret")
		}
	},
})

// awaited tells of the arguments that are called like a secret and get their
// value from who builds, and reports whether there are any.
func awaited(p *scan.Pass) (found bool) {
	for _, a := range p.Build.Args {
		if !a.Known && secret.Named(a.Name) {
			p.Unknownf(p.AtInstr(a.Instr), "ARG %s has no value here; one that a build gives it stays in the image's history", a.Name)
			found = true
		}
	}
	return found
}
