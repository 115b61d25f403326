package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

var _ = register(&scan.Rule{
	ID: "SBX213", Name: "user-not-numeric", Step: scan.Privilege, Level: scan.LevelNote, Severity: 2.0, CWE: []int{286},
	Title: "the image's user is a name, which Kubernetes can't tell from root",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Needs: []scan.Need{accounts.Fact},
	Run: func(p *scan.Pass) {
		name, _, _ := strings.Cut(p.Image.Config.User, ":")
		user := accounts.Fact.Of(p).Resolve(p.Image.Config.User)
		switch {
		case p.Image.Config.OS == "windows":
		case strings.Trim(name, "0123456789+-") == "", strings.Contains(name, "$"):
		case user.IsRoot() == accounts.Yes, user.Problem != "": // SBX201 and SBX204 tell it
		default:
			at := p.AtField("User")
			p.Reportf(at, "USER %s is a name: with runAsNonRoot, Kubernetes refuses to start it unless the manifest gives a uid; %s", p.Image.Config.User, numeric(p, user)).Mend(byNumber(p, at, user))
		}
	},
})

// byNumber writes the numbers of a user where its name stands.
func byNumber(p *scan.Pass, at scan.Location, u accounts.User) *scan.Fix {
	if p.Build == nil || !u.Known || u.GID < 0 {
		return nil
	}
	in := p.Build.File.Find(at.Source)
	if in == nil || in.Cmd != "USER" {
		return nil
	}
	return fix.Argument(p.Build, in, true, fmt.Sprintf("%d:%d", u.UID, u.GID))
}

// numeric says what to write instead.
func numeric(p *scan.Pass, u accounts.User) string {
	base, _ := dockerfile.KnownBase(p.Image.UnreadBase)
	documented := slices.IndexFunc(base.Accounts, func(a dockerfile.BaseAccount) bool { return a.Name == u.Spec })
	switch {
	case u.Known && u.GID >= 0:
		return fmt.Sprintf("write USER %d:%d", u.UID, u.GID)
	case u.Known:
		return fmt.Sprintf("write USER %d:GID with the number of its group, which the Dockerfile leaves to the build", u.UID)
	case u.Unknown != "" && documented >= 0:
		a := base.Accounts[documented]
		return fmt.Sprintf("write USER %d:%d, which %s is documented to have for it", a.UID, a.GID, p.Image.UnreadBase)
	case u.Unknown != "":
		return "write the uid and gid that it has in the base image"
	}
	return "give the account a fixed uid and gid, and write those"
}
