package rootcode

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch/imports"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// python adds what an interpreter in the chain imports as root (Python, "The
// initialization of the sys.path module search path").
func (b *builder) python(l launch.Link) {
	if len(l.Argv) == 0 || !imports.IsInterpreter(l.Argv[0]) {
		return
	}
	c := imports.Parse(shell.Known(l.Argv[1:]...))
	_, safe := b.cfg.Getenv("PYTHONSAFEPATH")
	first := b.abs("")
	if c.What == imports.File {
		p := b.abs(c.Target.Text)
		b.add(p, "the script that Python runs as root", Nothing)
		if f := b.p.Image.Lookup(p); f != nil {
			p = f.Path // Python follows the link first
		}
		first = path.Dir(p)
	}
	if !c.SafePath && !safe {
		b.add(first, "first on Python's import path", Modules)
	}
	if value, _ := b.cfg.Getenv("PYTHONPATH"); value != "" && !c.NoEnv {
		for dir := range strings.SplitSeq(value, ":") {
			b.add(b.abs(dir), "a directory of PYTHONPATH", Modules)
		}
	}
	_, noUser := b.cfg.Getenv("PYTHONNOUSERSITE")
	b.sites(l, !c.NoUserSite && !noUser)
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
	for f, lines := range imports.PathFiles.Facts(b.p.Image) {
		if !f.Live() || !b.seen[path.Dir(f.Path)] {
			continue
		}
		for dir := range strings.Lines(lines.String()) {
			b.add(strings.TrimSpace(dir), "put on Python's import path by "+f.Path, Modules)
		}
	}
}

// minor is the first two parts of a version.
func minor(v string) string {
	parts := strings.SplitN(v, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}
