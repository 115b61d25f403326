package rules

import (
	"strconv"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/network"
)

var _ = register(&scan.Rule{
	ID: "SBX509", Name: "published-on-all-interfaces", Step: scan.Runtime, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{668},
	Title: "a port is published on every interface of the host",
	Many:  "%d ports are published on every interface",
	Where: scan.InManifest,
	Needs: []scan.Need{launch.Fact, network.ServerConfigs},
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			for _, port := range c.Ports {
				switch {
				case port.Unknown != "":
					p.Unknownf(inManifest(port.At), "on which address port %s is published is not known: %s", port.Target, port.Unknown)
				case port.Everywhere():
					f := p.Reportf(inManifest(port.At), "port %s of %s is published on every interface of the host: %s", port.Target, running(p, c), whoReaches(p, port))
					listensThere(p, c, port, f)
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

// listensThere adds what the image is known to have listen on the port.
func listensThere(p *scan.Pass, c *manifest.Container, port manifest.Port, f *scan.Finding) {
	n, err := strconv.Atoi(port.Target)
	if err != nil || p.NoImage || !startKnown(c) {
		return
	}
	for _, l := range listening(p) {
		switch {
		case l.Port != n:
		case l.local():
			f.Notef(l.at, "%s listens on port %d of the container's own loopback only: the published port leads nowhere, and can be left out", l.Program, n)
		default:
			f.Notef(l.at, "%s listens on port %d", l.Program, n)
		}
	}
}
