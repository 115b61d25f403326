package rules

import "github.com/sandbox-audit/sandbox-audit/internal/scan"

var _ = register(&scan.Rule{
	ID: "SBX504", Name: "privilege-escalation-allowed", Step: scan.Runtime, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{250, 269},
	Title:  "a program of the image may raise privileges",
	Kernel: true,
	Where:  scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			e := c.Escalation
			switch {
			case c.Privileged.True(): // it has them already: SBX501
			case e.False():
			case unresolved(p, e, "whether no-new-privileges is set"):
			case e.Given:
				p.Reportf(inManifest(e.At), "%s lets setuid programs such as sudo raise privileges", running(p, c))
			default:
				p.Reportf(inManifest(e.At), "%s does not set %s: a setuid program of the image, such as sudo, can make untrusted code root", running(p, c), noNewPrivileges(p))
			}
		}
	},
})

// noNewPrivileges is how the language of the manifest asks for it.
func noNewPrivileges(p *scan.Pass) string {
	if p.Workload.Kind == "service" {
		return "security_opt no-new-privileges:true"
	}
	return "allowPrivilegeEscalation: false"
}
