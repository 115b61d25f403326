package scan

import (
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/provenance"
)

const attestedFile = `FROM debian
ENV TOKEN=new
RUN make
COPY a /b
WORKDIR /app
USER app
CMD ["bash"]
`

func buildOf(t *testing.T, text string) *dockerfile.Build {
	t.Helper()
	f, err := dockerfile.Parse("Dockerfile", []byte(text), limits.Default())
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Build("", nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// imageOf is an image with a history; what is marked with * made a layer.
func imageOf(history string) *image.Image {
	img := &image.Image{}
	for _, by := range strings.Split(history, "\n") {
		by, made := strings.CutSuffix(by, " *")
		s := image.Step{CreatedBy: by}
		if made {
			s.Layer = &image.Layer{Index: len(img.Layers), Step: len(img.Steps)}
			img.Layers = append(img.Layers, s.Layer)
		}
		img.Steps = append(img.Steps, s)
		img.Config.History = append(img.Config.History, image.History{CreatedBy: by, EmptyLayer: !made})
	}
	return img
}

func TestAttested(t *testing.T) {
	b := buildOf(t, attestedFile)
	for _, tt := range []struct {
		name  string
		lines []provenance.Lines
		want  string // the line of each layer, or an error
	}{
		{"all", []provenance.Lines{{}, {First: 3, Last: 3}, {First: 4, Last: 4}}, "0 3 4"},
		{"an ENV makes no layer", []provenance.Lines{{First: 2, Last: 2}}, "can have made layer 1"},
		{"nor does a FROM", []provenance.Lines{{}, {First: 1, Last: 1}}, "can have made layer 2"},
		{"two instructions are not one", []provenance.Lines{{First: 3, Last: 4}}, "no instruction in lines 3 to 4"},
	} {
		made, err := Attested(b, &provenance.Provenance{Layers: tt.lines})
		got := ""
		for _, in := range made {
			line := "0 "
			if in != nil {
				line = strings.TrimPrefix(in.Span.String(), "Dockerfile:") + " "
			}
			got += line
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What the provenance says counts more than the history, which here says nothing.
func TestTraceAttested(t *testing.T) {
	b := buildOf(t, attestedFile)
	img := imageOf("import *\nsomething *\nsomething else *")
	made, err := Attested(b, &provenance.Provenance{Layers: []provenance.Lines{{}, {First: 3, Last: 3}, {First: 4, Last: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	p := &Pass{Image: img, Build: b, trace: newTrace(Target{Image: img, Build: b, Made: made})}
	for i, want := range []string{"[layer 1]", "Dockerfile:3[layer 2]", "Dockerfile:4[layer 3]"} {
		if got := p.AtLayer(img.Layers[i]).String(); got != want {
			t.Errorf("layer %d: got %s, want %s", i+1, got, want)
		}
		if got := p.AtStep(i).String(); got != want {
			t.Errorf("step %d: got %s, want %s", i+1, got, want)
		}
	}
}

// A finding about a setting never gets the line of what does not set it.
func TestAtField(t *testing.T) {
	const own = "RUN /bin/sh -c make # buildkit *\nCOPY a /b # buildkit *\nWORKDIR /app *\nUSER app\nCMD [\"bash\"]"
	for _, tt := range []struct {
		name, history, field string
		config               image.Config
		want                 string
	}{
		{"set by the Dockerfile", "base *\nENV TOKEN=new\n" + own, "Env.TOKEN", image.Config{Env: []string{"TOKEN=new"}}, "Dockerfile:2{Env.TOKEN}"},
		{"set to something else before the Dockerfile changed", "base *\nENV TOKEN=old\n" + own, "Env.TOKEN", image.Config{Env: []string{"TOKEN=old"}}, "[step 2]{Env.TOKEN}"},
		{"set by a line that is gone", "base *\nENV GONE=1\nENV TOKEN=new\n" + strings.Replace(own, "make", "make x", 1), "Env.GONE", image.Config{Env: []string{"GONE=1"}}, "[step 2]{Env.GONE}"},
		{"set by the base", "base *\nENV OF_BASE=1\nENV TOKEN=new\n" + own, "Env.OF_BASE", image.Config{Env: []string{"OF_BASE=1"}}, "Dockerfile:1{Env.OF_BASE}"},
		{"a user that was mended since", strings.Replace(own, "USER app", "USER root", 1), "User", image.Config{User: "root"}, "[step 4]{User}"},
		{"the user", "ENV TOKEN=new\n" + own, "User", image.Config{User: "app"}, "Dockerfile:6{User}"},
		{"another command", own, "Cmd", image.Config{Cmd: []string{"sh"}}, "Dockerfile:7{Cmd}"},
		{"nothing in the history", "", "Volumes./x", image.Config{}, "Dockerfile:1{Volumes./x}"},
	} {
		img := imageOf(tt.history)
		tt.config.History = img.Config.History
		img.Config = tt.config
		b := buildOf(t, attestedFile)
		p := &Pass{Image: img, Build: b, trace: newTrace(Target{Image: img, Build: b})}
		if got := p.AtField(tt.field).String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Where one layer has what several instructions did, its files have no line, and
// directories of a WORKDIR none beside a RUN.
func TestAtShared(t *testing.T) {
	b := buildOf(t, "FROM debian\nRUN make\nWORKDIR /app\nCMD [\"bash\"]\n")
	img := imageOf("base *\n/bin/sh -c make\n/bin/sh -c #(nop) WORKDIR /app\n/bin/sh -c #(nop) CMD [\"bash\"] *")
	p := &Pass{Image: img, Build: b, trace: newTrace(Target{Image: img, Build: b})}
	l := img.Layers[1]
	for _, tt := range []struct {
		entry image.Entry
		want  string
	}{
		{image.Entry{Path: "/x"}, "Dockerfile:2[layer 2]/x"},
		{image.Entry{Path: "/app", Mode: 1 << 31}, "[layer 2]/app"},
	} {
		if got := p.At(&image.File{Entry: tt.entry, Layer: l}).String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
