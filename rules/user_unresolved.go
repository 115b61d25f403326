package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
)

var _ = register(&scan.Rule{
	ID: "SBX204", Name: "user-unresolved", Step: scan.Privilege, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{286},
	Title: "the image's user is not an account of the image",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Needs: []scan.Need{accounts.Fact},
	Run: func(p *scan.Pass) {
		spec := p.Image.Config.User
		user := accounts.Fact.Of(p).Resolve(spec)
		at := p.AtField("User")
		switch {
		case spec == "":
		case user.Problem != "":
			p.Reportf(at, "%s", user.Problem)
		case user.Unknown != "":
			p.Unknownf(at, "%s", user.Unknown)
		case !user.Exists && user.GID == 0 && user.UID != 0 && !namesGroup(spec):
			p.Reportf(at, "uid %d has no entry in /etc/passwd, so its group is 0, root's", user.UID)
		}
	},
})

// namesGroup reports whether a user is given together with a group.
func namesGroup(spec string) bool {
	_, group, _ := strings.Cut(spec, ":")
	return group != ""
}
