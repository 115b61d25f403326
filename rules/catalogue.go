package rules

import (
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// Catalogue is the Markdown table of all rules, kept in README.md.
func Catalogue() string {
	var b strings.Builder
	b.WriteString("# Rules\n\nGenerated from the rules by `go test ./rules -update`.\nAdd one with `go run ./rules/new.go SBX2xx some-name`.\n")
	var step scan.Step
	for _, r := range All() {
		if r.Step != step {
			step = r.Step
			fmt.Fprintf(&b, "\n## %s\n\n| id | name | level | where | what it finds |\n| --- | --- | --- | --- | --- |\n", StepTitle(step))
		}
		fmt.Fprintf(&b, "| [%s](docs/%s.md) | %s | %s | %s | %s |\n", r.ID, r.ID, r.Name, r.Level, Where(r.Where), r.Title)
	}
	return b.String()
}

// Head is the generated head of a rule's page.
func Head(r *scan.Rule) string {
	var cwe []string
	for _, n := range r.CWE {
		cwe = append(cwe, fmt.Sprintf("[CWE-%d](https://cwe.mitre.org/data/definitions/%d.html)", n, n))
	}
	return fmt.Sprintf("# %s %s\n\n%s.\n\n%s · level %s · %s · %s\n",
		r.ID, r.Name, upperFirst(r.Title), StepTitle(r.Step), r.Level, Where(r.Where), strings.Join(cwe, ", "))
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// StepTitle is how people call a step of the checklist.
func StepTitle(s scan.Step) string {
	switch s {
	case scan.Bytecode:
		return "Step 1: bytecode-only execution"
	case scan.Privilege:
		return "Step 2: privilege drop"
	case scan.Environment:
		return "Step 3: environment stripping and secrets"
	case scan.Network:
		return "Step 4: network"
	case scan.Runtime:
		return "Step 5: how it is run"
	case scan.Supply:
		return "Supply"
	}
	return "The audit itself"
}

// Where names the kinds of target a rule judges: "images, Dockerfiles".
func Where(w scan.Where) string {
	var out []string
	for _, k := range []struct {
		bit  scan.Where
		name string
	}{{scan.InImage, "images"}, {scan.InDockerfile, "Dockerfiles"}, {scan.InManifest, "manifests"}} {
		if w&k.bit != 0 {
			out = append(out, k.name)
		}
	}
	return strings.Join(out, ", ")
}
