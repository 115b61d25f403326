package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX515", Name: "writable-root", Step: scan.Runtime, Level: scan.LevelNote, Severity: 2.0, CWE: []int{732},
	Title:  "the root filesystem is not read-only, or the entrypoint needs it not to be",
	Kernel: true,
	Where:  scan.InManifest,
	Needs:  []scan.Need{launch.Fact},
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			if unresolved(p, c.ReadOnly, "whether the root filesystem is read-only") {
				continue
			}
			if c.ReadOnly.True() {
				writesReadOnly(p, c)
				continue
			}
			at := c.At
			if c.ReadOnly.Given {
				at = c.ReadOnly.At
			}
			f := p.Reportf(inManifest(at), "the root filesystem of %s is writable: what untrusted code changes there stays for all that runs later", running(p, c))
			if written := writes(p, c); len(written) > 0 {
				f.Notef(atCall(p, written[0].By), "once it is read-only, the entrypoint needs a tmpfs or volume for %s", few(places(p, written)))
			}
		}
	},
})

// writesReadOnly reports what the entrypoint writes to a filesystem that is read-only: it
// fails, and people then make all of it writable.
func writesReadOnly(p *scan.Pass, c *manifest.Container) {
	written := writes(p, c)
	if len(written) == 0 {
		return
	}
	f := p.Reportf(inManifest(c.ReadOnly.At), "the root filesystem of %s is read-only, and its entrypoint writes %s, where nothing is mounted: that fails; give it a tmpfs or volume there, and leave the rest read-only",
		running(p, c), few(places(p, written)))
	for _, w := range written {
		f.Notef(atCall(p, w.By), "%s", strings.TrimSpace(strings.TrimPrefix(w.Command, ">")+" writes "+w.Path))
	}
}

// writes are what the entrypoint certainly writes where the manifest and the image mount
// nothing. What the runtime itself mounts is writable, too.
func writes(p *scan.Pass, c *manifest.Container) []launch.Write {
	if p.NoImage || !startKnown(c) {
		return nil
	}
	free := append([]string{"/etc/hosts", "/etc/hostname", "/etc/resolv.conf"}, p.Image.Config.Volumes...)
	for _, m := range c.Mounts {
		if m.Target == "" || strings.Contains(m.Target, "$") {
			return nil // it may be anywhere
		}
		free = append(free, m.Target, strings.Replace(m.Target, "/var/run", "/run", 1))
	}
	return slices.DeleteFunc(slices.Clone(launch.Fact.Of(p).Writes), func(w launch.Write) bool {
		return slices.ContainsFunc(free, func(dir string) bool { return inside(w.Path, dir) })
	})
}

// places are what has to be writable: directories, but for files beside those of the
// distribution.
func places(p *scan.Pass, written []launch.Write) []string {
	var out []string
	for _, w := range written {
		at := w.Path
		if f := p.Image.Lookup(at); w.Command != "mkdir" && (f == nil || !f.Mode.IsDir()) {
			if dir := path.Dir(at); dir != "/etc" && !systemDirectory(dir) {
				at = dir
			}
		}
		if !slices.ContainsFunc(out, func(dir string) bool { return inside(at, dir) }) {
			out = append(out, at)
		}
	}
	return out
}
