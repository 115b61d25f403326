package python

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// An Editable is a distribution that runs from a source tree of the image ("pip
// install -e", "setup.py develop").
type Editable struct {
	Name string      // as its metadata says: "agent"
	File *image.File // that says so, of any layer
	Tree string      // the source tree
}

// eggLinks reads the directory that "setup.py develop" links to: the first line.
var eggLinks = &image.Probe[string]{
	Name: "python-egg-link", Version: 1, Head: 4 << 10,
	Want: func(e image.Entry) bool { return path.Ext(e.Path) == ".egg-link" },
	Read: func(_ image.Entry, b []byte) (string, bool) {
		line, _, _ := strings.Cut(string(b), "\n")
		line = strings.TrimSpace(line)
		return path.Clean(line), path.IsAbs(line)
	},
}

// Editables returns the editable installs of every layer, oldest first.
func (inv *Inventory) Editables() []Editable { return inv.editables }

func (inv *Inventory) linked() {
	for f := range inv.img.Files() {
		if d, ok := directURLs.Of(f); ok && d.origin == asEditable && d.path != "" {
			name, _, _ := strings.Cut(path.Base(path.Dir(f.Path)), "-")
			inv.editables = append(inv.editables, Editable{name, f, d.path})
		}
		if tree, ok := eggLinks.Of(f); ok {
			inv.editables = append(inv.editables, Editable{strings.TrimSuffix(path.Base(f.Path), ".egg-link"), f, tree})
		}
	}
}

// A Build is what building a distribution left in its source tree.
type Build struct {
	Tree    string        // the source tree: "/src/agent"
	Sources []*image.File // the copies in build/lib, in the order of the image
}

// Builds returns the source trees in which a build, such as that of "pip install
// ./agent", left copies of first-party sources, by path. Such an install leaves
// three: the tree, its build/lib, and what is installed.
func (inv *Inventory) Builds() []Build {
	byTree := map[string]*Build{}
	var trees []string
	for f := range inv.img.Files() {
		tree := builtIn(f.Path)
		if tree == "" || inv.Class(f) != FirstParty {
			continue
		}
		if byTree[tree] == nil {
			byTree[tree] = &Build{Tree: tree}
			trees = append(trees, tree)
		}
		byTree[tree].Sources = append(byTree[tree].Sources, f)
	}
	slices.Sort(trees)
	var out []Build
	for _, t := range trees {
		out = append(out, *byTree[t])
	}
	return out
}

// builtIn returns the tree in whose build/lib, or build/lib.PLATFORM, p lies.
func builtIn(p string) string {
	tree, rest, ok := strings.Cut(p, "/build/lib")
	if !ok || tree == "" || !strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, ".") {
		return ""
	}
	return tree
}
