package rules

import "github.com/sandbox-audit/sandbox-audit/internal/scan"

var _ = register(&scan.Rule{
	ID: "SBX502", Name: "host-namespace", Step: scan.Runtime, Level: scan.LevelError, Severity: 8.0, CWE: []int{653, 668},
	Title: "the sandbox shares a namespace of the host",
	Many:  "%d namespaces of the host are shared",
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		if p.Workload == nil {
			return
		}
		for _, ns := range p.Workload.HostNamespaces {
			if unresolved(p, ns, "whether it shares the host's "+ns.Value+" namespace") {
				continue
			}
			p.Reportf(inManifest(ns.At), "%s shares the %s namespace of the host: %s", p.Workload, ns.Value, sharedNamespace(ns.Value))
		}
	},
})

// sharedNamespace is what a namespace of the host gives away (namespaces(7)).
func sharedNamespace(ns string) string {
	switch ns {
	case "network":
		return "it reaches what listens on the host's loopback and the cloud's metadata service, and network policies do not hold it"
	case "pid":
		return "it sees the processes of the host, their command lines and, as root, their environment"
	case "ipc":
		return "it reaches the shared memory of the host's processes"
	case "uts":
		return "it can change the host's name"
	case "user":
		return "root in it is root on the host, whatever the daemon maps"
	}
	return "it sees what is the host's"
}
