package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
)

var _ = register(&scan.Rule{
	ID: "SBX301", Name: "secret-in-env", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{526, 798},
	Title: "a secret stands in the image's environment",
	Many:  "%d secrets stand in the image's environment",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Needs: []scan.Need{leak.Fact},
	Run: func(p *scan.Pass) {
		found := leak.Fact.Of(p).In(leak.InEnv)
		for _, l := range found {
			c := l[0]
			name := strings.TrimPrefix(c.At.Field, "Env.")
			if c.Past {
				also(p.Reportf(c.At, "a value of %s that a later ENV overwrote is a secret (%s) and still stands in the history: %s", name, about(c), c.Reason).Mend(unset(p, c.At)), l)
			} else {
				also(p.Reportf(c.At, "the value of %s is a secret (%s): %s; whoever can pull the image can read it", name, about(c), c.Reason).Mend(unset(p, c.At)), l)
			}
		}
		switch {
		case len(found) > 0:
		case p.Image.UnreadBase != "":
			p.Unknownf(scan.Location{}, "the environment of the base image %s was not read", p.Image.UnreadBase)
		default:
			p.Shownf(scan.Location{}, "none of the %d variables of the environment holds a secret", len(p.Image.Config.Env))
		}
	},
})
