package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/access"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var _ = register(&scan.Rule{
	ID: "SBX103", Name: "bytecode-not-importable", Step: scan.Bytecode, Level: scan.LevelError, Severity: 8.0, CWE: []int{440},
	Title: "the source of a first-party module is gone and its bytecode can't be loaded",
	Many:  "%d first-party modules have no source and bytecode that can't be loaded",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{python.Fact, launch.Runtime, access.Fact},
	Run: func(p *scan.Pass) {
		inv := python.Fact.Of(p)
		t := imports{Pass: p, inv: inv, sources: deletedSources(p)}
		for _, b := range inv.Bytecode() {
			switch {
			case b.Class != python.FirstParty:
			case runs(p, b.File):
				t.judge(b.File, inv.Run(b), b)
				t.readable(b.File)
			default:
				t.judge(b.File, inv.Import(b), b)
			}
		}
		for _, a := range inv.Archives() {
			if a.Class == python.FirstParty && !a.File.Buried() {
				t.judge(a.File, inv.ImportArchive(a), nil)
			}
		}
		t.late()
		t.directories()
		t.commands()
		t.conclude()
	},
})

// imports judges the first-party bytecode of one target.
type imports struct {
	*scan.Pass
	inv     *python.Inventory
	sources map[string]*image.File // that a layer deletes, by path
	loads   int
	by      string // how the last one that loads is loaded
	open    bool   // something fails, or can't be told
	found   bool   // something fails
}

func (t *imports) judge(f *image.File, i python.Import, b *python.Bytecode) {
	switch i.State {
	case python.Loads:
		t.loads++
		t.by = i.Why
	case python.Undecided:
		t.open = true
		t.Unknownf(t.At(f), "whether %s can be loaded is not known: %s", f.Path, i.Why)
	case python.Fails:
		t.open, t.found = true, true
		found := t.Reportf(t.At(f), "%s can't be loaded, and no source is there in its place", f.Path).Notef(t.At(f), "it %s", i.Why)
		if b == nil {
			return
		}
		if b.Cached {
			compiled(t.Pass, found)
		}
		if dir := t.inv.Namespace(b); dir != "" {
			found.Notef(scan.Location{}, "importing %s itself still succeeds, as an empty namespace package: a test that only imports it passes", path.Base(dir))
		}
		if source := t.sources[b.Source]; source != nil {
			found.Notef(t.AtLayer(source.Fate.By), "the source is removed here")
		}
	}
}

// directories judges what a Dockerfile compiles to a __pycache__ under names that
// only the base's Python knows.
func (t *imports) directories() {
	for _, u := range t.Image.Unseen {
		dir := path.Dir(u.Path)
		if path.Base(u.Path) != "__pycache__" || t.inv.HasModules(dir) || t.inv.MayHoldModules(dir) {
			continue
		}
		t.open, t.found = true, true
		at := t.AtLayer(u.Layer)
		at.Path = u.Path
		found := t.Reportf(at, "the bytecode in %s can't be imported: Python looks there only while the source is there, and no source is left in %s", u.Path, dir)
		compiled(t.Pass, found)
	}
}

// commands judges what the commands of a Dockerfile alone say, where the files that
// they work on are not known.
func (t *imports) commands() {
	if !t.Image.Predicted || t.found || len(t.Image.Unseen) == 0 {
		return
	}
	for _, c := range t.Build.Compilations() {
		if c.DeletedBy == nil {
			continue
		}
		t.open = true
		t.Reportf(t.AtInstr(c.DeletedBy), "the sources in %s are deleted, and their bytecode can't be loaded: it lies in __pycache__, where Python looks only while the source is there", strings.Join(c.Paths, " ")).
			Notef(t.AtInstr(c.Instr), "%s", cached(c)).Mend(fix.Beside(t.Build, c.Instr))
	}
}

// conclude says what was shown if nothing was found and nothing is missing.
func (t *imports) conclude() {
	switch {
	case t.open:
	case t.loads > 0:
		t.Shownf(scan.Location{}, "the bytecode of %d first-party modules can be loaded: %s", t.loads, t.by)
	case len(t.Image.Unseen) > 0:
		t.Unknownf(scan.Location{}, "which bytecode there is, is not known where COPY or RUN bring unknown files")
	case t.Image.UnreadBase != "":
		t.Unknownf(scan.Location{}, "which bytecode and which Python the base image %s has is not known: it was not read", t.Image.UnreadBase)
	default:
		t.Shownf(scan.Location{}, "there is no first-party bytecode that would have to be loaded")
	}
}

// readable reports a program that the user who starts Python can't read: root-only
// bytecode needs a Python that starts as root and drops by itself.
func (t *imports) readable(f *image.File) {
	r := launch.Runtime.Of(t.Pass)
	if !r.Known || r.Assumed || t.Options.SandboxUser != "" || startsPythonAsRoot(t.Pass) {
		return
	}
	if way := access.Fact.Of(t.Pass).For(r.User).May(f.Path, access.Read); way.Answer == accounts.No {
		t.open, t.found = true, true
		t.Reportf(t.At(f), "%s can't be loaded: Python runs as %s, who can't read it", f.Path, r.User).
			Notef(r.At, "%s, before Python starts", r.Why)
	}
}

// late reports modules that are imported only after root was given up, by a user who
// can't read them.
func (t *imports) late() {
	r := launch.Runtime.Of(t.Pass)
	if !r.Known || r.Assumed || t.Options.SandboxUser != "" || !startsPythonAsRoot(t.Pass) {
		return
	}
	may := access.Fact.Of(t.Pass).For(r.User)
	for _, i := range launch.Fact.Of(t.Pass).Outcome.Late {
		f := t.Image.Lookup(i.File)
		if f == nil || path.Ext(f.Path) != ".pyc" || may.May(f.Path, access.Read).Answer != accounts.No {
			continue
		}
		t.open, t.found = true, true
		t.Reportf(t.At(f), "%s can't be loaded: it is imported only after root is given up, and %s can't read it", f.Path, r.User).
			Notef(atPlace(t.Pass, i.Place), "the import")
	}
}

// compiled adds where bytecode was sent to __pycache__.
func compiled(p *scan.Pass, f *scan.Finding) {
	if p.Build == nil {
		return
	}
	var without []dockerfile.Compilation
	for _, c := range p.Build.Compilations() {
		if !c.Beside {
			without = append(without, c)
			f.Notef(p.AtInstr(c.Instr), "%s", cached(c))
		}
	}
	if len(without) == 1 {
		f.Mend(fix.Beside(p.Build, without[0].Instr))
	}
}

func cached(c dockerfile.Compilation) string {
	if c.Module == "compileall" {
		return "compileall without -b writes to __pycache__"
	}
	return c.Module + " writes to __pycache__; only compileall -b writes beside the source"
}

// deletedSources returns the sources that are gone from the final file system.
func deletedSources(p *scan.Pass) map[string]*image.File {
	out := map[string]*image.File{}
	for f := range p.Image.Files() {
		if f.Buried() && path.Ext(f.Path) == ".py" {
			out[f.Path] = f
		}
	}
	return out
}

// runs reports whether the container's command names f: any bytecode runs as a
// script, wherever it lies.
func runs(p *scan.Pass, f *image.File) bool {
	c := p.Image.Config
	return slices.ContainsFunc(slices.Concat(c.Entrypoint, c.Cmd), func(word string) bool {
		if !path.IsAbs(word) {
			word = path.Join("/", c.WorkingDir, word)
		}
		return p.Image.Lookup(word) == f
	})
}
