package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX509", Name: "published-on-all-interfaces", Step: scan.Runtime, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{668},
	Title: "a port is published on every interface of the host",
	Many:  "%d ports are published on every interface",
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			for _, port := range c.Ports {
				switch {
				case port.Unknown != "":
					p.Unknownf(inManifest(port.At), "on which address port %s is published is not known: %s", port.Target, port.Unknown)
				case port.Everywhere():
					p.Reportf(inManifest(port.At), "port %s of %s is published on every interface of the host: %s", port.Target, running(p, c), whoReaches(p, port))
				}
			}
		}
	},
})

func whoReaches(p *scan.Pass, port manifest.Port) string {
	if p.Workload.Kind != "service" {
		return "whoever reaches the node reaches the sandbox, past every Service and Ingress"
	}
	if port.Published == "" {
		return "whoever reaches the host reaches the sandbox, past the host's firewall; publish it on 127.0.0.1"
	}
	return "whoever reaches the host reaches the sandbox, past the host's firewall; write 127.0.0.1:" + port.Published + ":" + port.Target
}
