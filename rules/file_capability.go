package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/access"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
)

var _ = register(&scan.Rule{
	ID: "SBX207", Name: "file-capability", Step: scan.Privilege, Level: scan.LevelWarning, Severity: 8.0, CWE: []int{250, 269},
	Title: "a program has a capability that gives root away",
	Many:  "%d programs have capabilities that give root away",
	Where: scan.InImage, Kernel: true,
	Needs: []scan.Need{packages.Fact},
	Run: func(p *scan.Pass) {
		owners := packages.Fact.Of(p)
		var stock, perhaps []*image.File
		found := false
		for f := range p.Image.Files() {
			value := f.Xattrs[access.CapabilityXattr]
			if !f.Live() || value == "" || !f.Mode.IsRegular() {
				continue
			}
			caps, err := access.ParseCapabilities(value)
			_, shipped := owners.Shipped(f)
			switch {
			case err != nil:
				p.Unknownf(p.At(f), "what %s is capable of can't be told: %v", f.Path, err)
				found = true
			case len(caps.WorthRoot()) == 0 || f.Mode&0o111 == 0:
			case runsAnything(f.Path) == "" && shipped:
				stock = append(stock, f)
			case runsAnything(f.Path) == "" && owners.MayOwn(f.Path):
				perhaps = append(perhaps, f)
			default:
				found = true
				capable(p, f, caps)
			}
		}
		listStock(p, stock, "with capabilities, as the distribution's packages ship it")
		listStock(p, perhaps, "with capabilities, where "+owners.Unread+" packages put files")
		if len(perhaps) > 0 {
			p.Unknownf(scan.Location{}, "whether capabilities are the distribution's can't be told (%d): the %s database could not be read", len(perhaps), owners.Unread)
		}
		if !found && len(perhaps) == 0 {
			p.Shownf(scan.Location{}, "no program has a capability that gives root away%s", besides(len(stock)))
		}
	},
})

// capable reports one program.
func capable(p *scan.Pass, f *image.File, caps access.Capabilities) {
	at, all := p.At(f), strings.Join(caps.WorthRoot(), ", ")
	kind := runsAnything(f.Path)
	switch {
	case caps.Root != 0:
		p.Reportf(at, "%s has %s, which counts only where uid %d is root of the user namespace", f.Path, all, caps.Root).As(scan.LevelNote)
	case kind != "":
		p.Reportf(at, "%s has %s, and it is %s: whoever runs it can use that as they like", f.Path, all, kind).As(scan.LevelError)
	default:
		p.Reportf(at, "%s has %s: whoever runs it is a step from root", f.Path, all)
	}
}
