package rules

import "github.com/sandbox-audit/sandbox-audit/internal/scan"

var _ = register(&scan.Rule{
	ID: "SBX505", Name: "confinement-off", Step: scan.Runtime, Level: scan.LevelError, Severity: 8.0, CWE: []int{693},
	Title:  "seccomp, AppArmor or SELinux is switched off",
	Many:   "%d protections are switched off",
	Kernel: true,
	Where:  scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			for _, off := range c.Unconfined {
				p.Reportf(inManifest(off.At), "%s runs without %s: %s", running(p, c), off.Value, without(off.Value))
			}
		}
	},
})

// without is what a protection keeps from happening.
func without(what string) string {
	switch what {
	case "seccomp":
		return "every system call of the host's kernel is open to untrusted code"
	case "masked paths":
		return "files of /proc and /sys that lead to the host are readable and writable"
	}
	return "what confines a container that got out of its namespaces is gone"
}
