package python

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
)

// Class returns whose source f is.
func (inv *Inventory) Class(f *image.File) Class {
	c, _ := inv.classify(f)
	return c
}

// Why says by what the class of f was told: "listed by requests 2.32.0, installed
// from an index". Empty for what is no Python source.
func (inv *Inventory) Why(f *image.File) string {
	_, why := inv.classify(f)
	return why
}

// classify asks the most exact sources first. A package manager's word counts for
// more than RECORD: packages of a distribution are built from local directories.
func (inv *Inventory) classify(f *image.File) (Class, string) {
	if !isSource(f) {
		return NotPython, ""
	}
	return inv.at(f.Path, f)
}

// Whose returns the class of a file that is no source itself, and by what it was
// told: bytecode is whose its source is or was, an archive that is named after a
// distribution, such as a wheel, whose that distribution is, and anything else
// whose a source at its path would be.
func (inv *Inventory) Whose(f *image.File) (Class, string) {
	source, bytecode := packages.SourceOf(f.Path)
	if !bytecode {
		return inv.archive(f)
	}
	if o, ok := inv.owners.OfFile(f); ok {
		return ofOwner(o)
	}
	return inv.at(source, f)
}

func ofOwner(o packages.Owner) (Class, string) {
	if o.Distribution() {
		return Distribution, "of the " + o.Manager + " package " + o.Package
	}
	return ThirdParty, "of " + o.Package + " (" + o.Manager + ")"
}

func ofDistribution(d *distribution) (Class, string) {
	if d.origin == fromIndex {
		return ThirdParty, "of " + d.name + ", installed " + string(d.origin)
	}
	return FirstParty, "of " + d.name + ", installed " + string(d.origin)
}

// at returns whose a path is that is there while f is.
func (inv *Inventory) at(p string, f *image.File) (Class, string) {
	for _, dir := range inv.own {
		if p == dir || strings.HasPrefix(p, dir+"/") {
			return FirstParty, "below " + dir + ", which the configuration calls first-party"
		}
	}
	if o, ok := inv.owners.During(p, f); ok {
		return ofOwner(o)
	}
	if inv.Standard(p) {
		return StandardLibrary, "of the interpreter"
	}
	if made := inv.made(p); made != "" {
		return ThirdParty, made
	}
	if d := inv.distribution(p, f); d != nil {
		return ofDistribution(d)
	}
	if inv.owners.MayOwn(p) {
		return Unattributed, "where " + inv.owners.Unread + " packages put files"
	}
	if s, ok := scripts.Of(f); ok && s.egg != "" {
		return inv.entryPoint(s.egg)
	}
	return FirstParty, "nothing that was installed lists it"
}

// distribution returns the distribution that lists p, or whose module p is part of,
// and that was there with f; nil if there is none. If several do, one that is
// first-party says more.
func (inv *Inventory) distribution(p string, f *image.File) *distribution {
	var found *distribution
	for _, d := range slices.Concat(inv.listed[p], inv.named[module(p)]) {
		if d.span.Overlaps(f.Span()) && (found == nil || found.origin == fromIndex) {
			found = d
		}
	}
	return found
}

// module returns the path, without extension, of the top-level module in a site
// directory that p is part of; empty if it is part of none.
func module(p string) string {
	dir, rest, ok := siteDir(p)
	if !ok {
		return ""
	}
	top, _, _ := strings.Cut(rest, "/")
	return path.Join(dir, strings.TrimSuffix(top, ".py"))
}

// entryPoint classes a script that setuptools wrote for a distribution and that no
// list holds.
func (inv *Inventory) entryPoint(egg string) (Class, string) {
	if inv.editable[normalize(egg)] {
		return FirstParty, "entry point of " + egg + ", installed " + string(asEditable)
	}
	return ThirdParty, "entry point of " + egg
}

// debuggers are the sources by which compilers and interpreters teach a debugger what they make.
var debuggers = regexp.MustCompile(`/share/gcc[^/]*/python/|/share/gdb/|/lib(64|32|x32)?/([^/]+/)?[^/]+-gdb\.py$|/bin/python[0-9.]+[a-z]*-gdb\.py$`)

// made returns what tool wrote p, if its name says so and no list holds it.
func (inv *Inventory) made(p string) string {
	dir, base := path.Split(p)
	_, rest, site := siteDir(p)
	switch {
	case (strings.Contains(p, "/share/g") || strings.HasSuffix(base, "-gdb.py")) && debuggers.MatchString(p): // few paths need the slow look
		return "of a compiler, for the debugger"
	case strings.HasSuffix(p, "/share/doc/node/lldb_commands.py"):
		return "of Node.js, for the debugger"
	case site && rest == "_virtualenv.py",
		base == "activate_this.py" && path.Base(dir) == "bin" && inv.venvs[path.Dir(path.Clean(dir))]:
		return "made by virtualenv"
	case site && strings.HasPrefix(rest, "__editable__") && strings.HasSuffix(rest, "_finder.py"):
		return "made by setuptools for an editable install"
	}
	return ""
}
