package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX518", Name: "drop-impossible", Step: scan.Runtime, Level: scan.LevelError, Severity: 5.5, CWE: []int{273},
	Title: "the image starts as root to drop, but the manifest keeps it from dropping",
	Many:  "%d settings keep the image from dropping root",
	Each:  true,
	Where: scan.InManifest,
	Needs: []scan.Need{accounts.Fact, launch.Fact},
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			root := isRootUser(p, c)
			switch how := drops(p, c, root); {
			case c.User.Known() && root && c.NonRoot.True():
				p.Reportf(inManifest(c.NonRoot.At), "%s is to run as user %s, and runAsNonRoot forbids it: the container does not start", running(p, c), c.User.Value)
			case how != "":
				dropImpossible(p, c, how)
			case c.User.Known() && !root && !p.NoImage && startKnown(c):
				dropAsUser(p, c)
			}
		}
	},
})

// isRootUser reports whether the manifest sets a user that is known to be uid 0.
func isRootUser(p *scan.Pass, c *manifest.Container) bool {
	root, named := rootName(c.User.Value)
	if named && c.User.Known() && c.User.Value != "" && !p.NoImage {
		return accounts.Fact.Of(p).Resolve(c.User.Value).IsRoot() == accounts.Yes
	}
	return root
}

// drops says how a container that starts as root gives it up; empty if it does not
// start as root, or no drop is known. A drop of the image's entrypoint is none if the
// manifest replaces it.
func drops(p *scan.Pass, c *manifest.Container, root bool) string {
	switch {
	case p.NoImage || !startKnown(c) || c.User.Unknown != "":
		return ""
	case c.User.Given && !root, !c.User.Given && !startsAsRoot(p):
		return ""
	}
	return launch.Fact.Of(p).Drop.How
}

// dropAsUser reports a user set by the manifest where the entrypoint drops on every path
// with a tool that only root can use.
func dropAsUser(p *scan.Pass, c *manifest.Container) {
	l := launch.Fact.Of(p)
	how := l.NeedsRoot
	if how == "" {
		return
	}
	f := p.Reportf(inManifest(c.User.At), "%s starts as user %s, and its entrypoint always drops with %s, which only root can: the container does not start", running(p, c), c.User.Value, how).As(scan.LevelNote)
	for _, loss := range l.Outcome.Losses {
		f.Notef(atPlace(p, loss.Place), "%s", loss.Reason)
	}
}

func dropImpossible(p *scan.Pass, c *manifest.Container, how string) {
	if c.NonRoot.True() && !c.User.Given {
		p.Reportf(inManifest(c.NonRoot.At), "the image of %s starts as root to drop with %s, and runAsNonRoot keeps it from starting", running(p, c), how)
	}
	var missing []string
	for _, name := range []string{"SETUID", "SETGID"} {
		if !keepsCapability(c, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		at := c.At
		for _, s := range c.CapDrop {
			if name := capability(s); name == "ALL" || name == missing[0] {
				at = s.At
			}
		}
		them := []string{"it", "them"}[len(missing)-1]
		p.Reportf(inManifest(at), "the image of %s starts as root to drop with %s, which needs %s: without %s the container fails, or goes on as root; add %[4]s back",
			running(p, c), how, strings.Join(missing, " and "), them)
	}
	if (how == "sudo" || how == "doas") && c.Escalation.False() {
		p.Reportf(inManifest(c.Escalation.At), "the image of %s drops with %s, which no-new-privileges keeps from working; gosu or setpriv do", running(p, c), how)
	}
}
