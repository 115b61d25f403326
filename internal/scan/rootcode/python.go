package rootcode

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var interpreter = regexp.MustCompile(`^(python|pypy)[0-9.]*$`)

// A pythonCall is how Python is started (Python, "Command line and environment").
type pythonCall struct {
	isolated, safe, noEnv, noUser bool
	script                        string // empty for -m and -c, which import from the working directory
}

func parseCall(argv []string) pythonCall {
	var c pythonCall
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		if !strings.HasPrefix(a, "-") || a == "-" {
			c.script = a
			break
		}
		if a == "-W" || a == "-X" {
			i++
			continue
		}
		if strings.HasPrefix(a, "--") || a[1] == 'W' || a[1] == 'X' {
			continue
		}
		cluster, _, code := cutAny(a[1:], "mc")
		c.isolated = c.isolated || strings.Contains(cluster, "I")
		c.safe = c.safe || strings.Contains(cluster, "P")
		c.noEnv = c.noEnv || strings.Contains(cluster, "E")
		c.noUser = c.noUser || strings.Contains(cluster, "s")
		if code {
			break
		}
	}
	return c
}

func cutAny(s, chars string) (before, after string, found bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// python adds what an interpreter in the chain imports as root (Python, "The
// initialization of the sys.path module search path").
func (b *builder) python(l launch.Link) {
	if len(l.Argv) == 0 || !interpreter.MatchString(path.Base(l.Argv[0])) {
		return
	}
	c := parseCall(l.Argv)
	_, safe := b.cfg.Getenv("PYTHONSAFEPATH")
	first := b.abs("")
	if c.script != "" {
		p := b.abs(c.script)
		b.add(p, "the script that Python runs as root", Nothing)
		if f := b.p.Image.Lookup(p); f != nil {
			p = f.Path // Python follows the link first
		}
		first = path.Dir(p)
	}
	if !c.isolated && !c.safe && !safe {
		b.add(first, "first on Python's import path", Modules)
	}
	if value, _ := b.cfg.Getenv("PYTHONPATH"); value != "" && !c.isolated && !c.noEnv {
		for dir := range strings.SplitSeq(value, ":") {
			b.add(b.abs(dir), "a directory of PYTHONPATH", Modules)
		}
	}
	_, noUser := b.cfg.Getenv("PYTHONNOUSERSITE")
	b.sites(l, !c.isolated && !c.noUser && !noUser)
}

// sites adds the standard library and the directories of installed modules, those
// of root's home if Python looks there, and what .pth files name.
func (b *builder) sites(l launch.Link, user bool) {
	home, ok := b.cfg.Getenv("HOME")
	if !ok {
		home = "/root"
	}
	prefixes := []string{path.Dir(path.Dir(l.Argv[0])), path.Dir(path.Dir(l.Path))}
	all := python.Fact.Of(b.p).Installations()
	for _, in := range all {
		if in.Home != "" && slices.Contains(prefixes, in.Prefix) {
			prefixes = append(prefixes, path.Dir(in.Home))
		}
	}
	for _, in := range all {
		if !slices.Contains(prefixes, in.Prefix) {
			continue
		}
		name := "python" + minor(in.Version)
		if in.Lib != "" {
			b.add(in.Lib, "Python's standard library", Modules)
		}
		for _, dir := range []string{
			path.Join(in.Prefix, "lib", name, "site-packages"), path.Join(in.Prefix, "lib64", name, "site-packages"),
			path.Join(in.Prefix, "lib/python3/dist-packages"), path.Join(in.Prefix, "local/lib", name, "dist-packages"),
		} {
			b.add(dir, "where Python finds installed modules", Modules)
		}
		if user && in.Home == "" {
			b.add(path.Join(b.abs(home), ".local/lib", name, "site-packages"), "where root's Python finds modules", Modules)
		}
	}
	for f, dirs := range pathFiles.Facts(b.p.Image) {
		if !f.Live() || !b.seen[path.Dir(f.Path)] {
			continue
		}
		for dir := range strings.Lines(dirs) {
			b.add(strings.TrimSpace(dir), "put on Python's import path by "+f.Path, Modules)
		}
	}
}

// minor is the first two parts of a version.
func minor(v string) string {
	parts := strings.SplitN(v, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// pathFiles keeps the absolute directories that .pth files add, one a line (Python,
// site).
var pathFiles = &image.Probe[string]{
	Name: "python-path-file", Version: 1, Head: maxTable,
	Want: func(e image.Entry) bool { return path.Ext(e.Path) == ".pth" },
	Read: func(_ image.Entry, b []byte) (string, bool) {
		var out strings.Builder
		for line := range strings.Lines(string(b)) {
			if line = strings.TrimSpace(line); path.IsAbs(line) {
				out.WriteString(line + "\n")
			}
		}
		return out.String(), out.Len() > 0
	},
}
