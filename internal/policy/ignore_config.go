package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
)

// A Scope says which findings of a rule an ignore of the configuration is about. What
// it leaves empty matches all; of what it sets, all must match.
type Scope struct {
	Path    string // a glob: of paths in the image if it starts with "/", else of files of the repository
	Layer   string // its number as reports have it, or its diff ID, of which 12 digits are enough
	Package string // that owns the file: "sudo" or "dpkg:sudo"
	Value   string // the secret's identity, as reports have it
}

// Add takes in an ignore of the configuration. Rel gives the path of a Dockerfile or
// manifest as the globs of the configuration have it. It is an error if the rule does
// not exist or the scope can't be read.
func (s *Ignores) Add(rule, reason string, until time.Time, at scan.Location, scope Scope, rel func(string) string) error {
	covers, err := scope.compile(rel)
	if err != nil {
		return err
	}
	e := s.add(&entry{Ignore: &scan.Ignore{Rule: rule, Reason: reason, Until: until, At: at}, covers: covers, holds: scope.holds(rel)})
	if e.Wrong != "" {
		return fmt.Errorf("%s; %s", e.Wrong, e.Hint)
	}
	return nil
}

type test = func(*scan.Pass, *scan.Finding) bool

func (s Scope) compile(rel func(string) string) (test, error) {
	var all []test
	if s.Path != "" {
		g, err := newGlob(s.Path)
		if err != nil {
			return nil, fmt.Errorf("path %q is no glob: %w", s.Path, err)
		}
		all = append(all, func(_ *scan.Pass, f *scan.Finding) bool {
			if g.inImage() {
				return f.At.Path != "" && g.matches(f.At.Path)
			}
			return !f.At.Source.IsZero() && g.matches(filepath.ToSlash(rel(f.At.Source.Path)))
		})
	}
	if s.Layer != "" {
		in, err := layer(s.Layer)
		if err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	if s.Package != "" {
		all = append(all, func(p *scan.Pass, f *scan.Finding) bool {
			if f.At.File == nil {
				return false
			}
			o, ok := packages.Fact.Of(p).OfFile(f.At.File)
			return ok && (s.Package == o.Package || s.Package == o.Manager+":"+o.Package)
		})
	}
	if s.Value != "" {
		all = append(all, func(_ *scan.Pass, f *scan.Finding) bool { return slices.Contains(f.Values, s.Value) })
	}
	return func(p *scan.Pass, f *scan.Finding) bool {
		return !slices.ContainsFunc(all, func(t test) bool { return !t(p, f) })
	}, nil
}

// holds reports of a target whether it has what the scope names: the Dockerfile or
// manifest, or an image for what is in one. A Dockerfile alone does not show all of that.
func (s Scope) holds(rel func(string) string) func(scan.Target) bool {
	g, _ := newGlob(s.Path) // as compile has it
	inImage, ofFile := s.Layer != "" || s.Package != "" || g.inImage(), s.Path != "" && !g.inImage()
	is := func(name string) bool { return g.matches(filepath.ToSlash(rel(name))) }
	return func(t scan.Target) bool {
		switch {
		case inImage && t.Image.Predicted:
			return false
		case !ofFile:
			return true
		}
		return t.Build != nil && is(t.Build.File.Path) ||
			t.Manifest != nil && slices.ContainsFunc(t.Manifest.Files, func(f manifest.File) bool { return is(f.Name) })
	}
}

// layer tests for a layer by its number, or by the digits of its diff ID.
func layer(name string) (test, error) {
	const leastDigits = 12
	digits, isID := strings.CutPrefix(name, "sha256:")
	n, err := strconv.Atoi(name)
	switch {
	case !isID && err == nil && n > 0 && len(name) < leastDigits:
		return func(_ *scan.Pass, f *scan.Finding) bool { return f.At.Layer != nil && f.At.Layer.Index == n-1 }, nil
	case len(digits) < leastDigits || strings.Trim(digits, "0123456789abcdef") != "":
		return nil, fmt.Errorf("layer %q is neither a number nor a diff ID, of which at least %d digits are needed", name, leastDigits)
	}
	return func(_ *scan.Pass, f *scan.Finding) bool {
		return f.At.Layer != nil && strings.HasPrefix(f.At.Layer.DiffID, "sha256:"+digits)
	}, nil
}
