package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// root keeps the folder of a target as one in which files may name others: its
// repository, or else the folder itself; of a file the working directory if it lies in
// that, or else its own folder.
func (a *audit) root(target string) {
	dir := target
	if !isDir(target) {
		dir = filepath.Dir(target)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	here, err := os.Getwd()
	switch repo := repository(abs); {
	case repo != "":
		abs = repo
	case err == nil && !isDir(target) && holds(here, abs):
		abs = here
	}
	if !slices.Contains(a.roots, abs) {
		a.roots = append(a.roots, abs)
	}
}

// holds reports whether a path is in a folder by its name.
func holds(root, path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, abs)
	return err == nil && filepath.IsLocal(rel)
}

// absolute is a path from the root on; as it is if there is no working directory.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// named is a path that a file names, as seen from a folder. It goes up by its name, not
// from where a link leads, so that what is read is what was looked at.
func named(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// followed is a path whose links are followed. What is not there is where it would be.
func followed(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rest := ""
	for abs != filepath.Dir(abs) {
		if to, err := filepath.EvalSymlinks(abs); err == nil {
			return filepath.Join(to, rest)
		}
		abs, rest = filepath.Dir(abs), filepath.Join(filepath.Base(abs), rest)
	}
	return filepath.Join(abs, rest)
}

// outside reports whether a compose or bake file builds from what is in no folder of the
// targets: a file of others does not choose what is read of this machine.
func (a *audit) outside(r recipe) bool {
	paths := []string{r.context}
	if r.context == a.context {
		paths = nil // the user named it
	}
	if r.inline == nil {
		paths = append(paths, r.file)
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		return !slices.ContainsFunc(a.roots, func(root string) bool { return holds(followed(root), followed(path)) })
	})
}

// builds are those of the sandboxes of a compose file, and what is to say of those from
// outside, which are not read.
func (a *audit) builds(m *manifest.Manifest) (inside []recipe, outside []manifest.Problem) {
	for w, c := range m.Sandboxed() {
		b := c.Build
		if !b.Given || b.Inline || remote(b.Context) {
			continue
		}
		r := a.overridden(composed(c))
		if !a.outside(r) {
			inside = append(inside, r)
			continue
		}
		outside = append(outside, manifest.Problem{
			At:   b.At,
			What: fmt.Sprintf("what %s is built from is outside of the project's folder and is not read", w),
			Hint: "give the image, or name the folder as a target too",
		})
	}
	return inside, outside
}
