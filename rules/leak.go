package rules

import (
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
)

// samePlaces is how many other places of a credential a finding names.
const samePlaces = 4

// also tells where else the value of a reported credential lies, and names it under the
// user's key.
func also(f *scan.Finding, l leak.Leak) {
	if id := l[0].ID; id != "" {
		f.Values = []string{id}
	}
	rest := l[1:]
	for i, p := range rest {
		if i == samePlaces {
			f.Notef(scan.Location{}, "and in %d more places", len(rest)-i)
			return
		}
		f.Notef(p.At, "the same value %s", lies(p))
	}
}

// lies says where a value is.
func lies(c leak.Place) string {
	_, name, _ := strings.Cut(c.At.Field, ".")
	switch {
	case c.At.File != nil && c.Member != "":
		return fmt.Sprintf("lies in %s in %s", c.Member, c.At.Path)
	case c.At.File != nil:
		return "lies in " + c.At.Path
	case c.Past:
		return "was that of " + name
	case c.Where == leak.InEnv:
		return "is that of " + name
	case c.Where == leak.InBuildArg:
		return "is that of ARG " + name
	}
	return "stands in " + holder(c.At)
}

// unset takes a variable out of the instruction that sets it.
func unset(p *scan.Pass, at scan.Location) *scan.Fix {
	_, name, _ := strings.Cut(at.Field, ".")
	if p.Build == nil {
		return nil
	}
	return fix.Unset(p.Build, at.Source, name)
}

// holder names the instruction or setting at a place.
func holder(at scan.Location) string {
	kind, name, _ := strings.Cut(at.Field, ".")
	switch kind {
	case "":
		return "a command of the build"
	case "Labels":
		return "the label " + name
	case "OnBuild":
		return "an ONBUILD trigger"
	case "Cmd":
		return "the image's command"
	}
	return "the image's " + strings.ToLower(kind)
}

// about is what may be shown of a credential: "GitHub token, 40 characters, ghp_…".
func about(p leak.Place) string { return p.Kind + ", " + p.Shown }

// reportFile tells of a credential in a file, and what became of the file.
func reportFile(p *scan.Pass, l leak.Leak, hold string) {
	c := l[0]
	what := c.At.Path
	if c.Member != "" {
		what = fmt.Sprintf("%s in %s", c.Member, what)
	}
	if c.Name != "" {
		what = fmt.Sprintf("%s of %s", c.Name, what)
		hold = "is"
	}
	what = fmt.Sprintf("%s %s a secret (%s): %s", what, hold, about(c), c.Reason)
	by := p.AtLayer(c.At.File.Fate.By)
	var f *scan.Finding
	switch c.At.File.Fate.How {
	case image.Deleted:
		f = p.Reportf(c.At, "%s; a later layer deletes the file, but it can still be read from this one", what).Notef(by, "deleted here, too late")
	case image.Replaced:
		f = p.Reportf(c.At, "%s; a later layer replaces the file, but it can still be read from this one", what).Notef(by, "replaced here, too late")
	case image.Perhaps:
		f = p.Reportf(c.At, "%s; the file stays in this layer, whatever later commands do to it", what).Notef(by, "may be removed here, too late")
	default:
		f = p.Reportf(c.At, "%s; whoever can pull the image, and every process that may read the file, has it", what)
	}
	also(f, l)
}

// allRead reports whether all files were there to be searched, and claims what is
// missing if not.
func allRead(p *scan.Pass) bool {
	if p.Image.UnreadBase != "" || len(p.Image.Unseen)+len(p.Image.Installed) > 0 {
		return allFilesKnown(p)
	}
	return true
}
