package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

var _ = register(&scan.Rule{
	ID: "SBX301", Name: "secret-in-env", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{526, 798},
	Title: "a secret stands in the image's environment",
	Many:  "%d secrets stand in the image's environment",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Run: func(p *scan.Pass) {
		clean := true
		for _, kv := range p.Image.Config.Env {
			name, value, _ := strings.Cut(kv, "=")
			if j := secret.Judge(name, value); j.Secret {
				p.Reportf(p.AtField("Env."+name), "the value of %s is a secret (%s, %s): %s; whoever can pull the image can read it", name, j.Kind, secret.Describe(value), j.Reason)
				clean = false
			}
		}
		for _, s := range p.Overwritten() {
			if j := secret.Judge(s.Name, s.Value); j.Secret {
				p.Reportf(s.At, "a value of %s that a later ENV overwrote is a secret (%s, %s) and still stands in the history: %s", s.Name, j.Kind, secret.Describe(s.Value), j.Reason)
				clean = false
			}
		}
		switch {
		case !clean:
		case p.Image.UnreadBase != "":
			p.Unknownf(scan.Location{}, "the environment of the base image %s was not read", p.Image.UnreadBase)
		default:
			p.Shownf(scan.Location{}, "none of the %d variables of the environment holds a secret", len(p.Image.Config.Env))
		}
	},
})
