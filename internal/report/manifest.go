package report

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// inManifest is a part of a manifest that could not be understood, or a remark on it.
func (r *Report) inManifest(p manifest.Problem) gap {
	return gap{What: r.sentence(p.What), Hint: r.sentence(p.Hint), Source: scan.AtManifest(p.At).Source, Manifest: true}
}

// manifestRemarks say what was taken for the sandbox and what was not, and which
// fields nobody reads.
func (r *Report) manifestRemarks(t *scan.Target) []gap {
	if t.Manifest == nil {
		return nil
	}
	var out []gap
	add := func(at manifest.Place, format string, args ...any) {
		out = append(out, r.inManifest(manifest.Problem{At: at, What: fmt.Sprintf(format, args...)}))
	}
	for _, w := range t.Manifest.Workloads {
		switch {
		case w == t.Workload:
			add(w.At, "%s is judged as the sandbox: %s; isolation tier %s, egress %s", w, w.Why, w.Tier(), w.Egress.Level)
			for _, c := range w.Containers {
				if c.Role != manifest.Sandbox {
					add(c.At, "container %s is not judged: %s", c.Name, c.Why)
				}
			}
		case w.Role != manifest.Sandbox:
			add(w.At, "%s is not judged: %s", w, w.Why)
		}
	}
	for _, p := range t.Manifest.Problems {
		if !p.Fatal {
			out = append(out, r.inManifest(p))
		}
	}
	return out
}
