package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
)

var _ = register(&scan.Rule{
	ID: "SBX304", Name: "secret-in-file", Step: scan.Environment, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{312, 798},
	Title: "a file of the image holds a credential",
	Many:  "%d credentials lie in files of the image",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{leak.Fact},
	Run: func(p *scan.Pass) {
		found := leak.Fact.Of(p).In(leak.InFile)
		for _, l := range found {
			reportFile(p, l, "holds")
		}
		if kept := keptMounts(p); !kept && len(found) == 0 && allRead(p) {
			p.Shownf(scan.Location{}, "no file of the image was found to hold a credential")
		}
	},
})

// keptMounts tells of secrets that a RUN of the Dockerfile copies from a mount into
// its layer, and reports whether there are any.
func keptMounts(p *scan.Pass) (found bool) {
	if !p.Image.Predicted {
		return false // the files themselves tell
	}
	for _, s := range p.Build.Steps {
		for _, file := range leak.Kept(s) {
			if file == "" {
				file = "a file"
			}
			p.Reportf(p.AtInstr(s.Instr), "RUN copies a mounted secret to %s, which stays in the layer: the mount leaves no trace only as long as nothing copies it", file)
			found = true
		}
	}
	return found
}
