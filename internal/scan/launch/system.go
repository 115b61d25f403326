package launch

import (
	"fmt"
	"iter"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch/imports"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A system is what a program meets when it is started: the image's files, users
// and environment.
type system struct {
	lookup func(path string) *image.File // follows symbolic links; nil if there is nothing
	user   func(spec string) accounts.User
	env    []string // "NAME=value"; of the same name the last counts
	vague  []string // variables of the environment whose values are not known
	dir    string   // working directory
	exact  bool     // all files are known: what is not found is not there
	base   string   // image that was not read; empty if none
	bare   bool     // the image has an entrypoint and no command
	// installed are the packages that a Dockerfile installs by name, whose files are not known.
	installed []string

	imports func(imports.Start) (imports.Module, *imports.Path)
	files   func() iter.Seq[*image.File]
	watched []string     // the variables that are watched; those that take their values come after
	session int          // how many of them the control plane sets
	first   effect.State // of the container's first process

	parsed   map[*image.File]*syntax.File
	analyses map[string]effect.Outcome
	compiled map[string]compiled
	matched  map[string][]*image.File
	searched int // how often all files were searched for a directory
}

// searchPath is the PATH of a container whose image sets none.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// find looks a program up as execvp(3) does. path is where it was found; problem
// is why it can't be executed, if that is sure.
func (s *system) find(name, dir, search string) (f *image.File, problem string) {
	if strings.Contains(name, "/") {
		return s.program(absolute(dir, name))
	}
	for _, d := range strings.Split(search, ":") {
		if d == "" || absolute(dir, d) == "" {
			continue
		}
		if f := s.lookup(path.Join(absolute(dir, d), name)); f != nil && f.Mode.IsRegular() && f.Mode&0o111 != 0 {
			return f, ""
		}
	}
	if s.exact {
		return nil, fmt.Sprintf("%s is not in the image's PATH", name)
	}
	return nil, ""
}

func (s *system) program(p string) (*image.File, string) {
	if p == "" {
		return nil, ""
	}
	f := s.lookup(p)
	switch {
	case f == nil && s.exact:
		return nil, fmt.Sprintf("%s is not in the image", p)
	case f == nil:
		return nil, ""
	case !f.Mode.IsRegular():
		return nil, fmt.Sprintf("%s is no file", p)
	case f.Mode&0o111 == 0 && s.exact:
		return nil, fmt.Sprintf("%s is not executable: the container will not start", p)
	}
	return f, ""
}

// absolute is p as seen from dir; empty if dir is not known and decides.
func absolute(dir, p string) string {
	switch {
	case strings.HasPrefix(p, "/"):
		return path.Clean(p)
	case dir == "":
		return ""
	}
	return path.Join("/", dir, p)
}

// missing says that a program that was not found may be there all the same.
func (s *system) missing(name string) string {
	if s.base != "" {
		return fmt.Sprintf("%s is not among the files that the Dockerfile brings, and the base image %s was not read", name, s.base)
	}
	return name + " is not among the files that are known"
}

// trampoline is a script without what its second line keeps the shell from: pip and
// uv write that line where the path of an interpreter does not fit in the first.
func trampoline(text string) string {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) == 4 && strings.HasPrefix(lines[1], "'''exec' ") {
		return strings.Join(lines[:3], "\n") + "\n"
	}
	return text
}

// parse returns the script in f, or why it is not known.
func (s *system) parse(f *image.File) (*syntax.File, string) {
	if p, ok := s.parsed[f]; ok {
		return p, ""
	}
	t, ok := scripts.Of(f)
	switch {
	case f.Fate.How == image.Perhaps:
		return nil, fmt.Sprintf("a command that could not be understood may have changed %s", f.Path)
	case !ok && f.Size != 0:
		return nil, fmt.Sprintf("the text of %s was not read", f.Path)
	}
	p, err := shell.Parse(trampoline(t.String()))
	if err != nil {
		return nil, err.Error()
	}
	s.parsed[f] = p
	return p, ""
}
