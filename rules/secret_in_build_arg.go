package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

var _ = register(&scan.Rule{
	ID: "SBX302", Name: "secret-in-build-arg", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{538, 798},
	Title: "a secret stands in a build argument",
	Many:  "%d secrets stand in build arguments",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Run: func(p *scan.Pass) {
		seen := map[[2]string]bool{}
		for _, a := range p.BuildArgs() {
			j := secret.Judge(a.Name, a.Value)
			if k := [2]string{a.Name, a.Value}; !j.Secret || seen[k] {
				continue
			} else {
				seen[k] = true
			}
			p.Reportf(a.At, "the value of ARG %s is a secret (%s, %s): %s; the image's history shows it to whoever can pull", a.Name, j.Kind, secret.Describe(a.Value), j.Reason)
		}
		open := p.Image.Predicted && awaited(p)
		switch {
		case len(seen) > 0 || open:
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
