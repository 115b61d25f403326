package manifest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlaces keeps the place of each item of a list, wherever compose puts it.
func TestPlaces(t *testing.T) {
	c := readProject(t, `
-- compose.yaml --
services:
  agent:
    extends: {file: base.yaml, service: base}
    cap_add:
      - SETUID
      - CHOWN
    volumes:
      - ./own:/x
      - ${UNSET}:/y
    command: [same, same]
    env_file:
      - path: a.env
        required: false
-- base.yaml --
services:
  base:
    cap_add: [CHOWN, FOWNER]
    volumes:
      - ./base:/x
      - type: volume
        source: v
        target: /z
    command: [same]
    env_file: b.env
volumes: {v: {}}
-- compose.override.yaml --
services:
  agent:
    cap_add: [NET_RAW]
    ports: ["127.0.0.1:${PORT:-1}:1"]
`).find(t, "agent").Containers[0]
	var got []string
	at := func(what string, p Place) {
		got = append(got, fmt.Sprintf("%s %s:%d:%d", what, filepath.Base(p.File), p.Line, p.Column))
	}
	for _, s := range c.CapAdd {
		at(s.Value, s.At)
	}
	for _, m := range c.Mounts {
		at(m.Source, m.At)
	}
	for _, s := range c.Command {
		at(s.Value, s.At)
	}
	for _, s := range c.EnvFiles {
		at(s.Value, s.At)
	}
	for _, p := range c.Ports {
		at(p.Published, p.At)
	}
	want := []string{
		"CHOWN compose.yaml:6:9", "FOWNER base.yaml:3:22", "SETUID compose.yaml:5:9", "NET_RAW compose.override.yaml:3:15",
		"./own compose.yaml:8:9", "v base.yaml:6:9", "${UNSET} compose.yaml:9:9",
		"same compose.yaml:10:15", "same compose.yaml:10:21", "b.env base.yaml:10:15", "a.env compose.yaml:12:15",
		"1 compose.override.yaml:4:13",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// TestComposeRemarks says what is not judged, and nothing of what compose reads well.
func TestComposeRemarks(t *testing.T) {
	for _, tt := range []struct {
		name, archive, want string // want is "" for no problem
		fatal               bool
	}{
		{"a provider", "-- compose.yaml --\nservices: {db: {provider: {type: cloud}}, agent: {image: i, depends_on: [db]}}", "compose.yaml:1: service db is no container: a provider runs it, and it is not judged", false},
		{"an inline Dockerfile", "-- compose.yaml --\nservices:\n  agent: {build: {dockerfile_inline: FROM scratch}}", "compose.yaml:2: the Dockerfile of service agent stands in the compose file and is not judged: give the image that it makes, or put it in a file", false},
		{"a volume without a target", "-- compose.yaml --\nservices:\n  a: {volumes: ['./x::ro']}", "compose.yaml:2: an item of volumes is not judged: compose does not understand it", true},
		{"a device of a variable", "-- compose.yaml --\nservices:\n  a: {devices: ['${D?is needed}:/dev/x:rw:m']}", "compose.yaml:2: an item of devices is not judged: the variable D has no value here", true},
		{"a host without an address", "-- compose.yaml --\nservices:\n  a: {extra_hosts: [name]}", "compose.yaml:2: an item of extra_hosts is not judged: compose does not understand it", true},
		{"a text over a list", "-- compose.yaml --\nservices: {a: {cap_add: [A]}}\n-- compose.override.yaml --\nservices:\n  a: {cap_add: ALL}", "compose.override.yaml:2: compose can't put this cap_add over the one before it: one is a list", true},
		{"a list of mounts that breaks", "-- compose.yaml --\nservices:\n  a: {volumes: [{target: [x]}, {target: {}}]}", "compose.yaml:2: compose does not understand an item of this list of volumes", true},
		{"an .env that breaks", "-- compose.yaml --\nservices: {a: {image: '$A', user: '${B:-0}'}}\n-- .env --\nA=1\nB='open\n", ".env:1: compose can't read this .env file to its end: the variables behind what breaks it are not known", false},
		{"an .env that is too big", "-- compose.yaml --\nservices: {a: {image: '$A'}}\n-- .env --\nA=" + strings.Repeat("x", 4<<20), ".env:0: this .env file is not read: it has more than 4194304 bytes; the variables in it are not known", false},
		{"a folder called .env", "-- compose.yaml --\nservices: {a: {image: i}}\n-- .env/bin/python --\n", "", false},
		{"no .env of an include", "-- compose.yaml --\ninclude:\n  - {path: c.yaml, env_file: none.env}\n-- c.yaml --\nservices: {a: {image: i}}", "compose.yaml:2: the .env of what is included is not read: no such file or directory", true},
		{"an .env outside", "-- compose.yaml --\ninclude:\n  - {path: c.yaml, env_file: ../x.env}\n-- c.yaml --\nservices: {a: {image: i}}", "compose.yaml:2: the file that is named as .env is outside of the project's folder and is not read", true},
		{"a file that is not there, twice", "-- compose.yaml --\nservices: {a: {image: i}}\ninclude:\n  - none.yaml\n  - none.yaml", "compose.yaml:3: what is included is not read: reading none.yaml: no such file or directory\ncompose.yaml:4: what is included is not read: reading none.yaml: no such file or directory", true},
		{"sections of their own", "-- compose.yaml --\nname: n\nversion: '3'\nx-a: [1]\nmodels: {m: {model: x}}\nservices: {a: {image: i, x-b: {}, models: [m], develop: {watch: []}, gpus: all}}", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := readProject(t, tt.archive)
			var got []string
			fatal := false
			for _, p := range m.Problems {
				got = append(got, fmt.Sprintf("%s:%d: %s", filepath.Base(p.At.File), p.At.Line, p.What))
				fatal = fatal || p.Fatal
			}
			if g := strings.Join(got, "\n"); g != tt.want || fatal != tt.fatal {
				t.Errorf("got %s\n(fatal %v), want %s", g, fatal, tt.want)
			}
		})
	}
}

// TestScopes reads one file with the variables of each part that includes it.
func TestScopes(t *testing.T) {
	m := readProject(t, `
-- compose.yaml --
include:
  - {path: a/compose.yaml}
  - {path: b/compose.yaml}
-- common.yaml --
services: {base: {image: "base:${TAG}"}}
-- a/compose.yaml --
services: {one: {extends: {file: ../common.yaml, service: base}}}
-- b/compose.yaml --
services: {two: {extends: {file: ../common.yaml, service: base}}}
-- a/.env --
TAG=a
-- b/.env --
TAG=b
`)
	for name, want := range map[string]string{"one": "base:a", "two": "base:b"} {
		if got := m.find(t, name).Containers[0].Image.Value; got != want {
			t.Errorf("the image of %s is %s, want %s", name, got, want)
		}
	}
	if len(m.Files) != 4 {
		t.Errorf("%d files, each counts once", len(m.Files))
	}
}

// TestWrittenInside keeps what a compose file holds for others to read: a Dockerfile,
// arguments, a config.
func TestWrittenInside(t *testing.T) {
	c := readProject(t, `
-- compose.yaml --
services:
  agent:
    build:
      args: ["A=${B:-1}", C]
      dockerfile_inline: |
        FROM ${BASE:-scratch}
    configs: [conf]
configs:
  conf:
    content: "a = ${B}"
`).find(t, "agent").Containers[0]
	if !c.Build.Inline || c.Build.Text.Value != "FROM scratch\n" || c.Build.Text.At.Line != 5 {
		t.Errorf("build %+v", c.Build)
	}
	if v := c.Build.Variables; len(v) != 2 || v[0].Raw != "${B:-1}" || v[0].From != "" || v[1].From != "the shell" || v[0].At.Line != 4 || c.Build.Args["A"] != "1" {
		t.Errorf("arguments %+v", c.Build)
	}
	if m := c.Mounts[0]; m.Kind != ConfigMount || m.Content.Name != "conf" || m.Content.Raw != "a = ${B}" || m.Content.At.Line != 10 {
		t.Errorf("config %+v", m)
	}
}

// TestSeveralFiles takes what the second file names as relative to the folder of the
// first, as compose does.
func TestSeveralFiles(t *testing.T) {
	dir := folder(t, `
-- app/compose.yaml --
services: {agent: {image: "i:${TAG}"}}
-- app/.env --
TAG=1
-- app/base.yaml --
services: {base: {user: "5"}}
-- more/over.yaml --
services: {agent: {extends: {file: base.yaml, service: base}, read_only: true}}
-- more/.env --
TAG=2
`)
	opt := options()
	opt.Root = dir
	m, err := ReadCompose([]string{filepath.Join(dir, "app/compose.yaml"), filepath.Join(dir, "more/over.yaml")}, opt)
	if err != nil || len(m.Problems) > 0 {
		t.Fatal(err, m)
	}
	c := m.find(t, "agent").Containers[0]
	if c.Image.Value != "i:1" || c.User.Value != "5" || !c.ReadOnly.True() || filepath.ToSlash(c.User.At.File) != "app/base.yaml" {
		t.Errorf("image %s, user %+v, read-only %v", c.Image.Value, c.User, c.ReadOnly.True())
	}
}
