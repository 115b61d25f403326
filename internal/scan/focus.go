package scan

import (
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// A focus finds the part of an instruction that a location is about. Rules name the
// thing; where a rule knows the part better, it stays.
type focus struct {
	file    *dockerfile.File // nil if there is none
	layouts map[dockerfile.Span]*dockerfile.Layout
	instrs  map[dockerfile.Span]*dockerfile.Instr
}

func newFocus(t Target) *focus {
	f := &focus{layouts: map[dockerfile.Span]*dockerfile.Layout{}, instrs: map[dockerfile.Span]*dockerfile.Instr{}}
	if t.Build != nil {
		f.file = t.Build.File
	}
	return f
}

func (f *focus) findings(all []*Finding) {
	for _, g := range all {
		f.at(&g.At)
		f.notes(g.Notes)
		f.notes(g.Flow)
		for i := range g.Places {
			f.at(&g.Places[i])
		}
		if slices.ContainsFunc(g.Places, func(l Location) bool { return l.Focus != g.At.Focus }) {
			g.At.Focus = dockerfile.Range{} // it is about several parts
		}
	}
}

func (f *focus) notes(notes []Note) {
	for i := range notes {
		f.at(&notes[i].At)
	}
}

// at fills in the focus of a location.
func (f *focus) at(l *Location) {
	if f.file == nil || l.Source.IsZero() || l.Source.Path != f.file.Path || !l.Focus.IsZero() {
		return
	}
	in, ok := f.instrs[l.Source]
	if !ok {
		in = f.file.Find(l.Source)
		f.instrs[l.Source] = in
		if in != nil {
			f.layouts[l.Source] = f.file.Layout(in)
		}
	}
	if in != nil {
		l.Focus = part(f.layouts[l.Source], in, l)
	}
}

// part is the part of an instruction that a setting, or a file, is about.
func part(l *dockerfile.Layout, in *dockerfile.Instr, at *Location) dockerfile.Range {
	kind, name, _ := strings.Cut(at.Field, ".")
	switch want := setBy[kind]; {
	case at.Field != "" && (in.Cmd != want || in.Cmd == "HEALTHCHECK"):
		return dockerfile.Range{} // such as the FROM whose image sets it
	case kind == "Env", kind == "Labels", kind == "Args":
		return l.Pair(name)
	case kind == "ExposedPorts":
		return exposed(l, in, name)
	case kind == "Volumes":
		return l.Mention(name)
	case at.Field != "":
		return l.Args()
	case at.Path != "":
		return written(l, in, at)
	}
	return dockerfile.Range{}
}

// setBy are the instructions that set what the config has, by its name there.
var setBy = map[string]string{
	"User": "USER", "WorkingDir": "WORKDIR", "Entrypoint": "ENTRYPOINT", "Cmd": "CMD", "Healthcheck": "HEALTHCHECK", "OnBuild": "ONBUILD",
	"Env": "ENV", "Labels": "LABEL", "ExposedPorts": "EXPOSE", "Volumes": "VOLUME", "Args": "ARG",
}

func exposed(l *dockerfile.Layout, in *dockerfile.Instr, port string) dockerfile.Range {
	words := l.Words()
	i := slices.IndexFunc(in.Args, func(w string) bool { return covers(w, port) })
	if i < 0 || len(words) != len(in.Args) {
		return dockerfile.Range{}
	}
	return words[i]
}

// written is what names a file: the line of the heredoc that holds its line, if there
// is one heredoc, or else its path.
func written(l *dockerfile.Layout, in *dockerfile.Instr, at *Location) dockerfile.Range {
	if in.Cmd != "RUN" && in.Cmd != "COPY" && in.Cmd != "ADD" {
		return dockerfile.Range{}
	}
	path := l.Mention(at.Path)
	if at.Line > 0 && len(in.Heredocs) == 1 && (in.Cmd != "RUN" || before(path, in.Heredocs[0].Line)) {
		if r := l.Body(in.Heredocs[0], at.Line); !r.IsZero() {
			return r
		}
	}
	return path
}

func before(r dockerfile.Range, line int) bool { return !r.IsZero() && r.Start.Line < line }
