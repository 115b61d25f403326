package accounts

import (
	"context"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// predict makes what a Dockerfile of that text would leave, with files in its
// first layer, and unknown ones below a path, unless it is empty, in the second.
func predict(t *testing.T, text string, files []entry, unseen string) (*image.Image, *dockerfile.Build) {
	t.Helper()
	f, err := dockerfile.Parse("Dockerfile", []byte(text), limits.Default())
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Build("", nil)
	if err != nil {
		t.Fatal(err)
	}
	base := b.Base
	if base == "scratch" {
		base = ""
	}
	s := image.NewScanner(probes(), limits.Default())
	layers := []image.Predicted{{Content: content(t, s, files), Step: -1}}
	if unseen != "" {
		l := s.NewLayer(context.Background())
		l.Unseen(unseen, "they are a test's")
		layers = append(layers, image.Predicted{Content: l.Content(), Step: -1})
	}
	return s.Assemble(image.Config{OS: "linux"}, base, make([]image.Step, len(b.Steps)), layers), b
}

func TestRun(t *testing.T) {
	for _, tt := range []struct{ run, spec, want string }{
		{"useradd -u 10001 app", "app", "10001:-1 no app"}, // D9
		{"useradd -u 10001 -g 20 app", "app", "10001:20 no app"},
		{"useradd --uid=10001 --gid 20 -rm app", "app", "10001:20 no app"},
		{"useradd -rmu10001 -s /bin/false app", "app", "10001:-1 no app"},
		{"groupadd -g 30 staff && useradd -u 1 -g staff -G docker,wheel app", "app", "1:30 no app docker,wheel"},
		{"adduser -D -u 1000 app", "app", "1000:-1 no app"},
		{"adduser --disabled-password --gecos '' --uid 1000 --home /x app", "app", "1000:-1 no app"},
		{"addgroup -g 40 -S grp && adduser -S -G grp -u 100 app", "app", "100:40 no app"},
		{"adduser -r -u 7 -g 8 app", "app", "7:8 no app"},
		{"adduser app wheel; useradd -u 3 app", "app", "3:-1 no app wheel"},
		{"useradd -u 3 app; usermod -aG sudo,docker app; addgroup app video; gpasswd -a app disk", "app", "3:-1 no app sudo,docker,video,disk"},
		{"useradd app", "app", "-1:-1 no app"},
		{"useradd -o -u 0 app", "app", "0:-1 yes app"},
		{"useradd -ou0 app", "app", "0:-1 yes app"},
		{"useradd -o app", "app", "-1:-1 unknown app"},
		{"useradd -u 5 app; usermod -o -u 0 app", "app", "0:-1 yes app"},
		{"useradd -u 5 app; usermod -l agent app", "agent", "5:-1 no agent"},
		{"useradd -u 5 app; usermod -L app", "app", "5:-1 no app"},
		{"useradd -u $UID app", "app", "1500:-1 no app"},
		{"N=77; useradd -u ${N} app", "app", "77:-1 no app"},
		{"useradd -u ${X:-88} app", "app", "88:-1 no app"},
		{"useradd -o -u $NOTHING app", "app", "-1:-1 unknown app"},
		{"useradd -u $(cat /uid) app", "app", "-1:-1 no app"},
		{"apt-get update && apt-get install -y gosu && useradd -u 9 app", "app", "9:-1 no app"},
		{"set -eux; useradd -u 9 app; echo done", "app", "9:-1 no app"},
		{"test -n x && useradd -u 9 app; echo done", "app", "-1:-1 unknown app"},
		{"id app || useradd -u 9 app", "app", "-1:-1 unknown app"},
		{"if ! id app; then useradd -u 9 app; fi", "app", "-1:-1 unknown app"},
		{"f() { useradd -u 9 app; }", "app", "-1:-1 unknown"},
		{"echo useradd -u 9 app", "app", "-1:-1 unknown"},
		{"# useradd -u 9 app", "app", "-1:-1 unknown"},
		{"sudo useradd -u 9 app", "app", "9:-1 no app"},
		{"/usr/sbin/useradd -u 9 app", "app", "9:-1 no app"},
		{"(useradd -u 9 app)", "app", "9:-1 no app"},
		{"echo 'app:x:44:45::/:/bin/sh' >> /etc/passwd", "app", "44:45 no app"},
		{`printf 'a:x:1:1::/:/x\napp:x:0:0::/:/x\n' >>/etc/passwd`, "app", "0:0 yes app"},
		{"cat >> /etc/passwd <<EOF\napp:x:44:45::/:/bin/sh\nEOF\n", "app", "44:45 no app"},
		{"echo \"app:x:$NOTHING:0::/:/bin/sh\" >> /etc/passwd", "app", "-1:-1 unknown"},
		{"useradd -u 9 app", "9", "9:-1 no app"},
		{"useradd -u 9 app", "9:app", "9:-1 no app"},
		{"useradd -u 9 app", "8", "8:-1 no"},
		{"useradd -u 9 app", "root", "0:0 yes"},
		{"useradd -u 9 app", "", "0:0 yes"},
		{"if", "app", "-1:-1 unknown"},
	} {
		img, b := predict(t, "FROM debian:12\nARG UID=1500\nRUN <<END\n"+tt.run+"\nEND\n", nil, "")
		if got := describe(of(t, img, b).Resolve(tt.spec)); got != tt.want {
			t.Errorf("%s\n%q: got %q, want %q", tt.run, tt.spec, got, tt.want)
		}
	}
}

// TestWhole checks what a Dockerfile leaves unknown, and what it does not.
func TestWhole(t *testing.T) {
	passwd := []entry{{path: "/etc/passwd", body: "app:x:1000:1000::/:/x\n"}}
	for _, tt := range []struct {
		name, text string
		files      []entry
		unseen     string // path below which a second layer brings unknown files
		want       string // how the user "nobody" fares
	}{
		{"unread base", "FROM debian:12", nil, "", "unknown: whether the user nobody exists is not known: the base image debian:12 was not read"},
		{"unread base, passwd copied over", "FROM debian:12", passwd, "", "problem: the user nobody is not in /etc/passwd: the container will not start"},
		{"scratch", "FROM scratch", nil, "", "problem: the image has no /etc/passwd to find the user nobody in: the container will not start"},
		{"scratch, unknown files in /etc", "FROM scratch", nil, "/etc",
			"unknown: whether the user nobody exists is not known: files that are not known land below /etc: they are a test's"},
		{"scratch, unknown files over known ones", "FROM scratch", passwd, "/",
			"unknown: whether the user nobody exists is not known: files that are not known land below /: they are a test's"},
		{"scratch, unknown files elsewhere", "FROM scratch", nil, "/etc/ssl",
			"problem: the image has no /etc/passwd to find the user nobody in: the container will not start"},
		{"a command that may do anything", "FROM scratch\nRUN ./setup", passwd, "",
			"unknown: whether the user nobody exists is not known: a RUN instruction may make more accounts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img, b := predict(t, tt.text, tt.files, tt.unseen)
			u := of(t, img, b).Resolve("nobody")
			got := "problem: " + u.Problem
			if u.Unknown != "" {
				got = "unknown: " + u.Unknown
			}
			if got != tt.want || u.IsRoot() != Unknown {
				t.Errorf("got %q, root %v, want %q", got, u.IsRoot(), tt.want)
			}
		})
	}
}

func TestInstruction(t *testing.T) {
	img, b := predict(t, "FROM debian:12\nRUN [\"useradd\", \"-u\", \"9\", \"app\"]\nSHELL [\"pwsh\", \"-c\"]\nRUN useradd -u 10 other", nil, "")
	a := of(t, img, b)
	u := a.Resolve("app")
	if u.Source.Instr == nil || u.Source.Instr.Span.Start != 2 || u.UID != 9 {
		t.Errorf("app is %v from %v", u, u.Source.Instr)
	}
	if u := a.Resolve("other"); u.Exists {
		t.Errorf("another shell's words are read as those of sh: %v", u)
	}
}
