package rules

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var _ = register(&scan.Rule{
	ID: "SBX107", Name: "source-archive", Step: scan.Bytecode, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{540, 527},
	Title: "first-party source is in the image in another shape than .py files",
	Many:  "%d files hold first-party source in another shape",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{python.Fact, sourceMaps},
	Run: func(p *scan.Pass) {
		s := shapes{p, python.Fact.Of(p)}
		s.archives()
		s.repositories()
		s.documents()
		s.editables()
		s.builds()
	},
})

// sourceMaps finds the maps of JavaScript that hold the sources themselves (ECMA-426,
// "sourcesContent").
var sourceMaps = &image.Probe[bool]{
	Name: "source-map", Version: 1, Needles: []string{`"sourcesContent"`},
	Want: func(e image.Entry) bool { return strings.HasSuffix(e.Path, ".js.map") },
	Read: func(image.Entry, []byte) (bool, bool) { return true, true },
}

// shapes looks for source in all shapes but the plain one.
type shapes struct {
	*scan.Pass
	inv *python.Inventory
}

// unkept reports whether the instruction that stores f may itself remove it again,
// and claims so.
func (s shapes) unkept(f *image.File) bool {
	if f.Fate.How != image.Perhaps || f.Fate.By != f.Layer {
		return false
	}
	s.Unknownf(s.At(f), "whether this layer keeps %s is not known: its own command may remove it", f.Path)
	return true
}

// report tells of f, and what became of it.
func (s shapes) report(f *image.File, format string, args ...any) *scan.Finding {
	what := fmt.Sprintf(format, args...)
	by := s.AtLayer(f.Fate.By)
	switch f.Fate.How {
	case image.Deleted:
		return s.Reportf(s.At(f), "%s; a later layer deletes it, but it can still be read from this one", what).Notef(by, "deleted here, too late")
	case image.Replaced:
		return s.Reportf(s.At(f), "%s; a later layer replaces it, but it can still be read from this one", what).Notef(by, "replaced here, too late")
	case image.Perhaps:
		return s.Reportf(s.At(f), "%s; it stays in this layer, whatever the later commands do to it", what).Notef(by, "may be removed here, too late")
	}
	return s.Reportf(s.At(f), "%s", what)
}

func (s shapes) archives() {
	for _, a := range s.inv.Archives() {
		if a.Class != python.FirstParty || a.Sources == 0 || s.unkept(a.File) {
			continue
		}
		atLeast := ""
		if a.Partial {
			atLeast = "at least "
		}
		found := s.report(a.File, "%s holds Python source (files: %s%d)", a.File.Path, atLeast, a.Sources)
		if a.First != "" {
			found.Notef(scan.Location{}, "%s is one of them", a.First)
		}
	}
}

// repositories looks for the history of version control: a HEAD and objects, in a .git
// or in a bare repository, which is called so by its extension.
func (s shapes) repositories() {
	objects := map[string]bool{} // repositories that hold any
	for f := range s.Image.Files() {
		if i := strings.Index(f.Path, ".git/objects/"); i >= 0 && f.Mode.IsRegular() {
			objects[f.Path[:i]+".git"] = true
		}
	}
	for f := range s.Image.Files() {
		dir := path.Dir(f.Path)
		if path.Base(f.Path) != "HEAD" || !objects[dir] || !f.Mode.IsRegular() || cloned.MatchString(dir) {
			continue
		}
		if class, _ := s.inv.Whose(f); class == python.FirstParty && !s.unkept(f) {
			s.report(f, "%s is a Git repository with objects", dir).Notef(scan.Location{}, "a repository holds every version of every file that was ever committed")
		}
	}
}

// cloned are the repositories that tools make of what is public: of themselves, of
// their plugins and of the index of a registry.
var cloned = regexp.MustCompile(`/(\.nvm|\.pyenv|\.rbenv|\.nodenv|\.goenv|\.asdf|\.oh-my-zsh|\.tfenv|\.fzf|\.sdkman|\.cargo|\.cache|cargo/registry)/`)

// documents looks for notebooks and source maps.
func (s shapes) documents() {
	for f := range s.Image.Files() {
		_, mapped := sourceMaps.Of(f)
		notebook := path.Ext(f.Path) == ".ipynb" && f.Mode.IsRegular() && f.Size > 0
		if !mapped && !notebook || strings.Contains(f.Path, "/node_modules/") {
			continue
		}
		if class, _ := s.inv.Whose(f); class != python.FirstParty || s.unkept(f) {
			continue
		}
		if mapped {
			s.report(f, "%s is a source map with sources in it", f.Path).Notef(scan.Location{}, "a source map can hold the sources of its script in full")
		} else {
			s.report(f, "%s is a notebook", f.Path).Notef(scan.Location{}, "the cells of a notebook are source")
		}
	}
}

// editables looks for distributions that run from a source tree which is there.
func (s shapes) editables() {
	all := s.inv.Editables()
	trees := map[string][]*image.File{}
	for _, e := range all {
		trees[e.Tree] = nil
	}
	s.below(trees, func(f *image.File) bool { return s.inv.Class(f) == python.FirstParty })
	for _, e := range all {
		n := 0
		for _, f := range trees[e.Tree] {
			if f.Span().Overlaps(e.File.Span()) {
				n++
			}
		}
		if n > 0 && !s.unkept(e.File) {
			s.report(e.File, "%s is installed in editable mode", e.Name).Notef(scan.Location{}, "it runs from the source in %s (files: %d)", e.Tree, n)
		}
	}
}

// builds looks for what installing from a directory leaves beside what it installs.
func (s shapes) builds() {
	all := s.inv.Builds()
	lists := map[string][]*image.File{}
	for _, b := range all {
		lists[b.Tree] = nil
	}
	s.below(lists, func(f *image.File) bool {
		dir, base := path.Split(f.Path)
		return base == "SOURCES.txt" && path.Ext(path.Clean(dir)) == ".egg-info"
	})
	for _, b := range all {
		if s.unkept(b.Sources[0]) {
			continue
		}
		found := s.report(b.Sources[0], "%s/build holds copies of source that a build left (files: %d)", b.Tree, len(b.Sources))
		for _, f := range lists[b.Tree] {
			found.Notef(s.At(f), "the build's list of them")
		}
	}
}

// below collects the files that are wanted, by the nearest of trees that they lie in.
func (s shapes) below(trees map[string][]*image.File, want func(*image.File) bool) {
	if len(trees) == 0 {
		return
	}
	for f := range s.Image.Files() {
		if !want(f) {
			continue
		}
		for dir := path.Dir(f.Path); dir != "/"; dir = path.Dir(dir) {
			if _, ok := trees[dir]; ok {
				trees[dir] = append(trees[dir], f)
				break
			}
		}
	}
}
