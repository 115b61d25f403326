// Package bake reads bake files, which name the builds of a project: docker-bake.hcl
// and docker-bake.json (buildx, docs/bake-reference). It evaluates what says which
// Dockerfile is built, with which context, stage, arguments and platforms: variables with
// the environment's values, inherits, groups, matrices, functions of the file's own and
// the usual ones on text and lists. What it does not know, such as "for" and references
// to other blocks, is an error of the target that needs it, with its line. It reads no
// other file, and its cost is bounded on any input.
package bake

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

// A Target is one build that a bake file names.
type Target struct {
	Name       string
	Line       int
	Context    string // directory as written, or a URL; "." if the file does not say
	Dockerfile string // below the context; "Dockerfile" if the file does not say
	Inline     string // the Dockerfile itself; empty if it is in a file
	Stage      string // the last if empty
	Args       map[string]string
	Platforms  []string
	Tags       []string // names that the image gets, as far as they are known
}

// A File is a bake file.
type File struct {
	path      string
	variables map[string]*variable
	functions map[string]*procedure
	groups    map[string]*block
	targets   map[string]*block
	order     []string // of targets
	getenv    func(string) string
}

// A block is a target or group: attributes by name. Blocks of one name count as one,
// the later attributes first.
type block struct {
	line  int
	attrs map[string]expression
}

// IsBake reports whether a file of that name is a bake file by its name.
func IsBake(name string) bool {
	base := strings.ToLower(filepath.Base(name))
	return strings.HasPrefix(base, "docker-bake.") && (strings.HasSuffix(base, ".hcl") || strings.HasSuffix(base, ".json"))
}

// Read reads a bake file; path is recorded, and its extension says whether it is HCL
// or JSON. Variables take the values that getenv gives.
func Read(path string, text []byte, getenv func(string) string) (*File, error) {
	f := &File{
		path: path, getenv: getenv, variables: map[string]*variable{}, functions: map[string]*procedure{},
		groups: map[string]*block{}, targets: map[string]*block{},
	}
	read := f.readHCL
	if strings.EqualFold(filepath.Ext(path), ".json") {
		read = f.readJSON
	}
	if err := affordable(text); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if err := read(text); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if len(f.targets) == 0 {
		return nil, fmt.Errorf("reading %s: it names no target", path)
	}
	return f, nil
}

// Targets returns what building a name builds, a group or a target. Without one it is
// "default", as for bake, or if there is no such, every target that no other one
// inherits from.
func (f *File) Targets(name string) ([]Target, error) {
	var names []string
	var err error
	switch {
	case name != "":
		names, err = f.members(name, nil)
	case f.groups["default"] != nil || f.targets["default"] != nil:
		names, err = f.members("default", nil)
	default:
		names = f.leaves()
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.path, err)
	}
	var out []Target
	for _, n := range names {
		targets, err := f.target(n)
		if err != nil {
			return nil, fmt.Errorf("reading target %s of %s: %w", n, f.path, err)
		}
		out = append(out, targets...)
	}
	if len(out) > maxTargets {
		return nil, fmt.Errorf("reading %s: it names over %d targets", f.path, maxTargets)
	}
	return out, nil
}

// members returns the targets of a group or target, each once.
func (f *File) members(name string, within []string) ([]string, error) {
	g := f.groups[name]
	switch {
	case g == nil && f.targets[name] != nil:
		return []string{name}, nil
	case g == nil:
		return nil, &absent{name, suggest.Nearest(name, f.order)}
	case slices.Contains(within, name) || len(within) > maxDepth:
		return nil, fmt.Errorf("line %d: group %s holds itself", g.line, name)
	}
	s := f.scope(nil)
	list, err := s.list(g.attrs["targets"])
	if err != nil {
		return nil, err
	}
	var out []string
	for _, n := range list {
		all, err := f.members(n, append(within, name))
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
		if len(out) > maxTargets {
			return nil, errors.New("its groups hold too many targets")
		}
	}
	return out, nil
}

// leaves returns the targets that are not there only to be inherited from.
func (f *File) leaves() []string {
	parents := map[string]bool{}
	s := f.scope(nil)
	for _, n := range f.order {
		list, err := s.list(f.targets[n].attrs["inherits"])
		if err != nil {
			continue // a matrix may decide it; told with the target
		}
		for _, p := range list {
			parents[p] = true
		}
	}
	var out []string
	for _, n := range f.order {
		if !parents[n] {
			out = append(out, n)
		}
	}
	return out
}

// absent is the error of a target that is not there.
type absent struct{ name, near string }

func (a *absent) Error() string { return fmt.Sprintf("it has no target or group %q", a.name) }

// Hint says what may have been meant.
func (a *absent) Hint() string {
	if a.near == "" {
		return ""
	}
	return "did you mean " + a.near + "?"
}

// What a bake file may cost, far above what projects need.
const (
	maxBytes   = 128 << 10
	maxNesting = 50
	maxDepth   = 50  // of variables, groups and parents within each other
	maxTargets = 200 // after matrices
	maxText    = 4 << 10
)
