package rules

import "github.com/sandbox-audit/sandbox-audit/internal/scan"

var _ = register(&scan.Rule{
	ID: "SBX501", Name: "privileged", Step: scan.Runtime, Level: scan.LevelError, Severity: 9.5, CWE: []int{250},
	Title: "the container is privileged",
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			if c.HostProcess.True() {
				p.Reportf(inManifest(c.HostProcess.At), "%s is a HostProcess container: it runs on the Windows host itself, with its files, network and users", running(p, c))
			}
			if unresolved(p, c.Privileged, "whether it is privileged") {
				continue
			}
			if c.Privileged.True() {
				p.Reportf(inManifest(c.Privileged.At), "%s is privileged: it has every capability and every device of the host, so who is root in it is root on the host", running(p, c))
			}
		}
	},
})
