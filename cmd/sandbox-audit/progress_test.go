package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

func TestProgressLineFitsTheTerminal(t *testing.T) {
	for _, tt := range []struct {
		columns int
		want    string
	}{
		{0, "judging agents/ünïcode.tar"},
		{80, "judging agents/ünïcode.tar"},
		{27, "judging agents/ünïcode.tar"},
		{26, "judging agents/ünïcode..."},
		{5, "judg"},
	} {
		p := &progress{target: "agents/ünïcode.tar", what: "judging", columns: tt.columns}
		if got := p.line(); got != tt.want {
			t.Errorf("%d columns: got %q, want %q", tt.columns, got, tt.want)
		}
	}
}

func TestProgressTellsOfLayers(t *testing.T) {
	p := &progress{target: "agent:1", what: "reading", named: map[string]*layerProgress{}}
	step := func(want string) {
		t.Helper()
		if got := p.line(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	step("opening agent:1")
	p.read("config", 1e6) // of a pipe, whose layers are known once it has passed
	p.read("layer", 2e6)
	step("reading agent:1: layer 2: 2 MB, 3 MB in all")
	src := &image.Source{Layers: []image.Blob{{Name: "a", Size: 10e6}, {Name: "b", Size: 40e6}, {Name: "c", Size: 50e6}}}
	p.open([]*image.Source{src, src}) // one layer of two images is read once
	step("reading agent:1: 0 of 3 layers, 0 of 100 MB")
	p.read("a", 3e6)
	p.read("b", 4e6)
	step("reading agent:1: 0 of 3 layers, 7 of 100 MB; layer 2: 4 of 40 MB")
	p.done("b") // one that the cache knows is done before its end
	step("reading agent:1: 1 of 3 layers, 43 of 100 MB; layer 1: 3 of 10 MB")
	p.done("a")
	p.done("c")
	p.done("unheard of")
	step("reading agent:1: 3 of 3 layers, 100 of 100 MB")
	p.turnTo("judging")
	step("judging agent:1")
	p.turnTo("reading")
	p.open([]*image.Source{{Layers: []image.Blob{{Name: "a", Size: -1}}}})
	p.read("a", 5e6)
	step("reading agent:1: 0 of 1 layers, 5 MB")
}

// TestNoProgressOffTerminals holds that nothing is written where a line can't be taken
// back, and that a nil progress does nothing.
func TestNoProgressOffTerminals(t *testing.T) {
	var stderr bytes.Buffer
	a := &audit{proc: process{stderr: &stderr, getenv: func(string) string { return "" }}}
	p := a.progress(context.Background(), &image.Scanner{}, "x")
	if p != nil {
		t.Error("there is progress on what is no terminal")
	}
	p.open(nil)
	p.read("a", 1)
	p.done("a")
	p.turnTo("judging")
	p.end()
	if stderr.Len() > 0 {
		t.Errorf("it says %q", strings.TrimSpace(stderr.String()))
	}
}
