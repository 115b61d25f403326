package scan

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// Predict returns the image that a build would make, as far as its Dockerfile and
// the files of its context tell. files may be nil; why then says why there is no
// context. It fails if a file of the context can't be read.
func Predict(ctx context.Context, s *image.Scanner, b *dockerfile.Build, files *dockerfile.Context, why string) (*image.Image, error) {
	return PredictOn(ctx, s, b, nil, files, why)
}

// PredictOn is Predict on a base image that was read, with the same scanner: the one
// of which b.Image is what the build sees; nil if there is none.
func PredictOn(ctx context.Context, s *image.Scanner, b *dockerfile.Build, base *Base, files *dockerfile.Context, why string) (*image.Image, error) {
	at := map[*dockerfile.Step]int{}
	var steps []image.Step
	for i, st := range b.Steps {
		at[st] = i
		steps = append(steps, image.Step{CreatedBy: strings.TrimSpace(st.Instr.Cmd + " " + strings.Join(st.Args, " "))})
	}
	var layers []image.Predicted
	for _, l := range b.Predict(files) {
		built := s.NewLayer(ctx)
		for _, ev := range l.Events {
			if err := apply(built, ev, why); err != nil {
				return nil, err
			}
		}
		layers = append(layers, image.Predicted{Content: built.Content(), Step: at[l.Step]})
	}
	switch {
	case base != nil:
		return s.AssembleOn(base.base, over(ConfigOf(b), b, base.base.Image.Config), steps, layers), nil
	case b.Base == "scratch":
		return s.Assemble(ConfigOf(b), "", steps, layers), nil
	}
	return s.Assemble(ConfigOf(b), b.Base, steps, layers), nil
}

// apply makes one predicted event happen in a layer.
func apply(l *image.Builder, ev dockerfile.Event, why string) error {
	switch ev := ev.(type) {
	case dockerfile.Add:
		return store(l, ev)
	case dockerfile.Remove:
		l.Remove(ev.Path)
	case dockerfile.Perhaps:
		l.Doubt(ev.Path)
	case dockerfile.UnknownUnder:
		if ev.Packages {
			l.Installed(ev.Path, ev.Why)
			return nil
		}
		if ev.Why == "" {
			ev.Why = why
		}
		l.Unseen(ev.Path, ev.Why)
	}
	return nil
}

func store(l *image.Builder, f dockerfile.Add) error {
	e := image.Entry{Path: f.Path, Mode: f.Mode, UID: f.UID, GID: f.GID, Size: f.Size, Link: f.Link}
	if f.User != "" {
		e.UID = -1
	}
	if f.Group != "" {
		e.GID = -1
	}
	if same, ok := f.Base.(*image.File); ok && same.Path == f.Path {
		l.AddSame(e, same)
		return nil
	}
	var body io.Reader
	switch {
	case f.Open == nil && f.Mode.IsRegular():
		e.Size = -1 // not known: it is not empty either
	case f.Open != nil:
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("predicting %s: %w", f.Path, err)
		}
		defer r.Close()
		body = r
	}
	return l.Add(e, body)
}
