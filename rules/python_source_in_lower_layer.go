package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var _ = register(&scan.Rule{
	ID: "SBX102", Name: "python-source-in-lower-layer", Step: scan.Bytecode, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{540, 212},
	Title: "first-party Python source that a later layer hides is still in the image",
	Many:  "%d first-party Python sources that a later layer hides are still in this one",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{python.Fact},
	Run: func(p *scan.Pass) {
		inv := python.Fact.Of(p)
		clean := true
		for f := range p.Image.Files() {
			if f.Live() || inv.Class(f) != python.FirstParty {
				continue
			}
			clean = false
			if f.Fate.How == image.Perhaps && f.Fate.By == f.Layer {
				p.Unknownf(p.At(f), "whether this layer keeps %s is not known: its own command may remove it", f.Path)
				continue
			}
			by := p.AtLayer(f.Fate.By)
			switch f.Fate.How {
			case image.Deleted:
				p.Reportf(p.At(f), "%s is deleted by a later layer but can still be read from this one", f.Path).Notef(by, "deleted here, too late")
			case image.Replaced:
				p.Reportf(p.At(f), "%s is replaced by a later layer but can still be read from this one", f.Path).Notef(by, "replaced here, too late")
			default:
				p.Reportf(p.At(f), "%s stays in this layer, whatever the later commands do to it", f.Path).Notef(by, "may be removed here, too late")
			}
		}
		switch {
		case !clean:
		case len(p.Image.Unseen) > 0:
			p.Unknownf(scan.Location{}, "what lower layers hold is unknown where COPY brings unknown files")
		case p.Image.UnreadBase != "":
			p.Unknownf(scan.Location{}, "the layers of the base image %s were not read", p.Image.UnreadBase)
		default:
			p.Shownf(scan.Location{}, "no layer hides first-party Python source of a lower one")
		}
	},
})
