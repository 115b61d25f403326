package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var _ = register(&scan.Rule{
	ID: "SBX101", Name: "python-source", Step: scan.Bytecode, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{540},
	Title: "first-party Python source is in the image",
	Many:  "%d first-party Python sources are in the image",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{python.Fact},
	Run: func(p *scan.Pass) {
		inv := python.Fact.Of(p)
		clean := true
		for f := range p.Image.Files() {
			switch {
			case f.Fate.How == image.Perhaps && inv.Class(f) == python.FirstParty:
				p.Unknownf(p.At(f), "%s may have been removed by a command that is not understood", f.Path)
				clean = false
			case !f.Live():
			case inv.Class(f) == python.FirstParty:
				p.Reportf(p.At(f), "%s is first-party Python source", f.Path)
				clean = false
			}
		}
		if clean {
			sources(p, inv)
		}
	},
})

// sources says what was shown of the sources in the final file system, and what
// could not be.
func sources(p *scan.Pass, inv *python.Inventory) {
	n := inv.Counts()
	switch {
	case n[python.Unattributed] > 0:
		p.Unknownf(scan.Location{}, "%d Python sources lie where packages of the distribution do, and its database could not be read", n[python.Unattributed])
	case len(p.Image.Unseen) > 0:
		for _, u := range p.Image.Unseen {
			p.Unknownf(p.AtLayer(u.Layer), "which files land below %s is unknown: %s", u.Path, u.Why)
		}
	case p.Image.UnreadBase != "":
		p.Unknownf(scan.Location{}, "the files of the base image %s were not read", p.Image.UnreadBase)
	default:
		p.Shownf(scan.Location{}, "no first-party Python source: %d files of the standard library, %d of distribution packages, %d of third-party packages",
			n[python.StandardLibrary], n[python.Distribution], n[python.ThirdParty])
	}
}
