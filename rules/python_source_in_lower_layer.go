package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
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
		build := stages{p, map[[2]*image.Layer]*scan.Fix{}}
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
				p.Reportf(p.At(f), "%s is deleted by a later layer but can still be read from this one", f.Path).Notef(by, "deleted here, too late").Mend(build.apart(f))
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

// stages makes fixes once for each two layers.
type stages struct {
	*scan.Pass
	made map[[2]*image.Layer]*scan.Fix
}

// apart moves a COPY and what deletes a file of it to a build stage, if what is done to
// the files between is known, and stays where the COPY put them.
func (s stages) apart(f *image.File) *scan.Fix {
	if s.Build == nil || !s.Image.Predicted {
		return nil
	}
	key := [2]*image.Layer{f.Layer, f.Fate.By}
	fixed, ok := s.made[key]
	if !ok {
		fixed = s.between(f.Layer, f.Fate.By)
		s.made[key] = fixed
	}
	return fixed
}

func (s stages) between(from, to *image.Layer) *scan.Fix {
	copied, deletes := s.Build.File.Find(s.AtLayer(from).Source), s.Build.File.Find(s.AtLayer(to).Source)
	if copied == nil || deletes == nil || len(copied.Args) == 0 {
		return nil
	}
	dir := path.Clean(copied.Args[len(copied.Args)-1])
	outside := func(name string) bool { return !strings.HasPrefix(name, dir+"/") && name != dir }
	for _, l := range s.Image.Layers[from.Index+1 : to.Index+1] {
		if slices.ContainsFunc(l.Files, func(f *image.File) bool { return outside(f.Path) }) {
			return nil
		}
	}
	for _, u := range s.Image.Unseen {
		if u.Layer.Index > from.Index && u.Layer.Index <= to.Index && outside(u.Path) {
			return nil
		}
	}
	return fix.Apart(s.Build, copied, deletes)
}
