package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
)

var _ = register(&scan.Rule{
	ID: "SBX301", Name: "secret-in-env", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{526, 798},
	Title: "a secret stands in the image's environment",
	Many:  "%d secrets stand in the image's environment",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Needs: []scan.Need{leak.Fact, accounts.Fact, launch.Fact},
	Run: func(p *scan.Pass) {
		found := leak.Fact.Of(p).In(leak.InEnv)
		for _, l := range found {
			c := l[0]
			name := strings.TrimPrefix(c.At.Field, "Env.")
			if c.Past {
				also(p.Reportf(c.At, "a value of %s that a later ENV overwrote is a secret (%s) and still stands in the history: %s", name, about(c), c.Reason).Mend(unset(p, c.At)), l)
			} else {
				f := p.Reportf(c.At, "the value of %s is a secret (%s): %s; whoever can pull the image can read it", name, about(c), c.Reason).Mend(unset(p, c.At))
				also(f, l)
				readAsRoot(p, f)
			}
		}
		switch {
		case len(found) > 0:
		case p.Image.UnreadBase != "":
			p.Unknownf(scan.Location{}, "the environment of the base image %s was not read", p.Image.UnreadBase)
		default:
			p.Shownf(scan.Location{}, "no variable of the environment holds a secret; variables set: %d", len(p.Image.Config.Env))
		}
	},
})

// readAsRoot adds to a secret of the environment that whatever reads it is root, where
// that is known: no program then stands between the secret and the code that is run.
func readAsRoot(p *scan.Pass, f *scan.Finding) {
	if at, why := stayingRoot(p); why != "" {
		f.Notef(at, "%s: any code that the agent runs is root then, and reads this secret", why)
	}
}

// stayingRoot says where and why the container runs as root to the end; empty if it does
// not, or that is not known.
func stayingRoot(p *scan.Pass) (at scan.Location, why string) {
	for _, c := range sandboxContainers(p) {
		if root, _ := rootName(c.User.Value); c.User.Known() && root {
			if p.NoImage || launch.Fact.Of(p).Drop.How == "" {
				return inManifest(c.User.At), "the manifest also makes root of it"
			}
			return at, ""
		}
	}
	base, nonRoot := baseUser(p)
	switch l := launch.Fact.Of(p); {
	case p.NoImage || p.Image.NoConfig || !startsAsRoot(p) || l.Drop.How != "" || descend(l.Outcome).tried != (effect.Place{}):
		return at, ""
	case p.Image.Config.User == "" && p.Image.UnreadBase != "" && (base == "" || nonRoot):
		return at, ""
	}
	for _, c := range sandboxContainers(p) {
		if c.User.Given || c.NonRoot.True() || !startKnown(c) {
			return at, ""
		}
	}
	return userAt(p), "the container also starts as root, and no drop is shown"
}
