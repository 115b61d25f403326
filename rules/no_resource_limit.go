package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX514", Name: "no-resource-limit", Step: scan.Runtime, Level: scan.LevelNote, Severity: 2.0, CWE: []int{770},
	Title: "memory, CPU or the number of processes is not limited",
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			var missing []string
			for _, l := range []struct {
				what string
				set  manifest.Setting
			}{{"memory", c.Memory}, {"CPU", c.CPU}, {"processes", c.PIDs}} {
				if !l.set.Given || l.set.Unknown == "" && (l.set.Value == "0" || l.set.Value == "-1") {
					missing = append(missing, l.what)
				}
			}
			if len(missing) > 0 {
				p.Reportf(inManifest(c.At), "%s has no limit on %s: untrusted code can take all of the host's", running(p, c), few(missing))
			}
		}
	},
})
