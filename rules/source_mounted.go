package rules

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX517", Name: "source-mounted", Step: scan.Runtime, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{540, 732},
	Title: "a mount over the code directory puts sources back, or code that can be changed",
	Many:  "%d mounts lie over code",
	Where: scan.InManifest,
	Needs: []scan.Need{launch.Fact},
	Run: func(p *scan.Pass) {
		dirs := codeDirectories(p)
		for _, c := range sandboxContainers(p) {
			for _, m := range c.Mounts {
				if m.Kind == manifest.Device || m.Kind == manifest.ClusterToken || m.Target == "" {
					continue
				}
				if why := overCode(p, m, dirs); why != "" {
					p.Reportf(inManifest(m.At), "%s is mounted at %s of %s: %s", mountSource(m), m.Target, running(p, c), why)
				}
			}
		}
	},
})

// codeDirectories are the directories of the programs that the image starts, and of the
// modules that these load; none if the image is not given.
func codeDirectories(p *scan.Pass) []string {
	var dirs []string
	if p.NoImage {
		return nil
	}
	l := launch.Fact.Of(p)
	for _, name := range l.Outcome.Loaded {
		dirs = append(dirs, path.Dir(name))
	}
	for _, m := range l.Outcome.Late {
		dirs = append(dirs, path.Dir(m.File))
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !strings.HasPrefix(dir, "/") || systemDirectory(dir) })
	for _, l := range l.Chain {
		if ext := path.Ext(l.Path); l.File != nil && (ext == ".pyc" || ext == ".py" || ext == ".sh" || ext == "") && !systemDirectory(path.Dir(l.Path)) {
			dirs = append(dirs, path.Dir(l.Path))
		}
		for _, word := range l.Argv {
			if f := p.Image.Lookup(word); strings.HasPrefix(word, "/") && isCode(f) && !systemDirectory(path.Dir(word)) {
				dirs = append(dirs, path.Dir(word))
			}
		}
	}
	return dirs
}

func isCode(f *image.File) bool {
	return f != nil && f.Mode.IsRegular() && (path.Ext(f.Path) == ".pyc" || path.Ext(f.Path) == ".py")
}

// systemDirectory reports whether a directory belongs to the distribution.
func systemDirectory(dir string) bool {
	switch dir {
	case "/", "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/lib", "/usr/lib":
		return true
	}
	return false
}

// codeDirectory are where images keep their code by convention.
var codeDirectory = regexp.MustCompile(`^/(app|opt(/[^/]+)?|srv(/[^/]+)?|code|src|usr/src(/[^/]+)?|usr/local/lib/python3[^/]*(/site-packages)?|.*/site-packages)(/src|/lib|/app)?$`)

// overCode says what a mount does to code; empty if it does nothing. Where all files of
// the image are known, convention does not count.
func overCode(p *scan.Pass, m manifest.Mount, dirs []string) string {
	target := path.Clean(m.Target)
	for _, d := range dirs {
		if inside(d, target) && target != "/" {
			return "it lies over " + d + ", from where the image starts its code, so what runs is no longer what was built and audited"
		}
	}
	if (m.Kind == manifest.HostPath || m.Kind == manifest.ConfigMount) && codeDirectory.MatchString(target) && !data(m.Source) && !empty(p, target) {
		return "code is there by convention, so sources come back and what runs is no longer what was built"
	}
	return ""
}

// empty reports whether the image is known to have no code in a directory.
func empty(p *scan.Pass, dir string) bool {
	if p.NoImage || p.Image.UnreadBase != "" || len(p.Image.Unseen)+len(p.Image.Installed) > 0 || !p.Image.Complete() {
		return false
	}
	for f := range p.Image.Files() {
		if ext := path.Ext(f.Path); !f.Buried() && f.Mode.IsRegular() && inside(f.Path, dir) && (f.Mode&0o111 != 0 || slices.Contains(codeEndings, ext)) {
			return false
		}
	}
	return true
}

// codeEndings are those of files that are code without a right to be executed.
var codeEndings = []string{".py", ".pyc", ".js", ".mjs", ".cjs", ".ts", ".rb", ".php", ".pl", ".lua", ".jar", ".class", ".so", ".wasm", ".sh"}

// data reports whether a path on the host is for what programs work on, by its name.
func data(source string) bool {
	switch path.Base(source) {
	case "data", "workspace", "workspaces", "work", "output", "outputs", "logs", "cache", "tmp", "uploads", "results", "artifacts":
		return true
	}
	return false
}

func mountSource(m manifest.Mount) string {
	switch {
	case m.Kind == manifest.HostPath:
		return m.Source + " of the host"
	case m.Kind == manifest.Volume && m.Source != "":
		return "volume " + m.Source
	case m.Source != "":
		return m.Source
	}
	return "an empty directory"
}
