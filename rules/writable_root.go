package rules

import "github.com/sandbox-audit/sandbox-audit/internal/scan"

var _ = register(&scan.Rule{
	ID: "SBX515", Name: "writable-root", Step: scan.Runtime, Level: scan.LevelNote, Severity: 2.0, CWE: []int{732},
	Title:  "the root filesystem is not read-only",
	Kernel: true,
	Where:  scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			if c.ReadOnly.True() || unresolved(p, c.ReadOnly, "whether the root filesystem is read-only") {
				continue
			}
			at := c.At
			if c.ReadOnly.Given {
				at = c.ReadOnly.At
			}
			p.Reportf(inManifest(at), "the root filesystem of %s is writable: what untrusted code changes there stays for all that runs later", running(p, c))
		}
	},
})
