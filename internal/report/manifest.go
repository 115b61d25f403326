package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// before is the first target of the same manifest, of those that another workload runs;
// nil if t is that.
func (r *Report) before(t *scan.Target) *scan.Target {
	for _, other := range r.Targets {
		switch o := &other.Result.Target; {
		case o.Manifest != t.Manifest || o.Workload == nil || t.Workload == nil:
		case o.Workload == t.Workload:
			return nil
		default:
			return o
		}
	}
	return nil
}

// inManifest is a part of a manifest that could not be understood, or a remark on it.
func (r *Report) inManifest(p manifest.Problem) gap {
	return gap{What: r.sentence(p.What), Hint: r.sentence(p.Hint), Source: scan.AtManifest(p.At).Source, Manifest: true}
}

// manifestRemarks say what was taken for the sandbox and what was not, and which
// fields nobody reads. What is said of a manifest as a whole stands with the first of
// its sandboxes only: there may be hundreds.
func (r *Report) manifestRemarks(t *scan.Target) []gap {
	tier := isolation(t)
	switch {
	case t.Manifest == nil && t.Isolation == manifest.ContainerTier:
		return nil
	case t.Manifest == nil:
		return []gap{{What: tier}}
	}
	var out []gap
	add := func(at manifest.Place, format string, args ...any) {
		out = append(out, r.inManifest(manifest.Problem{At: at, What: fmt.Sprintf(format, args...)}))
	}
	first := r.before(t)
	for _, w := range t.Manifest.Workloads {
		switch {
		case w == t.Workload:
			add(w.At, "%s is judged as the sandbox: %s; %s, egress %s", w, w.Why, tier, w.Egress.Level)
			if t.Match != "" {
				add(t.Containers[0].At, "%s is judged with %s: %s", runner(w, t.Containers[0]), t.Name, t.Match)
			}
			for _, c := range w.Containers {
				switch {
				case c.Role != manifest.Sandbox:
					add(c.At, "container %s is not judged: %s", c.Name, c.Why)
				case !slices.Contains(t.Containers, c):
					add(c.At, "container %s runs another image, and is judged for itself", c.Name)
				}
			}
		case w.Role != manifest.Sandbox && first == nil:
			add(w.At, "%s is not judged: %s", w, w.Why)
		}
	}
	for _, p := range t.Manifest.Problems {
		if !p.Fatal && (first == nil || t.Workload.Holds(p.At)) {
			out = append(out, r.inManifest(p))
		}
	}
	if first != nil {
		add(manifest.Place{}, "what the other workloads were taken for is told with %s", first.Workload)
	}
	return out
}

// isolation says which tier holds a target, and by what it is known.
func isolation(t *scan.Target) string {
	tier, by, _ := t.Tier()
	return strings.TrimSuffix(fmt.Sprintf("isolation tier %s (%s)", tier, by), " ()")
}

// runner names a container; that of a compose service is the service.
func runner(w *manifest.Workload, c *manifest.Container) string {
	if w.Kind == "service" {
		return w.String()
	}
	return fmt.Sprintf("container %s of %s", c.Name, w)
}
