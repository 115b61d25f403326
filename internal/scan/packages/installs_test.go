package packages

import (
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func TestInstalls(t *testing.T) {
	for _, tt := range []struct{ run, want string }{
		{"RUN apt-get update && apt-get install -y --no-install-recommends curl docker.io=24.* git", "curl docker.io git"},
		{"RUN apt-get -qq -t stable install -o A=b sudo", "sudo"},
		{"RUN sudo apt install -y a; if true; then apk add --virtual .build b~=1 'c>2'; fi", "a b c"},
		{"RUN dnf -y install podman && yum remove x", "podman"},
		{"RUN pacman -Syu --noconfirm a && pacman -R b", "a"},
		{"RUN [\"apk\", \"add\", \"a\"]", "a"},
		{"RUN <<EOF\napk add \\\n  a \\\n  b\nEOF", "a b"},
		{"RUN apt-get install $PACKAGES ${X}y a", "a"},
		{"RUN echo apt-get install a && apt-get remove install", ""},
		{"RUN apt-get (", ""},
	} {
		f, err := dockerfile.Parse("Dockerfile", []byte("FROM debian:12\n"+tt.run+"\n"), limits.Default())
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.Build("", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range Installs(b) {
			got = append(got, i.Package)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s\n got %q, want %q", tt.run, s, tt.want)
		}
	}
	if Installs(nil) != nil {
		t.Error("no Dockerfile installs something")
	}
}
