package rules

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// allFilesKnown reports whether every file of the target is known, and claims what
// is missing if not.
func allFilesKnown(p *scan.Pass) bool {
	for _, u := range p.Image.Unseen {
		p.Unknownf(p.AtLayer(u.Layer), "which files land below %s is unknown: %s", u.Path, u.Why)
	}
	for _, u := range p.Image.Installed {
		p.Unknownf(p.AtLayer(u.Layer), "what the packages bring is unknown: %s", u.Why)
	}
	if p.Image.UnreadBase != "" {
		p.Unknownf(scan.Location{}, "the files of the base image %s were not read", p.Image.UnreadBase)
	}
	return len(p.Image.Unseen)+len(p.Image.Installed) == 0 && p.Image.UnreadBase == ""
}

// unseenChmods returns the last change of mode of each path that a predicted image
// does not have: a file of its base, say.
func unseenChmods(p *scan.Pass) []dockerfile.Chmod {
	if !p.Image.Predicted || p.Build == nil {
		return nil
	}
	var out []dockerfile.Chmod
	at := map[string]int{}
	for _, c := range p.Build.Chmods() {
		if i, ok := at[c.Path]; ok {
			out[i] = c
			continue
		}
		if p.Image.Lookup(c.Path) == nil {
			at[c.Path] = len(out)
			out = append(out, c)
		}
	}
	return out
}

// atPath locates a change of mode.
func atPath(p *scan.Pass, c dockerfile.Chmod) scan.Location {
	at := p.AtInstr(c.Step.Instr)
	at.Path = c.Path
	return at
}
