package rules

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX503", Name: "capabilities-kept", Step: scan.Runtime, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{250},
	Title: "capabilities are not dropped, or dangerous ones are added",
	Many:  "%d settings of one place keep capabilities",
	Each:  true, Kernel: true,
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			if c.Privileged.True() {
				continue // it has all of them: SBX501
			}
			keptCapabilities(p, c)
		}
	},
})

func keptCapabilities(p *scan.Pass, c *manifest.Container) {
	if !hasCapability(c.CapDrop, "ALL") {
		if i := slices.IndexFunc(c.CapDrop, func(s manifest.Setting) bool { return s.Unknown != "" }); i >= 0 {
			unresolved(p, c.CapDrop[i], "which capabilities are dropped")
		} else {
			at := c.At
			if len(c.CapDrop) > 0 {
				at = c.CapDrop[0].At
			}
			f := p.Reportf(inManifest(at), "%s keeps the default capabilities: drop ALL, and add back only what the entrypoint needs to change the user (SETUID, SETGID)", running(p, c))
			if users := p.Workload.HostUsers; users.False() {
				f.As(scan.LevelNote).Notef(inManifest(users.At), "a note only: with hostUsers: false they hold in the pod's user namespace, and nowhere else")
			}
		}
	}
	for _, s := range c.CapAdd {
		name := capability(s)
		switch why := dangerousCapability(name); {
		case why == "":
		case name == "ALL" || name == "SYS_ADMIN" || name == "SYS_MODULE" || name == "SYS_RAWIO":
			p.Reportf(inManifest(s.At), "%s gets %s: %s", running(p, c), name, why).As(scan.LevelError)
		default:
			p.Reportf(inManifest(s.At), "%s gets %s: %s", running(p, c), name, why)
		}
	}
}

// dangerousCapability says what a capability gives away that container runtimes do not
// give by default; empty if it is none of those (capabilities(7)).
func dangerousCapability(name string) string {
	switch name {
	case "ALL":
		return "that is all that root has"
	case "SYS_ADMIN":
		return "it mounts filesystems and is nearly all of root"
	case "SYS_MODULE":
		return "it loads code into the host's kernel"
	case "SYS_RAWIO":
		return "it reaches the host's memory and devices"
	case "SYS_PTRACE":
		return "it reads and changes other processes, also those that hold what was stripped from the environment"
	case "DAC_READ_SEARCH":
		return "it opens files of the host by handle"
	case "NET_ADMIN":
		return "it rewrites routes and firewall rules, also those that confine it"
	case "BPF", "PERFMON", "SYSLOG":
		return "it looks into the host's kernel"
	case "SYS_BOOT", "SYS_TIME", "SYS_NICE", "SYS_RESOURCE", "SYS_PACCT", "SYS_TTY_CONFIG", "WAKE_ALARM", "BLOCK_SUSPEND", "LEASE", "LINUX_IMMUTABLE", "IPC_LOCK", "IPC_OWNER", "MAC_ADMIN", "MAC_OVERRIDE", "AUDIT_CONTROL", "AUDIT_READ", "CHECKPOINT_RESTORE", "NET_BROADCAST":
		return "it is more than a container has by default"
	}
	return ""
}
