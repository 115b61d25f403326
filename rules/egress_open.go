package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX508", Name: "egress-open", Step: scan.Runtime, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{923, 200},
	Title: "nothing confines outgoing traffic to the control plane",
	Many:  "%d ways lead out",
	Each:  true,
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		switch {
		case p.Manifest == nil:
			return // the checklist says that only a manifest can show it
		case p.Workload == nil:
			p.Unknownf(scan.Location{}, "no workload of the manifest looks like the sandbox: name it with --sandbox")
			return
		}
		e := p.Workload.Egress
		holes := egressHoles(p, e)
		at := inManifest(e.Evidence[0].At)
		switch e.Level {
		case manifest.Open:
			p.Reportf(at, "egress of %s is open: %s", p.Workload, e.Evidence[0].Text)
		case manifest.PublicOnly:
			p.Reportf(at, "egress of %s has metadata and private ranges blocked, and all of the internet open: %s", p.Workload, e.Evidence[0].Text).As(scan.LevelNote)
			p.Unknownf(at, "egress: %s; whether all of the internet is meant is not in the manifest", e.Level)
		case manifest.EgressUnknown:
			p.Unknownf(at, "where it can send is not known: %s", egressEvidence(e))
		default:
			if !holes {
				p.Shownf(at, "egress: %s (%s)", e.Level, egressEvidence(e))
			}
		}
	},
})

// egressHoles reports the ways past a level that confines; false if there are none.
func egressHoles(p *scan.Pass, e manifest.Egress) bool {
	if e.Level == manifest.Open {
		return true // there is nothing to get past
	}
	slight := true
	for _, h := range e.Holes {
		f := p.Reportf(inManifest(h.At), "egress of %s has a hole: %s", p.Workload, h.Text)
		if h.Slight {
			f.As(scan.LevelNote)
		}
		slight = slight && h.Slight
	}
	if len(e.Holes) > 0 && slight {
		p.Unknownf(inManifest(e.Holes[0].At), "egress: %s, but for a small hole: %s", e.Level, e.Holes[0].Text)
	}
	return len(e.Holes) > 0
}

// egressEvidence is what decides a level, in one line.
func egressEvidence(e manifest.Egress) string {
	var out []string
	for _, r := range e.Evidence {
		out = append(out, r.Text)
	}
	return few(out)
}
