package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

var _ = register(&scan.Rule{
	ID: "SBX313", Name: "default-credential", Step: scan.Environment, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{1392, 798},
	Title: "a well-known default password or token is set",
	Many:  "%d well-known default passwords or tokens are set",
	Where: scan.InImage | scan.InDockerfile | scan.InManifest, Config: true,
	Needs: []scan.Need{leak.Fact},
	Run: func(p *scan.Pass) {
		clean := noManifestDefaults(p)
		if p.NoImage {
			return
		}
		leaks := leak.Fact.Of(p)
		seen := map[string]bool{} // arguments, which are on record once for every RUN
		for _, c := range leaks.Defaults {
			name := strings.TrimPrefix(strings.TrimPrefix(c.At.Field, "Env."), "Args.")
			switch {
			case c.Where == leak.InEnv:
				p.Reportf(c.At, "%s has a value that everybody tries first", name)
			case c.Where == leak.InBuildArg && !seen[name]:
				seen[name] = true
				p.Reportf(c.At, "%s has a value that everybody tries first", name)
			case c.Where == leak.InFile && c.Store != "" && c.Name != "":
				p.Reportf(c.At, "%s of %s has a value that everybody tries first", c.Name, c.At.Path)
			default:
				continue
			}
			clean = false
		}
		for _, c := range leaks.Placeholders {
			p.Reportf(c.At, "%s is the placeholder key that a package made when it was installed: all containers of this image have the same one, so serve nothing with it", c.At.Path).As(scan.LevelNote)
		}
		if clean && p.Image.UnreadBase == "" {
			p.Shownf(scan.Location{}, "no variable and no build argument on record has a well-known default password")
		}
	},
})

// noManifestDefaults reports the variables of a manifest that have a well-known value;
// true if there are none.
func noManifestDefaults(p *scan.Pass) bool {
	clean := true
	for _, c := range sandboxContainers(p) {
		for _, v := range c.Env {
			if v.From == "" && secret.Judge(v.Name, v.Raw).Default {
				p.Reportf(inManifest(v.At), "%s of %s has a value that everybody tries first", v.Name, running(p, c))
				clean = false
			}
		}
	}
	return clean
}
