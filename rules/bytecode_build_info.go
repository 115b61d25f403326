package rules

import (
	"path"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var _ = register(&scan.Rule{
	ID: "SBX106", Name: "bytecode-build-info", Step: scan.Bytecode, Level: scan.LevelNote, Severity: 2.0, CWE: []int{540},
	Title: "first-party bytecode tells where it was built, or holds docstrings",
	Many:  "%d first-party bytecode files tell more of their sources than they need to run",
	Where: scan.InImage,
	Needs: []scan.Need{python.Fact},
	Run: func(p *scan.Pass) {
		inv := python.Fact.Of(p)
		dirs := directories(p)
		clean, read := 0, 0
		for _, b := range inv.Bytecode() {
			file, docstrings, ok := b.CompiledFrom()
			if b.Class != python.FirstParty || !ok || inv.Import(b).State == python.Unused {
				continue
			}
			read++
			file = path.Clean(file)
			foreign := path.IsAbs(file) && file != b.Source && !dirs[path.Dir(file)]
			if !foreign && !docstrings {
				clean++
				continue
			}
			found := p.Reportf(p.At(b.File), "%s tells more of its source than it needs to run", b.File.Path)
			if foreign {
				found.Notef(scan.Location{}, "compiled from a source in %s, which the image does not have", path.Dir(file))
			}
			if docstrings {
				found.Notef(scan.Location{}, "docstrings are in it")
			}
		}
		if read > 0 && clean == read {
			p.Shownf(scan.Location{}, "the bytecode of %d first-party modules has no docstrings and names no path of another machine", read)
		}
	},
})

// directories returns the directories of the final file system, those that only
// files in them show included.
func directories(p *scan.Pass) map[string]bool {
	out := map[string]bool{"/": true}
	for f := range p.Image.Files() {
		if f.Buried() {
			continue
		}
		if f.Mode.IsDir() {
			out[f.Path] = true
		}
		for dir := path.Dir(f.Path); !out[dir]; dir = path.Dir(dir) {
			out[dir] = true
		}
	}
	return out
}
