// Package python reads the Python of an image: which interpreters it has, and
// which of its sources are whose. It also is the home of what reads bytecode. It
// promises that a source it calls first-party is neither the interpreter's, nor a
// package manager's, nor listed by a distribution that came from an index.
package python

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
)

// Fact is the Python of the target.
var Fact = &scan.Derived[*Inventory]{
	Name:  "python",
	Needs: []scan.Need{packages.Fact, scripts, venvs, records, directURLs, installedFiles, topLevels, eggLinks, headers, codes, zips, tarballs, zipApps},
	Compute: func(p *scan.Pass) *Inventory {
		return compute(p.Image, packages.Fact.Of(p), p.Options.FirstParty)
	},
}

// Class is whose a Python source is.
type Class uint8

// The classes.
const (
	NotPython       Class = iota // no Python source at all
	StandardLibrary              // the interpreter's own
	Distribution                 // of a package of dpkg, apk, pacman or conda
	ThirdParty                   // of a distribution from an index, or made by a tool
	FirstParty                   // of nobody else
	Unattributed                 // where a package manager whose database is not read puts its files

	classes
)

func (c Class) String() string {
	return [...]string{"not Python", "standard library", "distribution package", "third party", "first party", "unattributed"}[c]
}

// Inventory is the Python of an image. Buried files are classed by what was
// installed while they were there.
type Inventory struct {
	installations []Installation
	interpreters  []Interpreter
	counts        [classes]int
	roots         []string
	bytecode      []*Bytecode
	archives      []*Archive
	editables     []Editable

	img      *image.Image
	owners   *packages.Owners
	own      []string                   // directories that the user calls theirs
	lib      map[string]bool            // directories of a standard library, of any layer
	bin      map[string]bool            // directories of an interpreter's own scripts, of any layer
	venvs    map[string]bool            // prefixes of virtual environments, of any layer
	listed   map[string][]*distribution // by path of a source
	named    map[string][]*distribution // by module in a site directory: "/usr/lib/python3/dist-packages/yaml"
	origins  map[string][]*distribution // by normalized name
	editable map[string]bool            // distributions that an .egg-link installs, by normalized name
	modules  map[string]bool            // directories of the final file system that hold what imports find there
	native   map[string]bool            // paths, without extensions, of modules that are shared objects there
	sourced  map[string]bool            // those of them that hold sources which are not empty
	regular  map[string]bool            // directories that bytecode of an __init__ was made for
	ever     map[string]bool            // paths of sources, of any layer
}

func compute(img *image.Image, owners *packages.Owners, own []string) *Inventory {
	inv := &Inventory{
		img: img, owners: owners, lib: map[string]bool{}, bin: map[string]bool{}, venvs: map[string]bool{},
		listed: map[string][]*distribution{}, named: map[string][]*distribution{}, editable: map[string]bool{},
		origins: map[string][]*distribution{}, modules: map[string]bool{}, native: map[string]bool{}, sourced: map[string]bool{}, regular: map[string]bool{}, ever: map[string]bool{},
	}
	for _, dir := range own {
		inv.own = append(inv.own, path.Clean(dir))
	}
	for f := range img.Files() {
		inv.install(f)
		inv.note(f)
	}
	inv.environments(img)
	inv.interpret()
	inv.distributions(img)

	var dirs []string
	for f := range img.Files() {
		if f.Buried() {
			continue
		}
		c := inv.Class(f)
		if inv.counts[c]++; c == FirstParty {
			dirs = append(dirs, path.Dir(f.Path))
		}
	}
	inv.roots = tops(dirs)
	inv.compiled()
	inv.packed()
	inv.linked()
	return inv
}

// note remembers the paths that lists of distributions are asked about, so that
// no list makes the inventory large, and where modules are.
func (inv *Inventory) note(f *image.File) {
	if !f.Mode.IsRegular() {
		return
	}
	dir, ext := path.Dir(f.Path), path.Ext(f.Path)
	if source, ok := packages.SourceOf(f.Path); ok {
		inv.listed[source] = nil
	} else if _, zip := zipApps.Of(f); zip || isSource(f) || shipped(f.Path) {
		inv.listed[f.Path] = nil
	}
	inv.ever[f.Path] = inv.ever[f.Path] || ext == ".py"
	if f.Buried() {
		return
	}
	inv.modules[dir] = inv.modules[dir] || ext == ".py" || ext == ".so" || ext == ".pyc" && path.Base(dir) != cacheDir
	if ext == ".so" { // x.cpython-313-x86_64-linux-gnu.so
		stem, _, _ := strings.Cut(path.Base(f.Path), ".")
		inv.native[path.Join(dir, stem)] = true
	}
	inv.sourced[dir] = inv.sourced[dir] || ext == ".py" && f.Size > 0
}

// Installations returns the interpreters and virtual environments of the final
// file system, by prefix.
func (inv *Inventory) Installations() []Installation { return inv.installations }

// Counts returns how many files of the final file system are of each class.
func (inv *Inventory) Counts() [classes]int { return inv.counts }

// Roots returns the directories of the first-party sources of the final file
// system that lie in no other of them, sorted.
func (inv *Inventory) Roots() []string { return inv.roots }

// tops returns the directories that are below no other one but "/", sorted.
func tops(dirs []string) []string {
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	all := map[string]bool{}
	for _, d := range dirs {
		all[d] = true
	}
	return slices.DeleteFunc(dirs, func(d string) bool {
		for up := path.Dir(d); len(up) > 1; up = path.Dir(up) {
			if all[up] {
				return true
			}
		}
		return false
	})
}

// siteDir returns the directory of third-party modules that p lies in, and p
// relative to it; ok is false if it lies in none.
func siteDir(p string) (dir, rest string, ok bool) {
	for _, name := range []string{"/site-packages/", "/dist-packages/"} {
		if i := strings.LastIndex(p, name); i >= 0 && i+len(name)-1 > len(dir) {
			dir, rest, ok = p[:i+len(name)-1], p[i+len(name):], true
		}
	}
	return dir, rest, ok
}
