package scan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// At locates a file: its path, its layer, its state and, when history can be
// traced, the Dockerfile line that put it there.
func (p *Pass) At(f *image.File) Location {
	at := p.AtLayer(f.Since().Layer)
	at.File, at.Path = f, f.Path
	if f.Layer != nil && p.trace.beside(f) {
		at.Source = dockerfile.Span{}
	}
	return at
}

// AtLayer locates a layer, by the instruction that brought or changed its files.
func (p *Pass) AtLayer(l *image.Layer) Location {
	at := Location{Layer: l}
	if l == nil {
		return at
	}
	at.Step = l.Step + 1 // 0 if there is none
	if in := p.trace.maker(l); in != nil {
		at.Source = in.Span
	}
	return at
}

// AtInstr locates a Dockerfile instruction.
func (p *Pass) AtInstr(in *dockerfile.Instr) Location {
	if in == nil {
		return Location{}
	}
	return Location{Source: in.Span}
}

// AtStep locates a history entry, by its index in Image.Steps.
func (p *Pass) AtStep(i int) Location {
	return Location{Step: i + 1, Layer: p.Image.Steps[i].Layer, Source: p.trace.span(i)}
}

// AtField locates a setting of the image config by what it is called there:
// "User", or "Env.NAME", "Labels.NAME", "ExposedPorts.22/tcp" for one of many. It
// is the last instruction that set it, in the Dockerfile or in the history. If the
// base image brought the setting it is the FROM; if the Dockerfile sets something
// else, or what set it is gone from there, no line is named.
//
// What the manifest sets is there.
func (p *Pass) AtField(field string) Location {
	if at, ok := p.set[field]; ok {
		return AtManifest(at)
	}
	at := Location{Field: field}
	in, step := p.trace.setter(field), p.trace.step(field)
	at.Step = step + 1
	switch {
	case in != nil && p.trace.agrees(field):
		at.Source = in.Span
	case !p.trace.span(step).IsZero():
		at.Source = p.trace.span(step)
	case in == nil && p.Build != nil && p.Build.From != nil && p.trace.inherited(step):
		at.Source = p.Build.From.Span
	}
	return at
}

// String is the location as fixtures write it: "Dockerfile:2[layer 1]/etc/shadow:3".
func (l Location) String() string {
	var b strings.Builder
	if !l.Source.IsZero() {
		b.WriteString(l.Source.String())
	}
	if l.Layer != nil {
		fmt.Fprintf(&b, "[layer %d]", l.Layer.Index+1)
	} else if l.Step > 0 && l.Source.IsZero() {
		fmt.Fprintf(&b, "[step %d]", l.Step)
	}
	b.WriteString(l.Path)
	if l.Line > 0 {
		fmt.Fprintf(&b, ":%d", l.Line)
	}
	if l.Field != "" {
		fmt.Fprintf(&b, "{%s}", l.Field)
	}
	return b.String()
}

// Lines is the span of the part that the location is about, in whole lines; zero if no
// file has it.
func (l Location) Lines() dockerfile.Span {
	s := l.Source
	if !l.Focus.IsZero() {
		s.Start, s.End = l.Focus.Start.Line, l.Focus.End.Line
	}
	return s
}

// subject is what a finding is about, apart from the instruction.
func (l Location) subject() string {
	if l.Path != "" {
		return l.Path
	}
	if l.Manifest {
		return l.Field
	}
	if _, name, ok := strings.Cut(l.Field, "."); ok {
		return name
	}
	switch {
	case l.Field != "":
		return l.Field
	case !l.Source.IsZero():
		return l.Source.String()
	case l.Layer != nil:
		return fmt.Sprintf("layer %d", l.Layer.Index+1)
	}
	return "the image"
}

func (l Location) fate() image.How {
	if l.File == nil {
		return image.Live
	}
	return l.File.Fate.How
}

func (l Location) compare(m Location) int {
	layer := func(l Location) int {
		if l.Layer == nil {
			return -1
		}
		return l.Layer.Index
	}
	return cmp.Or(cmp.Compare(l.Source.Path, m.Source.Path), cmp.Compare(l.Source.Start, m.Source.Start),
		cmp.Compare(layer(l), layer(m)), cmp.Compare(l.Step, m.Step), cmp.Compare(l.Path, m.Path),
		cmp.Compare(l.Line, m.Line), cmp.Compare(l.Field, m.Field))
}

// AtProblem locates something that could not be read.
func (p *Pass) AtProblem(pr image.Problem) Location {
	at := Location{}
	if pr.Layer >= 0 && pr.Layer < len(p.Image.Layers) {
		at = p.AtLayer(p.Image.Layers[pr.Layer])
	}
	at.Path = pr.Entry
	return at
}

// Unread returns the instructions of the Dockerfile under audit that could not be
// understood.
func (p *Pass) Unread() []dockerfile.Problem {
	t := Target{Image: p.Image, Build: p.Build}
	return t.Unread()
}
