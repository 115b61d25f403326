package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

var _ = register(&scan.Rule{
	ID: "SBX401", Name: "exposed-port", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{668},
	Title: "a port for login, administration, debugging or remote control is exposed",
	Many:  "%d ports are exposed",
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Run: func(p *scan.Pass) {
		quiet := true
		for _, port := range p.Image.Config.ExposedPorts {
			lo, hi, proto, ok := dockerfile.PortRange(port)
			if !ok {
				p.Unknownf(p.AtField("ExposedPorts."+port), "EXPOSE %q can't be resolved", port)
				quiet = false
				continue
			}
			at := p.AtField("ExposedPorts." + port)
			if number, service := remoteControl(lo, hi); service != "" && proto == "tcp" {
				p.Reportf(at, "port %s is exposed: %d is %s", port, number, service)
				quiet = false
			} else {
				p.Reportf(at, "port %s is exposed: a sandbox needs no way in, unless its control plane connects to it", port).As(scan.LevelNote)
			}
		}
		switch {
		case !quiet:
		case p.Image.UnreadBase != "":
			p.Unknownf(scan.Location{}, "the base image %s may expose ports: it was not read", p.Image.UnreadBase)
		default:
			p.Shownf(scan.Location{}, "no port for login, administration, debugging or remote control is exposed")
		}
	},
})

// remoteControl returns the first port between lo and hi through which somebody
// else could steer the sandbox, and what usually listens there (IANA service
// names, and the tools' own documentation).
func remoteControl(lo, hi int) (port int, service string) {
	for _, s := range []struct {
		port int
		name string
	}{
		{22, "SSH"}, {23, "Telnet"}, {512, "rexec"}, {513, "rlogin"}, {514, "rsh"},
		{2222, "SSH"}, {2375, "the Docker engine"}, {2376, "the Docker engine"}, {2377, "Docker Swarm"}, {2379, "etcd"}, {2380, "etcd"},
		{3389, "RDP"}, {5005, "the Java debugger"}, {5678, "the Python debugger"}, {5858, "the Node.js debugger"},
		{5900, "VNC"}, {5901, "VNC"}, {5902, "VNC"}, {6000, "X11"}, {6080, "VNC in the browser"}, {6443, "the Kubernetes API"},
		{7681, "a terminal in the browser"}, {8443, "an administration console"}, {8888, "Jupyter"},
		{9222, "Chrome's debugger"}, {9223, "Chrome's debugger"}, {9229, "the Node.js debugger"}, {10250, "the kubelet"}, {10255, "the kubelet"},
	} {
		if lo <= s.port && s.port <= hi {
			return s.port, s.name
		}
	}
	return 0, ""
}
