package rules

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/network"
)

var _ = register(&scan.Rule{
	ID: "SBX401", Name: "exposed-port", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{668},
	Title: "a port for login, administration, debugging or remote control is exposed",
	Many:  "%d ports are exposed",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Needs: []scan.Need{launch.Fact, network.ServerConfigs},
	Run: func(p *scan.Pass) {
		quiet := true
		heard := listening(p)
		for _, port := range p.Image.Config.ExposedPorts {
			quiet = exposed(p, port, heard) && quiet
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

// exposed judges one port or range, and reports whether nobody can steer the sandbox
// through it as far as is known.
func exposed(p *scan.Pass, port string, heard []listener) bool {
	at := p.AtField("ExposedPorts." + port)
	lo, hi, proto, ok := dockerfile.PortRange(port)
	if !ok {
		p.Unknownf(at, "EXPOSE %q can't be resolved", port)
		return false
	}
	var bound []listener
	service := ""
	for _, l := range heard {
		if proto == "tcp" && lo <= l.Port && l.Port <= hi {
			bound = append(bound, l)
			if l.Service != "" && !l.local() {
				service = l.Service
			}
		}
	}
	var f *scan.Finding
	number, usual := remoteControl(lo, hi, bound)
	switch {
	case proto == "tcp" && service != "":
		f = p.Reportf(at, "port %s is exposed, and what listens there is %s", port, service)
	case proto == "tcp" && usual != "":
		f = p.Reportf(at, "port %s is exposed: %d is %s", port, number, usual)
	default:
		f = p.Reportf(at, "port %s is exposed: a sandbox needs no way in, unless its control plane connects to it", port).As(scan.LevelNote)
	}
	for _, l := range bound {
		if l.local() {
			f.Notef(l.at, "%s listens on port %d on this machine only: exposing it leads nowhere", l.Program, l.Port)
		} else {
			f.Notef(l.at, "%s listens on port %d", l.Program, l.Port)
		}
	}
	return f.Level == scan.LevelNote
}

// remoteControl returns the first port between lo and hi through which somebody
// else could steer the sandbox, and what usually listens there (IANA service
// names, and the tools' own documentation). A port on which something else is known to
// listen is not one.
func remoteControl(lo, hi int, bound []listener) (port int, service string) {
	for _, s := range []struct {
		port int
		name string
	}{
		{22, "SSH"}, {23, "Telnet"}, {512, "rexec"}, {513, "rlogin"}, {514, "rsh"},
		{2222, "SSH"}, {2375, "the Docker engine"}, {2376, "the Docker engine"}, {2377, "Docker Swarm"}, {2379, "etcd"}, {2380, "etcd"},
		{3389, "RDP"}, {4444, "a browser that WebDriver steers"}, {5005, "the Java debugger"}, {5678, "the Python debugger"}, {5858, "the Node.js debugger"},
		{5900, "VNC"}, {5901, "VNC"}, {5902, "VNC"}, {6000, "X11"}, {6080, "VNC in the browser"}, {6443, "the Kubernetes API"},
		{7681, "a terminal in the browser"}, {8888, "Jupyter"},
		{9222, "Chrome's debugger"}, {9223, "Chrome's debugger"}, {9229, "the Node.js debugger"}, {10250, "the kubelet"}, {10255, "the kubelet"},
	} {
		other := func(l listener) bool { return l.Port == s.port && l.Service == "" && !l.local() }
		if lo <= s.port && s.port <= hi && !slices.ContainsFunc(bound, other) {
			return s.port, s.name
		}
	}
	return 0, ""
}
