package rules

import (
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX506", Name: "runtime-socket-mounted", Step: scan.Runtime, Level: scan.LevelError, Severity: 9.5, CWE: []int{250, 284},
	Title: "the socket of a container runtime is mounted",
	Many:  "%d sockets of container runtimes are mounted",
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			for _, m := range c.Mounts {
				socket := runtimeSocket(m)
				if socket == "" {
					continue
				}
				readOnly := ""
				if m.ReadOnly {
					readOnly = "; that it is mounted read-only does not help, as a socket is used and not written"
				}
				p.Reportf(inManifest(m.At), "%s is mounted into %s: who talks to it starts containers with any file of the host, as root%s", socket, running(p, c), readOnly)
			}
		}
	},
})

// runtimeSocket is the socket that a mount brings; empty if it brings none.
func runtimeSocket(m manifest.Mount) string {
	if m.Kind != manifest.HostPath {
		return ""
	}
	source := path.Clean(m.Source)
	switch source {
	case "/var/run", "/run", "/run/containerd", "/var/run/containerd", "/run/podman", "/run/crio", "/var/run/crio":
		return source + ", where container runtimes listen,"
	}
	for _, name := range []string{m.Source, m.Target} {
		for _, s := range sockets {
			if strings.HasSuffix(name, "/"+s) {
				return name
			}
		}
		if strings.HasSuffix(name, "docker_engine") { // \\.\pipe\docker_engine
			return name
		}
	}
	return ""
}
