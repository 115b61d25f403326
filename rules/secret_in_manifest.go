package rules

import (
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

var _ = register(&scan.Rule{
	ID: "SBX510", Name: "secret-in-manifest", Step: scan.Runtime, Level: scan.LevelError, Severity: 8.0, Precision: scan.High, CWE: []int{798, 312},
	Title: "a secret stands in the manifest, in the environment or in a command",
	Many:  "%d secrets stand in one place",
	Each:  true,
	Where: scan.InManifest,
	Needs: []scan.Need{accounts.Fact, launch.Fact},
	Run: func(p *scan.Pass) {
		clean := true
		for _, c := range sandboxContainers(p) {
			clean = secretVariables(p, c) && clean
			clean = secretWords(p, c) && clean
			clean = secretParts(p, c) && clean
		}
		if clean && p.Workload != nil {
			p.Shownf(inManifest(p.Workload.At), "no variable and no command of the manifest holds a secret")
		}
	},
})

func secretVariables(p *scan.Pass, c *manifest.Container) bool {
	clean := true
	for _, v := range c.Env {
		if j := secret.Judge(v.Name, v.Raw); v.From == "" && j.Secret {
			clean = false
			f := p.Reportf(inManifest(v.At), "%s gets a secret in %s (%s, %s): %s; whoever reads the manifest has it, and so does all code in the sandbox",
				running(p, c), v.Name, j.Kind, secret.Describe(v.Raw), j.Reason)
			readAsRoot(p, f)
		}
	}
	return clean
}

// secretWords looks for secrets in the words of a command, as one line.
func secretWords(p *scan.Pass, c *manifest.Container) bool {
	var line strings.Builder
	var ends []int
	words := slices.Concat(c.Entry, c.Command)
	for _, w := range words {
		line.WriteString(w.Value + " ")
		ends = append(ends, line.Len())
	}
	hits := secret.InText(line.String())
	for _, h := range hits {
		i, _ := slices.BinarySearch(ends, h.Offset+1)
		p.Reportf(inManifest(words[min(i, len(words)-1)].At), "the command of %s holds a secret (%s): %s; whoever reads the manifest has it, and every process of the sandbox sees the command line",
			running(p, c), h.Kind, h.Reason)
	}
	return len(hits) == 0
}

// secretParts looks for secrets in what else a manifest holds for a container: arguments
// of its build and the texts of its configs.
func secretParts(p *scan.Pass, c *manifest.Container) bool {
	clean := true
	for _, v := range c.Build.Variables {
		if j := secret.Judge(v.Name, v.Raw); v.From == "" && j.Secret {
			clean = false
			p.Reportf(inManifest(v.At), "the build of %s gets a secret in %s (%s, %s): %s; whoever reads the manifest has it, and the history of the image shows it",
				running(p, c), v.Name, j.Kind, secret.Describe(v.Raw), j.Reason)
		}
	}
	for _, m := range c.Mounts {
		for _, h := range secret.InText(m.Content.Raw) {
			clean = false
			p.Reportf(inManifest(m.Content.At), "config %s of %s holds a secret (%s): %s; whoever reads the manifest has it, and so does all code in the sandbox",
				m.Content.Name, running(p, c), h.Kind, h.Reason)
		}
	}
	return clean
}
