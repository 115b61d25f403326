package rules

import (
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
)

var _ = register(&scan.Rule{
	ID: "SBX214", Name: "onbuild-trigger", Step: scan.Privilege, Level: scan.LevelNote, Severity: 2.0, CWE: []int{349},
	Title: "an ONBUILD changes user, privileges or environment of the images built on this one",
	Many:  "%d ONBUILD triggers change user, privileges or environment of the images built on this one",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Run: func(p *scan.Pass) {
		for _, trigger := range p.Image.Config.OnBuild {
			cmd, args, _ := strings.Cut(strings.TrimSpace(trigger), " ")
			if what := inherits(strings.ToUpper(cmd), args); what != "" {
				p.Reportf(p.AtField("OnBuild."+trigger), "ONBUILD %s %s, in every image built on this one and unseen in its Dockerfile", strings.ToUpper(cmd), what)
			}
		}
	},
})

// inherits says what a trigger changes; empty if that is nothing of concern.
func inherits(cmd, args string) string {
	switch {
	case cmd == "USER":
		return "sets the user"
	case cmd == "ENV":
		return "sets the environment"
	case cmd == "ENTRYPOINT" || cmd == "CMD" || cmd == "SHELL":
		return "sets what runs"
	case cmd == "RUN" && accounts.Changes(args), (cmd == "COPY" || cmd == "ADD") && slices.ContainsFunc(strings.Fields(args), accounts.IsPolicy):
		return "changes accounts or privileges"
	}
	return ""
}
