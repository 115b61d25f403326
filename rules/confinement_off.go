package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

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
			noProfile(p, c)
		}
	},
})

// noProfile notes that a pod sets no seccomp profile. Kubernetes then gives none, unless
// the kubelet's configuration does (KubeletConfiguration, seccompDefault).
func noProfile(p *scan.Pass, c *manifest.Container) {
	if p.Workload.Kind == "service" || c.Seccomp.Given || c.Privileged.True() {
		return
	}
	p.Reportf(inManifest(c.At), "%s sets no seccompProfile: without seccompDefault in the kubelet's configuration, every system call is open to untrusted code", running(p, c)).As(scan.LevelNote)
}

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
