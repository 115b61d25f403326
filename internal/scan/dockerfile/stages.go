package dockerfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// target finds a stage by its name or number; the last if neither is given.
func (f *File) target(name string) (*Stage, error) {
	if name == "" {
		return f.Stages[len(f.Stages)-1], nil
	}
	var names []string
	for i := len(f.Stages) - 1; i >= 0; i-- {
		s := f.Stages[i]
		if s.Name != "" && strings.EqualFold(s.Name, name) {
			return s, nil
		}
		names = append(names, s.String())
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(f.Stages) {
		return f.Stages[i], nil
	}
	const shown = 20
	list := strings.Join(names[:min(shown, len(names))], ", ")
	if len(names) > shown {
		list += ", ..."
	}
	msg := fmt.Sprintf("%s has no stage %q; its stages, last first: %s", f.Path, name, list)
	if h := meant(name, names); h != "" {
		msg += " (" + h + ")"
	}
	return nil, errors.New(msg)
}

// before returns the stage that a name or number means in stage s: only stages
// before it count, the last of a name first.
func (f *File) before(s *Stage, name string) *Stage {
	for i := s.Index - 1; i >= 0; i-- {
		if f.Stages[i].Name != "" && f.Stages[i].Name == name {
			return f.Stages[i]
		}
	}
	return nil
}

// source returns the stage a COPY --from or RUN --mount=from of stage s means;
// nil if it is another image.
func (f *File) source(s *Stage, from string) *Stage {
	if i, err := strconv.Atoi(from); err == nil {
		if i >= 0 && i < s.Index {
			return f.Stages[i]
		}
		return nil
	}
	return f.before(s, strings.ToLower(from))
}

// chain returns the stages that s is made of, the root first, and the base of
// the root.
func (b *Build) chain(s *Stage) (stages []*Stage, base string) {
	for {
		stages = append([]*Stage{s}, stages...)
		base = b.bases[s.Index]
		parent := b.File.before(s, base)
		if parent == nil {
			return stages, base
		}
		s = parent
	}
}

// unused returns the stages that no stage needed by the target needs.
func (b *Build) unused() []*Stage {
	needed := map[*Stage]bool{}
	todo := []*Stage{b.Target}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if needed[s] {
			continue
		}
		needed[s] = true
		if parent := b.File.before(s, b.bases[s.Index]); parent != nil {
			todo = append(todo, parent)
			for _, in := range parent.Instrs {
				if in.Trigger != nil {
					todo = append(todo, b.File.sources(s, in.Trigger)...)
				}
			}
		}
		for _, in := range s.Instrs {
			todo = append(todo, b.File.sources(s, in)...)
		}
	}
	var out []*Stage
	for _, s := range b.File.Stages {
		if !needed[s] {
			out = append(out, s)
		}
	}
	return out
}

// sources returns the stages an instruction of s takes files from.
func (f *File) sources(s *Stage, in *Instr) []*Stage {
	var out []*Stage
	for _, n := range origins(in) {
		if src := f.source(s, n); src != nil {
			out = append(out, src)
		}
	}
	return out
}

// origins returns what an instruction calls the stages or images that it takes
// files from.
func origins(in *Instr) []string {
	var names []string
	switch c := in.form.(type) {
	case *instructions.CopyCommand:
		names = append(names, c.From)
	case *instructions.RunCommand:
		for _, m := range instructions.GetMounts(c) {
			names = append(names, m.From)
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "" })
}

// strays remarks on instructions that take files from a stage that is not there,
// is their own or comes later.
func (f *File) strays() []Problem {
	named := map[string]bool{}
	for _, s := range f.Stages {
		named[s.Name] = true
	}
	var out []Problem
	for _, s := range f.Stages {
		for _, in := range s.Instrs {
			for _, n := range origins(in) {
				_, err := strconv.Atoi(n)
				if f.source(s, n) == nil && (err == nil || named[strings.ToLower(n)]) {
					out = append(out, Problem{Span: in.Span, What: "it takes files from a stage that does not come before it; builders may refuse that"})
				}
			}
		}
	}
	return out
}
