package rules

import (
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
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

var privileges = regexp.MustCompile(`\b(useradd|adduser|usermod|groupadd|addgroup|gpasswd|chpasswd|passwd|visudo|setcap|setfacl)\b|/etc/(sudoers|doas|passwd|shadow|group)|\bchmod\b[^;&|]*([ugoa]*\+[rwx]*s|\b[246][0-7]{3}\b|\b0?777\b)|\bchown\b`)

// inherits says what a trigger changes; empty if that is nothing of concern.
func inherits(cmd, args string) string {
	switch {
	case cmd == "USER":
		return "sets the user"
	case cmd == "ENV":
		return "sets the environment"
	case cmd == "ENTRYPOINT" || cmd == "CMD" || cmd == "SHELL":
		return "sets what runs"
	case cmd == "RUN" && privileges.MatchString(args), (cmd == "COPY" || cmd == "ADD") && strings.Contains(args, "/etc/sudoers"):
		return "changes accounts or privileges"
	}
	return ""
}
