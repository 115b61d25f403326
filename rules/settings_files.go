package rules

import (
	"iter"
	"regexp"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
)

// unread are the directories whose configuration files no program reads as its own:
// documentation, and what packages unpack.
var unread = regexp.MustCompile(`^/usr/share/|/(node_modules|site-packages|dist-packages|testdata|tests?|examples?|docs?)/`)

// written yields what the RUNs of a Dockerfile put into files, with the instruction. A
// real image has the files themselves.
func written(p *scan.Pass) iter.Seq2[scan.Location, commands.Written] {
	return func(yield func(scan.Location, commands.Written) bool) {
		if !p.Image.Predicted {
			return
		}
		for _, s := range commands.Fact.Of(p) {
			for _, w := range s.Written() {
				if !unread.MatchString(w.Path) && !yield(s.At, w) {
					return
				}
			}
		}
	}
}
