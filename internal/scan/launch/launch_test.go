package launch

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

// A tree is the files of a test image by path. A body that starts with "-> " is a
// symbolic link; a path that ends with "~" is not executable.
type tree map[string]string

// tools are what an image of the usual kind has.
var tools = func() tree {
	t := tree{"/etc/passwd~": "root:x:0:0::/:/bin/sh\napp:x:1000:1000::/home/app:/bin/sh\ntoor:x:0:0::/:/bin/sh\n",
		"/etc/group~": "root:x:0:\napp:x:1000:\n", "/bin/sh": "-> dash"}
	for _, p := range []string{"/bin/bash", "/bin/dash", "/usr/bin/env", "/usr/sbin/gosu", "/sbin/su-exec", "/usr/bin/setpriv",
		"/bin/su", "/sbin/runuser", "/usr/sbin/chroot", "/usr/bin/sudo", "/usr/bin/tini", "/usr/bin/dumb-init", "/usr/bin/nice",
		"/usr/bin/nohup", "/bin/s6-setuidgid", "/sbin/start-stop-daemon", "/usr/bin/chpst", "/usr/bin/python3", "/usr/bin/nginx", "/bin/sleep", "/bin/busybox"} {
		t[p] = elf + "\x02\x01"
	}
	return t
}()

func (t tree) content(tb testing.TB, s *image.Scanner) *image.Content {
	tb.Helper()
	b := s.NewLayer(context.Background())
	for _, p := range sorted(t) {
		body := t[p]
		e := image.Entry{Path: strings.TrimSuffix(p, "~"), Mode: 0o755, Size: int64(len(body))}
		if e.Path != p {
			e.Mode = 0o644
		}
		if to, ok := strings.CutPrefix(body, "-> "); ok {
			e.Mode, e.Link, e.Size = fs.ModeSymlink|0o777, to, 0
		}
		if err := b.Add(e, strings.NewReader(body)); err != nil {
			tb.Fatal(err)
		}
	}
	return b.Content()
}

func scanner() *image.Scanner {
	return image.NewScanner(scan.Probes([]*scan.Rule{{Needs: []scan.Need{Fact}}}), limits.Default())
}

// launch audits a real image of the given config and layers.
func launch(tb testing.TB, cfg image.Config, layers ...tree) *Launch {
	tb.Helper()
	s := scanner()
	cfg.OS = "linux"
	src := &image.Source{}
	for _, l := range layers {
		src.Layers = append(src.Layers, image.Blob{Content: l.content(tb, s), Size: -1})
		cfg.DiffIDs = append(cfg.DiffIDs, "")
	}
	src.Config = cfg
	img, err := s.Load(context.Background(), src)
	if err != nil {
		tb.Fatal(err)
	}
	return of(tb, img, nil)
}

func of(tb testing.TB, img *image.Image, b *dockerfile.Build) *Launch {
	tb.Helper()
	var got *Launch
	r := &scan.Rule{ID: "SBX000", Where: scan.InImage | scan.InDockerfile, Needs: []scan.Need{Fact},
		Run: func(p *scan.Pass) { got = Fact.Of(p) }}
	res := scan.Run(scan.Target{Image: img, Build: b}, []*scan.Rule{r}, scan.Options{SessionVars: []string{"T"}}, limits.Default())
	if got == nil {
		tb.Fatalf("the rule did not run: %v", res.Broken)
	}
	return got
}

// show is a drop in one line: "shown gosu app :3", with the verdict of the image's
// own command after a slash where it differs.
func show(d Drop) string {
	s := d.Verdict.String()
	if d.Default != d.Verdict {
		s += "/" + d.Default.String()
	}
	if d.How != "" {
		s += fmt.Sprintf(" %s %s", d.How, d.User.Spec)
		if d.Line > 0 {
			s += fmt.Sprintf(" :%d", d.Line)
		}
	}
	return s
}

func TestChain(t *testing.T) {
	l := launch(t, image.Config{Entrypoint: []string{"tini", "--", "start"}, Cmd: []string{"python3", "x.py"}, Env: []string{"PATH=/opt/bin:/usr/bin:/bin:/usr/sbin"}},
		tools, tree{"/opt/bin/start": "-> ../../srv/e.sh", "/srv/e.sh": "#!/usr/bin/env bash\nset -e\nexec env -i A=b gosu app \"$@\"\n"})
	var got []string
	for _, k := range l.Chain {
		got = append(got, fmt.Sprintf("%s = %s", strings.Join(k.Argv, " "), k.Path))
		if k.File == nil || k.File.Path != k.Path {
			t.Errorf("%v: file %v", k.Argv, k.File)
		}
	}
	want := `tini -- start python3 x.py = /usr/bin/tini
start python3 x.py = /srv/e.sh
/usr/bin/env bash /srv/e.sh python3 x.py = /usr/bin/env
bash /srv/e.sh python3 x.py = /bin/bash
env -i A=b gosu app python3 x.py = /usr/bin/env
gosu app python3 x.py = /usr/sbin/gosu
python3 x.py = /usr/bin/python3`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	if by := l.Chain[4].By; by.Line != 3 || by.File.Path != "/srv/e.sh" {
		t.Errorf("env is called at %v", by)
	}
	if l.Opaque != "" || show(l.Drop) != "shown gosu app :3" || strings.Join(l.Drop.Args, " ") != "gosu app" {
		t.Errorf("opaque %q, drop %s, args %q", l.Opaque, show(l.Drop), l.Drop.Args)
	}
}

func TestExecForm(t *testing.T) {
	for argv, want := range map[string]string{
		"gosu app python3 x": "shown gosu app",
		"setpriv --reuid=1000 --regid=1000 --clear-groups python3 x":           "shown setpriv 1000",
		"setpriv --reuid 1000 --regid 1000 --init-groups --no-new-privs -- sh": "shown setpriv 1000",
		"setpriv --ruid app --euid app python3":                                "shown setpriv app",
		"setpriv --euid app python3":                                           "none setpriv app",
		"setpriv --no-new-privs gosu app python3":                              "shown gosu app",
		"setpriv --no-new-privs python3":                                       "none",
		"su-exec app x":                                                        "shown su-exec app",
		"su-exec app:app x":                                                    "shown su-exec app:app",
		"tini -- gosu app python3 x":                                           "shown gosu app",
		"tini -g -p SIGTERM -- gosu app x":                                     "shown gosu app",
		"dumb-init -r 15:2 su-exec app x":                                      "shown su-exec app",
		"env A=b -u C gosu app x":                                              "unknown", // -u is the command
		"env -u C A=b gosu app x":                                              "shown gosu app",
		"nice -n 5 nohup gosu app x":                                           "shown gosu app",
		"s6-setuidgid app x":                                                   "shown s6-setuidgid app",
		"chpst -u app:app x":                                                   "shown chpst app:app",
		"chroot --userspec=app:app / x":                                        "shown chroot app:app",
		"chroot / x":                                                           "unknown",
		"runuser -u app -- x y":                                                "shown runuser app",
		"runuser -l app -c x":                                                  "shown runuser app",
		"su app -c x":                                                          "shown su app",
		"su - app -c x":                                                        "shown su app",
		"su -c x":                                                              "none su root",
		"sudo -E -u app A=b x":                                                 "shown sudo app",
		"sudo -u #1000 x":                                                      "shown sudo 1000",
		"sudo x":                                                               "none sudo root",
		"gosu root x":                                                          "none gosu root",
		"gosu 0 x":                                                             "none gosu 0",
		"gosu toor x":                                                          "none gosu toor",
		"gosu 1000:1000 x":                                                     "shown gosu 1000:1000",
		"gosu nobody x":                                                        "unknown gosu nobody",
		"gosu":                                                                 "unknown",
		"python3 main.py":                                                      "unknown",
		"nginx -g":                                                             "unknown",
		"missing":                                                              "unknown",
		"s6-setuidgid":                                                         "unknown",
		"sh":                                                                   "none",
		"bash -l":                                                              "none",
		"sleep infinity":                                                       "none",
		"busybox sh":                                                           "none",
	} {
		l := launch(t, image.Config{Cmd: strings.Fields(argv)}, tools)
		if got := show(l.Drop); got != want {
			t.Errorf("%s: got %s (%s), want %s", argv, got, l.Drop.Reason, want)
		}
		if (l.Drop.Verdict == Shown) != (l.Drop.Reason == "") {
			t.Errorf("%s: %v with reason %q", argv, l.Drop.Verdict, l.Drop.Reason)
		}
	}
}

func TestReasons(t *testing.T) {
	script := tree{"/e.sh": "#!/bin/sh\nexec \"$@\"\n", "/crlf.sh": "#!/bin/sh\r\nexec gosu app x\r\n", "/plain~": "x",
		"/bad.sh": "#!/bin/sh\nif x; then\n", "/loop.sh": "#!/loop.sh\n", "/py": "#!/usr/bin/env python3\nimport os\n",
		"/fake/gosu": "#!/bin/sh\nshift\nexec \"$@\"\n"}
	for _, tt := range []struct {
		entrypoint, cmd, want string
	}{
		{"python3 main.py", "", "Python: /main.py is not in the image"},
		{"/py", "", "/py: end of the program: it still runs as root"},
		{"nginx", "", "/usr/bin/nginx is an ELF binary"},
		{"/e.sh", "nginx", "/usr/bin/nginx is an ELF binary"},
		{"/e.sh", "bash", "/e.sh:2: \"$@\" runs as root, whatever it is"},
		{"/e.sh", "", "/e.sh:2: \"$@\" runs as root, whatever it is"},
		{"gosu root x", "", "gosu root keeps uid 0"},
		{"gosu nobody x", "", "the user nobody is not in /etc/passwd"},
		{"su-exec2 app", "", "su-exec2 is not in the image's PATH"},
		{"/nothing", "", "/nothing is not in the image"},
		{"/plain", "", "/plain is not executable"},
		{"/crlf.sh", "", "/bin/sh\r is not in the image"},
		{"/bad.sh", "", "line 2, column 7"},
		{"/loop.sh", "", "more than 16 programs"},
		{"/fake/gosu app python3", "", "Python"}, // what the file does counts, not its name
		{"sh /nothing.sh", "", "the script /nothing.sh is not in the image"},
		{"", "", "the image names no command"},
	} {
		l := launch(t, image.Config{Entrypoint: strings.Fields(tt.entrypoint), Cmd: strings.Fields(tt.cmd)}, tools, script)
		if !strings.Contains(l.Drop.Reason, tt.want) || l.Drop.Verdict == Shown {
			t.Errorf("%s: %v because %q, want %q", tt.entrypoint, l.Drop.Verdict, l.Drop.Reason, tt.want)
		}
	}
}

func TestLayers(t *testing.T) {
	good := tree{"/e.sh": "#!/bin/sh\nexec gosu app \"$@\"\n"}
	bad := tree{"/e.sh": "#!/bin/sh\nexec \"$@\"\n"}
	cfg := image.Config{Entrypoint: []string{"./e.sh"}, Cmd: []string{"bash"}}
	if got := show(launch(t, cfg, tools, good, bad).Drop); got != "none" {
		t.Errorf("the last layer takes the drop away: %s", got)
	}
	if got := show(launch(t, cfg, tools, bad, good).Drop); got != "shown gosu app :2" {
		t.Errorf("the last layer brings the drop: %s", got)
	}
	cfg = image.Config{Entrypoint: []string{"./e.sh"}, WorkingDir: "/srv"}
	if got := show(launch(t, cfg, tools, tree{"/srv/e.sh": good["/e.sh"]}).Drop); got != "shown gosu app :2" {
		t.Errorf("relative to the working directory: %s", got)
	}
}

func TestPredicted(t *testing.T) {
	entry := tree{"/e.sh": "#!/bin/sh\nexec gosu app \"$@\"\n"}
	made := &dockerfile.Command{Args: []string{"/e.sh"}, Exec: true}
	for _, tt := range []struct {
		name, base string
		cfg        image.Config
		build      dockerfile.Build
		files      tree
		want       string
	}{
		{"copied script, user from RUN", "debian:12", image.Config{Entrypoint: []string{"/e.sh"}},
			dockerfile.Build{Entrypoint: made, Steps: []*dockerfile.Step{{Instr: &dockerfile.Instr{Cmd: "RUN"}, Args: []string{"useradd app"}}}},
			entry, "shown gosu app :2"},
		{"user of the base", "debian:12", image.Config{Entrypoint: []string{"/e.sh"}}, dockerfile.Build{Entrypoint: made}, entry, "unknown gosu app :2"},
		{"script of the base", "debian:12", image.Config{Entrypoint: []string{"/e.sh"}}, dockerfile.Build{Entrypoint: made}, nil, "unknown"},
		{"entrypoint of a base that has none", "debian:12", image.Config{Cmd: []string{"gosu", "1000", "x"}}, dockerfile.Build{}, nil, "shown gosu 1000"},
		{"entrypoint of the base", "postgres:17", image.Config{Cmd: []string{"gosu", "1000", "x"}}, dockerfile.Build{}, nil, "unknown"},
		{"entrypoint of the base that only executes", "node:24", image.Config{Cmd: []string{"gosu", "1000", "x"}}, dockerfile.Build{}, nil, "shown gosu 1000"},
		{"entrypoint of the base taken away", "debian:12", image.Config{Cmd: []string{"gosu", "1000", "x"}},
			dockerfile.Build{Entrypoint: &dockerfile.Command{Exec: true}}, nil, "shown gosu 1000"},
		{"scratch", "", image.Config{Cmd: []string{"gosu", "1000", "x"}}, dockerfile.Build{}, nil, "shown gosu 1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img := scanner().Assemble(tt.cfg, tt.base, make([]image.Step, len(tt.build.Steps)),
				[]image.Predicted{{Content: tt.files.content(t, scanner()), Step: -1}})
			l := of(t, img, &tt.build)
			if got := show(l.Drop); got != tt.want {
				t.Errorf("got %s (%s), want %s", got, l.Drop.Reason, tt.want)
			}
		})
	}
}

func TestDoubt(t *testing.T) {
	s := scanner()
	script := tree{"/e.sh": "#!/bin/sh\nexec gosu 1000 \"$@\"\n"}.content(t, s)
	b := s.NewLayer(context.Background())
	b.Doubt("/e.sh")
	img := s.Assemble(image.Config{Entrypoint: []string{"/e.sh"}}, "", nil, []image.Predicted{{Content: script, Step: -1}, {Content: b.Content(), Step: -1}})
	l := of(t, img, &dockerfile.Build{})
	if l.Drop.Verdict != Unknown || !strings.Contains(l.Drop.Reason, "may have changed /e.sh") {
		t.Errorf("%v because %q", l.Drop.Verdict, l.Drop.Reason)
	}
}
