package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX511", Name: "runs-as-root", Step: scan.Runtime, Level: scan.LevelError, Severity: 8.0, CWE: []int{250},
	Title:  "the manifest makes root of the sandbox, or lets a root image run without a drop",
	Kernel: true,
	Where:  scan.InManifest,
	Needs:  []scan.Need{accounts.Fact, launch.Fact},
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			if unresolved(p, c.User, "as whom it runs") {
				continue
			}
			if c.User.Given {
				manifestUser(p, c)
			} else {
				imageUser(p, c)
			}
		}
	},
})

// manifestUser judges a user that the manifest sets.
func manifestUser(p *scan.Pass, c *manifest.Container) {
	at, user := inManifest(c.User.At), c.User.Value
	root, named := rootName(user)
	if named && !p.NoImage {
		resolved := accounts.Fact.Of(p).Resolve(user)
		root, named = resolved.IsRoot() == accounts.Yes, resolved.IsRoot() == accounts.Unknown
	}
	switch {
	case root && p.NoImage:
		p.Reportf(at, "%s runs as root: the manifest sets user %s", running(p, c), user)
	case root:
		p.Reportf(at, "%s runs as root: the manifest sets user %s, which overrides %s", running(p, c), user, imageUserText(p))
	case named:
		p.Unknownf(at, "whether %s is root is for the image to say: give it too", user)
	default:
		p.Shownf(at, "%s runs as user %s, as the manifest sets", running(p, c), user)
	}
}

func imageUserText(p *scan.Pass) string {
	if user := p.Image.Config.User; user != "" {
		return "user " + user + " of the image"
	}
	return "the image"
}

// imageUser judges a container whose user is the image's.
func imageUser(p *scan.Pass, c *manifest.Container) {
	at := inManifest(c.At)
	switch {
	case c.NonRoot.True():
		p.Shownf(inManifest(c.NonRoot.At), "runAsNonRoot: %s does not start as root", running(p, c))
	case p.NoImage:
		p.Unknownf(at, "the image decides as whom %s runs: give it too, or set the user here", running(p, c))
	case p.Image.NoConfig || p.Image.UnreadBase != "" && p.Image.Config.User == "":
		p.Unknownf(at, "as whom %s runs is for the image to say, and its user is not known", running(p, c))
	case !startsAsRoot(p) || !startKnown(c):
	case launch.Fact.Of(p).Drop.How == "":
		f := p.Reportf(at, "%s runs an image that starts as root and shows no drop, and the manifest sets no user", running(p, c))
		if len(c.Entry) > 0 {
			f.Notef(inManifest(c.Entry[0].At), "what it starts is the manifest's: the image's own entrypoint, and a drop in it, do not run")
		}
	}
}
