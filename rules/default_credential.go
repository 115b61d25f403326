package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

var _ = register(&scan.Rule{
	ID: "SBX313", Name: "default-credential", Step: scan.Environment, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{1392, 798},
	Title: "a well-known default password or token stands in the image's environment or build arguments",
	Many:  "%d well-known default passwords or tokens are set",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Run: func(p *scan.Pass) {
		clean := true
		report := func(name, value string, at scan.Location) {
			if secret.Judge(name, value).Default {
				p.Reportf(at, "%s has a value that everybody tries first", name)
				clean = false
			}
		}
		for _, kv := range p.Image.Config.Env {
			name, value, _ := strings.Cut(kv, "=")
			report(name, value, p.AtField("Env."+name))
		}
		seen := map[string]bool{}
		for _, a := range p.BuildArgs() {
			if !seen[a.Name] {
				report(a.Name, a.Value, a.At)
			}
			seen[a.Name] = true
		}
		if clean && p.Image.UnreadBase == "" {
			p.Shownf(scan.Location{}, "no variable and no build argument on record has a well-known default password")
		}
	},
})
