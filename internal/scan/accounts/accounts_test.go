package accounts

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// entry is a file of a test image; link makes it a symbolic link.
type entry struct{ path, body, link string }

func content(t *testing.T, s *image.Scanner, files []entry) *image.Content {
	t.Helper()
	b := s.NewLayer(context.Background())
	for _, f := range files {
		e := image.Entry{Path: f.path, Mode: 0o644, Size: int64(len(f.body)), Link: f.link}
		if f.link != "" {
			e.Mode = fs.ModeSymlink | 0o777
		}
		if err := b.Add(e, strings.NewReader(f.body)); err != nil {
			t.Fatal(err)
		}
	}
	return b.Content()
}

// read reads a real image of the given layers.
func read(t *testing.T, layers ...[]entry) *image.Image {
	t.Helper()
	s := image.NewScanner(probes(), limits.Default())
	src := &image.Source{Config: image.Config{OS: "linux"}}
	for _, files := range layers {
		src.Layers = append(src.Layers, image.Blob{Content: content(t, s, files), Size: -1})
		src.Config.DiffIDs = append(src.Config.DiffIDs, "")
	}
	img, err := s.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func probes() []image.Reader {
	return scan.Probes([]*scan.Rule{{Needs: []scan.Need{Fact}}})
}

// of computes the fact as a rule sees it.
func of(t *testing.T, img *image.Image, b *dockerfile.Build) *Accounts {
	t.Helper()
	var got *Accounts
	r := &scan.Rule{ID: "SBX000", Where: scan.InImage | scan.InDockerfile, Needs: []scan.Need{Fact},
		Run: func(p *scan.Pass) { got = Fact.Of(p) }}
	res := scan.Run(scan.Target{Image: img, Build: b}, []*scan.Rule{r}, scan.Options{}, limits.Default())
	if got == nil {
		t.Fatalf("the rule did not run: %v", res.Broken)
	}
	return got
}

const passwd = `root:x:0:0:root:/root:/bin/sh
toor:x:0:0::/:/bin/sh
app:x:1000:1000:App:/home/app:/bin/sh
app:x:0:0:second line of that name:/:/bin/sh

# comment
+::::::
1234:x:77:77::/:/bin/sh
short
letters:x:abc:def::/:/bin/sh
wrap:x:4294967296:1::/:/bin/sh
  blank:x:5:6::/b:/bin/sh
secret:$6$hash:8:8::/:/bin/sh
`

const groups = `root:x:0:
app:x:1000:
docker:x:999:other,app
#no:x:1:app
wheel:x:10:app
staff:x:50:
`

// TestResolve checks what the runtimes do with the same words (moby/sys
// user.GetExecUser).
func TestResolve(t *testing.T) {
	a := of(t, read(t, []entry{{path: "/etc/passwd", body: passwd}, {path: "/etc/group", body: groups}}), nil)
	for _, tt := range []struct{ spec, want string }{
		{"", "0:0 yes root line 1"},
		{"root", "0:0 yes root line 1"},
		{"0", "0:0 yes root line 1"},
		{"00", "0:0 yes root line 1"},
		{"+0", "0:0 yes root line 1"},
		{"-0", "0:0 yes root line 1"},
		{"0:0", "0:0 yes root line 1"},
		{"root:root", "0:0 yes root line 1"},
		{"0:1000", "0:1000 yes root line 1"},
		{"root:x", "the group x is not in /etc/group: the container will not start"},
		{":", "0:0 yes root line 1"},
		{":0", "0:0 yes root line 1"},
		{":1000", "0:1000 yes root line 1"},
		{"toor", "0:0 yes toor line 2"}, // D5
		{"app", "1000:1000 no app line 3 docker,wheel"},
		{"app:", "1000:1000 no app line 3 docker,wheel"},
		{"1000", "1000:1000 no app line 3 docker,wheel"},
		{"app:staff", "1000:50 no app line 3"},
		{"app:0", "1000:0 no app line 3"},
		{"1000:1000", "1000:1000 no app line 3"},
		{"4242", "4242:0 no"},
		{"4242:4343", "4242:4343 no"},
		{"1234", "1234:0 no"}, // a number is never a name
		{"77", "77:77 no 1234 line 8"},
		{"short", "0:0 yes short line 9"},
		{"letters", "0:0 yes letters line 10"},
		{"wrap", "0:1 yes wrap line 11"},
		{"blank", "5:6 no blank line 12"},
		{"+", "0:0 yes + line 7"},
		{"nonroot", "the user nonroot is not in /etc/passwd: the container will not start"}, // D14
		{"Root", "the user Root is not in /etc/passwd: the container will not start"},
		{"2147483647", "2147483647:0 no"},
		{"2147483648", "the uid 2147483648 is not in the range 0-2147483647: the container will not start"},
		{"-1", "the uid -1 is not in the range 0-2147483647: the container will not start"},
		{"99999999999999999999", "the uid 99999999999999999999 is not in the range 0-2147483647: the container will not start"},
		{"app:-1", "the gid -1 is not in the range 0-2147483647: the container will not start"},
		{"app:1:2", "a user with two colons is refused by some runtimes, and read differently by others"},
	} {
		u := a.Resolve(tt.spec)
		if got := describe(u); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.spec, got, tt.want)
		}
		if u.Unknown != "" {
			t.Errorf("%q: unknown: %s", tt.spec, u.Unknown)
		}
	}
}

func describe(u User) string {
	if u.Problem != "" {
		return u.Problem
	}
	s := fmt.Sprintf("%d:%d %s", u.UID, u.GID, u.IsRoot())
	if u.Exists {
		s += " " + u.Name
	}
	if u.Source.Line > 0 {
		s += fmt.Sprintf(" line %d", u.Source.Line)
	}
	var names []string
	for _, g := range u.Groups {
		names = append(names, g.Name)
	}
	if names != nil {
		s += " " + strings.Join(names, ",")
	}
	return s
}

func TestEvidence(t *testing.T) {
	img := read(t, []entry{{path: "/etc/passwd", body: "root:x:0:0::/:/bin/sh\n"}},
		[]entry{{path: "/etc/passwd", body: passwd}})
	a := of(t, img, nil)
	u := a.Resolve("toor")
	if u.Source.File != img.Layers[1].Files[0] || u.Source.Text != "toor:x:0:0::/:/bin/sh" {
		t.Errorf("toor is at %v, %q", u.Source.File, u.Source.Text)
	}
	if u := a.Resolve("secret"); strings.Contains(u.Source.Text, "hash") {
		t.Errorf("the line shows the password: %q", u.Source.Text)
	}
	if u := a.Resolve("app"); u.Home != "/home/app" || u.String() != "app (uid 1000)" {
		t.Errorf("app is %v with home %q", u, u.Home)
	}
}

func TestFiles(t *testing.T) {
	small := "root:x:0:0::/:/bin/sh\nnonroot:x:65532:65532::/:/x\n"
	for _, tt := range []struct {
		name   string
		layers [][]entry
		spec   string
		want   string // problem, unknown or uid
	}{
		{"no passwd, a name", [][]entry{{{path: "/app", body: "x"}}}, "nonroot",
			"the image has no /etc/passwd to find the user nonroot in: the container will not start"},
		{"no passwd, root", [][]entry{nil}, "root",
			"the image has no /etc/passwd to find the user root in: the container will not start"},
		{"no passwd, a number", [][]entry{nil}, "65532", "65532:0 no"},
		{"no passwd, nothing", [][]entry{nil}, "", "0:0 yes"},
		{"symbolic link", [][]entry{{{path: "/etc/passwd", link: "../usr/lib/passwd"}, {path: "/usr/lib/passwd", body: small}}},
			"nonroot", "65532:65532 no nonroot line 2"},
		{"link to a file of another name", [][]entry{{{path: "/etc/passwd", link: "users"}, {path: "/etc/users", body: small}}},
			"nonroot", "whether the user nonroot exists is not known: the content of /etc/users was not read"},
		{"link to nowhere", [][]entry{{{path: "/etc/passwd", link: "/run/passwd"}}},
			"nonroot", "whether the user nonroot exists is not known: /etc/passwd is a symbolic link to nowhere"},
		{"empty", [][]entry{{{path: "/etc/passwd"}}}, "nonroot",
			"the user nonroot is not in /etc/passwd: the container will not start"},
		{"other files of that name", [][]entry{{{path: "/etc/passwd", body: small}, {path: "/usr/bin/passwd", body: "\x7fELF\x00"},
			{path: "/x/etc/passwd", body: "nonroot:x:0:0::/:/x"}}}, "nonroot", "65532:65532 no nonroot line 2"},
		{"over the limit", [][]entry{{{path: "/etc/passwd", body: small + strings.Repeat("#\n", maxTable/2)}}}, "nonroot",
			"whether the user nonroot exists is not known: the content of /etc/passwd was not read"},
		{"windows line ends", [][]entry{{{path: "/etc/passwd", body: strings.ReplaceAll(small, "\n", "\r\n")}}}, "nonroot",
			"65532:65532 no nonroot line 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := of(t, read(t, tt.layers...), nil).Resolve(tt.spec)
			got := describe(u)
			if u.Unknown != "" {
				got = u.Unknown
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWindows(t *testing.T) {
	s := image.NewScanner(probes(), limits.Default())
	img, err := s.Load(context.Background(), &image.Source{Config: image.Config{OS: "windows"}})
	if err != nil {
		t.Fatal(err)
	}
	if u := of(t, img, nil).Resolve("ContainerAdministrator"); u.Problem != "" || u.Unknown == "" {
		t.Errorf("a Windows account: problem %q, unknown %q", u.Problem, u.Unknown)
	}
}
