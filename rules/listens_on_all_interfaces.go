package rules

import (
	"net"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

var _ = register(&scan.Rule{
	ID: "SBX406", Name: "listens-on-all-interfaces", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{1327},
	Title: "what the container starts listens on all interfaces",
	Many:  "%d sockets listen on all interfaces",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{launch.Fact},
	Run: func(p *scan.Pass) {
		l := launch.Fact.Of(p)
		found := false
		told := map[effect.Place]bool{}
		for _, path := range l.Outcome.Paths {
			for _, e := range path.Past.Effects() {
				if e.Kind == effect.Bind && everywhere(e.Note) && !told[e.Place] {
					told[e.Place], found = true, true
					p.Reportf(atPlace(p, e.Place), "%s listens on all interfaces (%s): whoever shares the container's network can reach it", e.Call, e.Note)
				}
			}
		}
		for _, link := range l.Chain {
			if address := listenArgument(link.Argv); address != "" {
				found = true
				p.Reportf(atLink(p, link), "%s is told to listen on all interfaces (%s): whoever shares the container's network can reach it", link.Argv[0], address)
			}
		}
		switch why := lost(l); {
		case found:
		case why != "":
			p.Unknownf(entry(p), "what the container starts could not be followed to the end: %s", why)
		default:
			p.Unknownf(entry(p), "nothing that was followed listens on all interfaces; what the code that takes over does is not known")
		}
	},
})

// everywhere reports whether an address, with or without a port, is that of all
// interfaces.
func everywhere(address string) bool {
	host := address
	if h, _, err := net.SplitHostPort(address); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "*" || ip != nil && ip.IsUnspecified()
}

// listenArgument returns the address of all interfaces that a program is told to
// listen on by an option that commonly means so.
func listenArgument(argv []string) string {
	for i, arg := range argv {
		name, value, joined := strings.Cut(arg, "=")
		switch strings.TrimLeft(name, "-") {
		case "host", "bind", "ip", "listen", "address", "bind-address", "bind-addr", "listen-address", "remote-debugging-address", "ServerApp.ip", "NotebookApp.ip":
		default:
			continue
		}
		if !joined && i+1 < len(argv) {
			value = argv[i+1]
		}
		if strings.HasPrefix(name, "-") && everywhere(value) {
			return value
		}
	}
	return ""
}

// atLink locates where a program of the chain is called.
func atLink(p *scan.Pass, link launch.Link) scan.Location {
	if link.By.File == nil {
		return entry(p)
	}
	at := p.At(link.By.File)
	at.Line = link.By.Line
	return at
}
