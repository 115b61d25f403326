package main

import (
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

// details tells, for --verbose, what the rules took for granted about a target:
// whose its Python is.
func (a *audit) details(t scan.Target) {
	var summary string
	scan.Run(t, []*scan.Rule{{
		ID: "details", Where: scan.InImage | scan.InDockerfile, Needs: []scan.Need{python.Fact},
		Run: func(p *scan.Pass) { summary = python.Fact.Of(p).Summary() },
	}}, scan.Options{FirstParty: a.firstParty}, a.limits)
	for line := range strings.Lines(summary) {
		fmt.Fprintf(a.proc.stderr, "sandbox-audit: %s\n", printable(strings.TrimRight(line, "\n")))
	}
}
