package dockerfile

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/sandbox-audit/sandbox-audit/internal/hostile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// small are limits that keep one run of a fuzz target short.
func small() limits.Limits {
	lim := limits.Default()
	lim.DockerfileBytes = 8 << 10
	return lim
}

func addDockerfiles(f *testing.F) {
	for _, c := range hostile.Cases() {
		if in := c.Input(); len(in.Dockerfile) > 0 && len(in.Dockerfile) < 8<<10 {
			f.Add(in.Dockerfile)
		}
	}
	f.Add([]byte("FROM a AS b\nONBUILD RUN <<E\nx\nE\nCOPY --from=b <<X /x\ny\nX\n"))
}

// FuzzPrescan asks of the screen that what it lets through is cheap to parse.
func FuzzPrescan(f *testing.F) {
	addDockerfiles(f)
	f.Add([]byte("ONBUILD " + strings.Repeat("ONBUILD ", 500)))
	f.Add([]byte("RUN <<" + strings.Repeat("${a-", 900)))
	lim := small()
	const most = 64 << 20
	f.Fuzz(func(t *testing.T, b []byte) {
		text, err := decode(b, lim)
		if err != nil {
			return
		}
		s := newSource("Dockerfile", text, lim)
		lines := len(s.lines)
		s.screen()
		if len(s.lines) != lines {
			t.Fatalf("%d lines are %d", lines, len(s.lines))
		}
		if again := s.screen(); len(again) > 0 {
			t.Errorf("finds more when asked again: %v", again)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = parser.Parse(strings.NewReader(strings.Join(s.lines, "\n"))) // what it makes of it does not matter here
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > most {
			t.Errorf("%d bytes take %d to parse", len(b), n)
		}
	})
}

// FuzzDockerfile compares what is read without a problem with what BuildKit reads.
func FuzzDockerfile(f *testing.F) {
	addDockerfiles(f)
	lim := small()
	f.Fuzz(func(t *testing.T, b []byte) {
		ours, err := Parse("Dockerfile", b, lim)
		if err != nil || !utf8.Valid(b) { // what is no text is told and replaced
			return
		}
		for _, p := range ours.Problems {
			if p.Fatal {
				return
			}
		}
		res, err := parser.Parse(strings.NewReader(string(b)))
		if err != nil {
			t.Fatalf("BuildKit refuses it: %v", err)
		}
		stages, globals, err := instructions.Parse(res.AST, nil)
		if err != nil {
			t.Fatalf("BuildKit refuses it: %v", err)
		}
		if len(stages) != len(ours.Stages) || len(globals) != len(ours.Globals) {
			t.Fatalf("got %d stages and %d globals, want %d and %d", len(ours.Stages), len(ours.Globals), len(stages), len(globals))
		}
		for i, want := range stages {
			got := ours.Stages[i]
			if got.Name != strings.ToLower(want.Name) || got.Base != want.BaseName || len(got.Instrs) != len(want.Commands) {
				t.Fatalf("stage %d: got %s from %s with %d instructions, want %+v", i, got.Name, got.Base, len(got.Instrs), want)
			}
			for j, c := range want.Commands {
				if in := got.Instrs[j]; !strings.EqualFold(in.Cmd, c.Name()) || in.Span.Start != c.Location()[0].Start.Line {
					t.Fatalf("stage %d: got %s at line %d, want %s at %v", i, in.Cmd, in.Span.Start, c.Name(), c.Location())
				}
			}
		}
	})
}

// FuzzReference compares the names of references with those that registries get.
func FuzzReference(f *testing.F) {
	for _, s := range []string{
		"python", "python:3.12-slim", "docker.io/library/python", "index.docker.io/a/b:c", "localhost/a", "localhost:5000/a:b", "ghcr.io/a/b/c@sha256:" + strings.Repeat("0", 64),
		"a/b:c@sha256:" + strings.Repeat("1", 64), "docker.io/python", "A/b", "127.0.0.1/a",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := ParseRef(s)
		want, err := name.ParseReference(s)
		if err != nil {
			return
		}
		full := want.Context().Name()
		if rest, ok := strings.CutPrefix(full, "index.docker.io/"); ok {
			full = "docker.io/" + rest
		}
		if got.Name != full {
			t.Errorf("%q: got %s, want %s", s, got.Name, full)
		}
		switch w := want.(type) {
		case name.Tag:
			if got.Tag != w.TagStr() && (got.Tag != "" || w.TagStr() != name.DefaultTag) {
				t.Errorf("%q: got tag %s, want %s", s, got.Tag, w.TagStr())
			}
		case name.Digest:
			if got.Digest != w.DigestStr() {
				t.Errorf("%q: got digest %s, want %s", s, got.Digest, w.DigestStr())
			}
		}
	})
}
