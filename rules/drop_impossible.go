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
			if root, _ := rootName(c.User.Value); c.User.Known() && root && c.NonRoot.True() {
				p.Reportf(inManifest(c.NonRoot.At), "%s is to run as user %s, and runAsNonRoot forbids it: the container does not start", running(p, c), c.User.Value)
				continue
			}
			if how := drops(p, c); how != "" {
				dropImpossible(p, c, how)
			}
		}
	},
})

// drops says how a container that starts as root gives it up; empty if it does not
// start as root, or no drop is known.
func drops(p *scan.Pass, c *manifest.Container) string {
	switch root, _ := rootName(c.User.Value); {
	case p.NoImage || !startKnown(c) || c.User.Unknown != "":
		return ""
	case c.User.Given && !root, !c.User.Given && !startsAsRoot(p):
		return ""
	}
	return launch.Fact.Of(p).Drop.How
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
		p.Reportf(inManifest(at), "the image of %s starts as root to drop with %s, which needs %s: without it the container fails, or goes on as root; add it back",
			running(p, c), how, strings.Join(missing, " and "))
	}
	if (how == "sudo" || how == "doas") && c.Escalation.False() {
		p.Reportf(inManifest(c.Escalation.At), "the image of %s drops with %s, which no-new-privileges keeps from working; gosu or setpriv do", running(p, c), how)
	}
}
