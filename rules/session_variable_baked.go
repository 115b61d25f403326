package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

var _ = register(&scan.Rule{
	ID: "SBX307", Name: "session-variable-baked", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, CWE: []int{526, 1188},
	Title: "a variable of the session has a value in the image",
	Many:  "%d variables of the session have a value in the image",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Run: func(p *scan.Pass) {
		names := p.Options.Session()
		baked := 0
		for _, name := range names {
			if v, ok := p.Image.Config.Getenv(name); ok && v != "" {
				baked++
				at := p.AtField("Env." + name)
				p.Reportf(at, "%s has a value in the image: every container starts with it, also one that the control plane did not start, and every process that is started later gets it back", name).Mend(unset(p, at))
			}
		}
		switch {
		case baked > 0:
		case p.Image.UnreadBase != "":
			p.Unknownf(scan.Location{}, "the environment of the base image %s was not read", p.Image.UnreadBase)
		default:
			p.Shownf(scan.Location{}, "the image gives no value to %s", strings.Join(names, ", "))
		}
	},
})
