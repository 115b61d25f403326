package secret

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// An Allow says that some credentials may stand where they do. What it leaves empty
// matches all; of what it sets, all must match.
type Allow struct {
	Rule   string // id of the rule that found it: "SBX304"
	Path   string // glob of paths in the image or the context; "**" matches any directories
	Name   string // glob of names of variables, options or fields, in any case
	ID     string // what ID.String returns under a configured key
	Reason string // why; shown where a report counts what was allowed
}

// Validate returns what is wrong with a, or nil: it needs a reason, something besides
// the rule that it is about, and globs of the form of path.Match.
func (a Allow) Validate() error {
	switch {
	case strings.TrimSpace(a.Reason) == "":
		return errors.New("reading an allowed secret: it has no reason; write why it may stay")
	case a.Path == "" && a.Name == "" && a.ID == "":
		return errors.New("reading an allowed secret: it has no path, name or identity; a rule as a whole is ignored elsewhere")
	case a.ID != "" && len(a.ID) != 2*len(ID{}):
		return fmt.Errorf("reading an allowed secret: its identity has %d characters, not %d; copy it whole from a report", len(a.ID), 2*len(ID{}))
	}
	for _, glob := range []string{a.Path, a.Name} {
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("reading an allowed secret: glob %q: %w", glob, err)
		}
	}
	return nil
}

// A Sighting is one place where a rule found a credential.
type Sighting struct {
	Rule string
	Path string // of the file, without a leading "/"; empty outside files
	Name string // that the credential stands under; empty if none
	ID   ID
}

// Allows reports whether a matches s.
func (a Allow) Allows(s Sighting) bool {
	return (a.Rule == "" || a.Rule == s.Rule) &&
		(a.Path == "" || matchPath(strings.Split(strings.Trim(a.Path, "/"), "/"), strings.Split(strings.Trim(s.Path, "/"), "/"))) &&
		(a.Name == "" || matches(strings.ToLower(a.Name), strings.ToLower(s.Name))) &&
		(a.ID == "" || strings.EqualFold(a.ID, s.ID.String()))
}

// Allowed returns the first of list that matches s, and whether one does.
func Allowed(list []Allow, s Sighting) (Allow, bool) {
	for _, a := range list {
		if a.Allows(s) {
			return a, true
		}
	}
	return Allow{}, false
}

// matchPath matches a path with a glob, both by their segments. It takes the time of
// their product: what stands before the last "**" is matched once.
func matchPath(glob, segments []string) bool {
	back, at := -1, 0 // where the last "**" is, and what it has taken so far
	g, s := 0, 0
	for s < len(segments) {
		switch {
		case g < len(glob) && glob[g] == "**":
			back, at = g, s
			g++
		case g < len(glob) && matches(glob[g], segments[s]):
			g++
			s++
		case back >= 0:
			at++
			g, s = back+1, at
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == "**" {
		g++
	}
	return g == len(glob)
}

func matches(glob, s string) bool {
	ok, err := path.Match(glob, s)
	return ok && err == nil
}
