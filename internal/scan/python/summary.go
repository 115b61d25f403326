package python

import (
	"fmt"
	"strings"
)

// Summary says, a line each, which interpreters were found, whose the Python of the
// final file system is, and below which directories the first-party sources are.
// What it quotes of the image must be cleaned before printing.
func (inv *Inventory) Summary() string {
	var lines []string
	if len(inv.interpreters) > 0 {
		var names []string
		for _, in := range inv.interpreters {
			names = append(names, in.String())
		}
		lines = append(lines, "interpreters: "+strings.Join(names, ", "))
	}
	var compiled [classes]int
	for _, b := range inv.bytecode {
		compiled[b.Class]++
	}
	lines = append(lines, "sources: "+tally(inv.counts), "bytecode: "+tally(compiled))
	if len(inv.roots) > 0 {
		lines = append(lines, "first-party sources are in: "+strings.Join(inv.roots, ", "))
	}
	return strings.Join(lines, "\n")
}

// tally is the numbers of each class, in words.
func tally(counts [classes]int) string {
	var parts []string
	for c := StandardLibrary; c < classes; c++ {
		if c != Unattributed || counts[c] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[c], c))
		}
	}
	return strings.Join(parts, ", ")
}
