package dockerfile

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// baseImage is an image for FROM base:1.
func baseImage() *BaseImage {
	file := func(p string, mode fs.FileMode, link string) Add {
		return Add{Path: p, Mode: mode, Link: link, Size: 3, Base: p}
	}
	return &BaseImage{
		User: "app", WorkingDir: "/srv", Env: []string{"PATH=/opt/bin", "HOME_DIR=/srv/home", "EMPTY="}, Shell: []string{"/bin/bash", "-c"}, Whole: true,
		Files: []Add{
			file("/srv", fs.ModeDir|0o755, ""), file("/srv/old.py", 0o644, ""), file("/srv/lib", fs.ModeDir|0o755, ""), file("/srv/lib/x.py", 0o600, ""),
			file("/usr/bin", fs.ModeDir|0o755, ""), file("/usr/bin/python3.11", 0o755, ""), file("/usr/bin/python3", fs.ModeSymlink|0o777, "python3.11"),
		},
	}
}

func buildOn(t *testing.T, text string, img *BaseImage) *Build {
	t.Helper()
	var images BaseImages
	images.Add("base:1", img)
	b, err := parse(t, text).BuildOn("", nil, images)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBuildOnBaseImage(t *testing.T) {
	img := baseImage()
	img.OnBuild = []string{"ENV FROM_TRIGGER=$HOME_DIR", "nonsense here", "USER 5"}
	b := buildOn(t, "FROM docker.io/library/base:1\nENV P=$PATH:/x E=${EMPTY:-none}\nWORKDIR sub\nRUN x\n", img)
	agree(t, `
		base docker.io/library/base:1 true
		1 user 5 true
		3 dir /srv/sub true
		1 env FROM_TRIGGER=/srv/home true
		2 env P=/opt/bin:/x true
		2 env E=none true`, effect(b))
	if s := b.Steps[len(b.Steps)-1]; s.User != "5" || s.Dir != "/srv/sub" || s.Shell[0] != "/bin/bash" {
		t.Errorf("the RUN has user %q, directory %q and shell %q", s.User, s.Dir, s.Shell)
	}
	if b := buildOn(t, "FROM base:1\nRUN x\n", baseImage()); b.User != nil || b.Steps[0].User != "app" {
		t.Errorf("the base's user is %v for the build and %q for its RUN", b.User, b.Steps[0].User)
	}
}

func TestPredictOnBaseImage(t *testing.T) {
	ctx := contextOf(t, app...)
	for _, tt := range []struct{ name, in, want string }{
		{"removal, by pattern", "USER 0\nRUN rm /srv/*.py\n", "3 -/srv/old.py"},
		{"change of mode keeps what the base has", "USER 0\nRUN chmod -R go= lib\n", "\n3 +/srv/lib/ 700\n3 +/srv/lib/x.py <unknown> 600"},
		{"writing loses it", "USER 0\nRUN echo x > old.py\n", "3 +/srv/old.py \"x\\n\""},
		{"a copy is the user's, and nobody knows its content", "USER 0\nRUN cp old.py new.py\n", "3 +/srv/new.py <unknown>"},
		{"the Python of the base", "USER 0\nCOPY run.sh a.py\nRUN python3 -m compileall /srv/a.py\n", `
			3 +/srv/a.py "run.sh"
			4 +/srv/__pycache__/
			4 +/srv/__pycache__/a.cpython-311.pyc <unknown>`},
		{"a directory that is there", "WORKDIR /srv/lib\nWORKDIR /new\n", "3 +/new/ app0:app0"},
		{"files of another stage", "FROM scratch\nCOPY --from=0 /srv/lib /l\nCOPY --from=base:1 /srv/*.py /m/\nCOPY --from=base:1 /none /n\n", `
			3 +/l/
			3 +/l/x.py <unknown> 600
			4 +/m/old.py <unknown>
			5 */n`},
		{"packages bring files", "USER 0\nRUN apt-get update && apt-get install -y x && npm ci\n", "3 */\n3 */"},
		{"links that were there", "USER 0\nRUN rm /usr/bin/python3 && ln -s /srv /s && rm /s/old.py\n", "\n3 -/srv/old.py\n3 -/usr/bin/python3\n3 +/s -> /srv"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := told(t, buildOn(t, "FROM base:1\n"+tt.in, baseImage()).Predict(ctx))
			agree(t, tt.want, got)
		})
	}
}

// TestBaseContent insists that a file that changes its path or content is not taken
// for the base's.
func TestBaseContent(t *testing.T) {
	b := buildOn(t, "FROM base:1\nUSER 0\nRUN chmod 600 /srv/old.py && echo x >> /srv/lib/x.py\n", baseImage())
	var got []string
	for _, e := range b.Predict(nil)[0].Events {
		if a, ok := e.(Add); ok && a.Base != nil {
			got = append(got, a.Path)
		}
	}
	if s := strings.Join(got, " "); s != "/srv/old.py" {
		t.Errorf("content of the base: %s", s)
	}
}

func TestScripts(t *testing.T) {
	ctx := contextOf(t, "s/clean.sh=#!/bin/sh -e\nd=$1\nshift\nfor f; do rm \"$d/$f\"; done\n[ -n \"$X\" ] && exit\nrm /app/late\n",
		"s/lib=D=/app\n", "s/tool=#!/usr/bin/env python3\n", "app/a.py", "app/b.py", "app/late")
	for _, tt := range []struct{ name, run, want string }{
		{"by its path", "/s/clean.sh /app a.py b.py", "-/app/a.py -/app/b.py ?/app/late"},
		{"from the directory", "cd /s && ./clean.sh /app a.py; rm /app/late", "-/app/a.py -/app/late ?/app/late"},
		{"by a shell", "bash -x /s/clean.sh /app b.py", "-/app/b.py ?/app/late"},
		{"read into the shell", ". /s/lib; rm $D/a.py", "-/app/a.py"},
		{"in another language", "/s/tool", "?/ */"},
		{"not there", "/s/none", "?/ */"},
		{"changed before", "make -C /s; /s/clean.sh /app a.py", "?/ ?/ */ */"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			layers := build(t, "FROM x\nCOPY s /s\nCOPY app /app\nRUN <<'RUN'\n"+tt.run+"\nRUN\n", "").Predict(ctx)
			if got := brief(t, layers[len(layers)-1]); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestRemarks(t *testing.T) {
	var got []string
	for _, p := range build(t, "FROM a AS one\nFROM b\nFROM c\n", "").Remarks() {
		got = append(got, p.Span.String()+" "+p.What)
	}
	agree(t, `
		Dockerfile:3 the base image c was not read, so what it decides is unknown
		Dockerfile:1 stage one is not judged: stage 2 does not need it
		Dockerfile:2 stage 1 is not judged: stage 2 does not need it`, strings.Join(got, "\n"))
	if n := len(build(t, "FROM scratch\n", "").Remarks()); n != 0 {
		t.Errorf("%d remarks on a build that leaves nothing out", n)
	}
}

func BenchmarkPredict(b *testing.B) {
	text := "FROM debian:12\n" + strings.Repeat("ENV A=b\nRUN useradd -m x && mkdir -p /app && chmod 755 /app\nCOPY . /app\n", 20) + "USER 1000\nCMD [\"x\"]\n"
	for b.Loop() {
		f, err := Parse("Dockerfile", []byte(text), limits.Default())
		if err != nil {
			b.Fatal(err)
		}
		build, err := f.Build("", nil)
		if err != nil {
			b.Fatal(err)
		}
		build.Predict(nil)
	}
}
