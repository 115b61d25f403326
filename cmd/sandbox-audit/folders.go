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

// outsideBuilds says of which sandboxes the Dockerfile or its context is not read.
func (a *audit) outsideBuilds(m *manifest.Manifest) []manifest.Problem {
	var out []manifest.Problem
	for _, w := range m.Sandboxes() {
		for _, c := range w.Sandboxed() {
			if b := c.Build; b.Given && !b.Inline && !remote(b.Context) && a.outside(a.overridden(composed(c))) {
				out = append(out, manifest.Problem{
					At:   b.At,
					What: fmt.Sprintf("what %s is built from is outside of the project's folder and is not read", w),
					Hint: "give the image, or name the folder as a target too",
				})
			}
		}
	}
	return out
}
