package manifest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// folder writes the files of a txtar archive below a new folder.
func folder(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		p := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func options() Options { return Options{Limits: limits.Default(), As: "."} }

// project reads the compose.yaml of an archive.
func readProject(t testing.TB, archive string) *Manifest {
	t.Helper()
	m, err := ReadCompose([]string{filepath.Join(folder(t, archive), "compose.yaml")}, options())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *Manifest) find(t testing.TB, name string) *Workload {
	t.Helper()
	for _, w := range m.Workloads {
		if w.Name == name {
			return w
		}
	}
	t.Fatalf("there is no workload %s", name)
	return nil
}

func TestProject(t *testing.T) {
	m := readProject(t, `
-- compose.yaml --
include:
  - infra/compose.yaml
x-base: &base
  user: "${UID:-1000}"
services:
  agent:
    <<: *base
    extends:
      file: common/base.yml
      service: hardened
    image: ${IMAGE}
    environment:
      MODE: own
-- compose.override.yaml --
services:
  agent:
    ports: ["8000:8000"]
    cap_drop: !override [NET_RAW]
    user: !reset null
-- common/base.yml --
services:
  root: {read_only: true}
  hardened:
    extends: root
    cap_drop: [ALL]
    environment: [MODE=base, EXTRA=1]
-- infra/compose.yaml --
services:
  router:
    image: ${ROUTER}
-- infra/.env --
ROUTER=router:2
-- .env --
IMAGE=agent:3
`)
	if len(m.Problems) > 0 {
		t.Fatalf("problems: %+v", m.Problems)
	}
	c := m.find(t, "agent").Containers[0]
	for _, tt := range []struct {
		what, got, want string
		at              Place
		place           string
	}{
		{"image", c.Image.Value, "agent:3", c.Image.At, "compose.yaml:11"},
		{"read_only of the base of the base", c.ReadOnly.Value, "true", c.ReadOnly.At, "common/base.yml:2"},
		{"cap_drop", c.CapDrop[0].Value, "NET_RAW", c.CapDrop[0].At, "compose.override.yaml:4"},
		{"MODE", c.Env[0].Raw, "own", c.Env[0].At, "compose.yaml:13"},
		{"EXTRA", c.Env[1].Raw, "1", c.Env[1].At, "common/base.yml:6"},
		{"port", c.Ports[0].Target, "8000", c.Ports[0].At, "compose.override.yaml:3"},
		{"included image", m.find(t, "router").Containers[0].Image.Value, "router:2", m.find(t, "router").At, "infra/compose.yaml:2"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %q, want %q", tt.what, tt.got, tt.want)
		}
		if got := filepath.ToSlash(tt.at.File) + ":" + strconv.Itoa(tt.at.Line); got != tt.place {
			t.Errorf("%s is at %s, want %s", tt.what, got, tt.place)
		}
	}
	if c.User.Given {
		t.Errorf("the user is %q, although an override resets it", c.User.Value)
	}
	if len(c.CapDrop) != 1 || len(c.Env) != 2 {
		t.Errorf("cap_drop %v, env %v", c.CapDrop, c.Env)
	}
}

// TestProjectStaysInside reads nothing outside of the project's folder.
func TestProjectStaysInside(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"include above", "include: [../other.yaml]", "outside of the project"},
		{"absolute include", "include: [/etc/hosts]", "outside of the project"},
		{"remote include", "include: [https://example.com/c.yaml]", "on another machine"},
		{"include of a variable", "include: ['${FILE}']", "variable FILE has no value"},
		{"extends above", "services: {a: {extends: {file: ../x.yaml, service: b}}}", "outside of the project"},
		{"link that leaves", "include: [link.yaml]", "is not read"},
		{"missing file", "include: [none.yaml]", "is not read"},
		{"include of itself", "include: [compose.yaml]", "includes itself"},
		{"circle of services", "services: {a: {extends: b}, b: {extends: a}}", "in a circle"},
		{"no such service", "services: {a: {extends: b}}", "no service b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, "-- p/compose.yaml --\nservices: {z: {image: z}}\n"+"-- other.yaml --\nservices: {stolen: {image: x}}\n")
			p := filepath.Join(dir, "p")
			text := tt.text
			if !strings.Contains(text, "services") {
				text += "\nservices: {z: {image: z}}"
			}
			if err := os.WriteFile(filepath.Join(p, "compose.yaml"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../other.yaml", filepath.Join(p, "link.yaml")); err != nil {
				t.Skip(err)
			}
			m, err := ReadCompose([]string{filepath.Join(p, "compose.yaml")}, options())
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range m.Workloads {
				if w.Name == "stolen" {
					t.Error("a file outside of the folder was read")
				}
			}
			if len(m.Problems) == 0 || !strings.Contains(m.Problems[0].What, tt.want) || !m.Problems[0].Fatal || m.Problems[0].At.Line == 0 {
				t.Errorf("problems %+v, want one with %q", m.Problems, tt.want)
			}
		})
	}
}

func TestShortForms(t *testing.T) {
	m := readProject(t, `
-- compose.yaml --
services:
  a:
    volumes:
      - /data
      - cache:/cache
      - ~:/home/me
      - ./x:/x:ro,z
      - C:\Users\me:/win
      - ${SRC:-/var/run/docker.sock}:/var/run/docker.sock
      - ${UNSET}:/unset
      - disk:/disk
    ports:
      - 80
      - "127.0.0.1:81:81/udp"
      - "[::1]:82:82"
      - "::1:83:83"
      - "9000-9100:9000-9100"
    extra_hosts: ["a=1.2.3.4", "b:::1"]
volumes:
  disk:
    driver_opts: {type: none, o: bind, device: /srv}
`)
	c := m.find(t, "a").Containers[0]
	for i, want := range []Mount{
		{Kind: Volume, Target: "/data"}, {Kind: Volume, Source: "cache", Target: "/cache"}, {Kind: HostPath, Source: "~", Target: "/home/me"},
		{Kind: HostPath, Source: "./x", Target: "/x", ReadOnly: true}, {Kind: HostPath, Source: `C:\Users\me`, Target: "/win"},
		{Kind: HostPath, Source: "/var/run/docker.sock", Target: "/var/run/docker.sock"},
		{Kind: HostPath, Source: "${UNSET}", Target: "/unset", Unknown: "the variable UNSET has no value here"},
		{Kind: HostPath, Source: "/srv", Target: "/disk"},
	} {
		got := c.Mounts[i]
		got.At = Place{}
		if got != want {
			t.Errorf("mount %d is %+v, want %+v", i, got, want)
		}
	}
	for i, want := range []Port{
		{Target: "80"}, {Address: "127.0.0.1", Published: "81", Target: "81"}, {Address: "::1", Published: "82", Target: "82"},
		{Address: "::1", Published: "83", Target: "83"}, {Published: "9000-9100", Target: "9000-9100"},
	} {
		got := c.Ports[i]
		got.At = Place{}
		if got != want {
			t.Errorf("port %d is %+v, want %+v", i, got, want)
		}
	}
	if c.Hosts[0].Value != "a=1.2.3.4" || c.Hosts[1].Value != "b=::1" {
		t.Errorf("hosts %v", c.Hosts)
	}
}

// TestProjectLimits ends on projects that would grow without bounds.
func TestProjectLimits(t *testing.T) {
	var doubled, diamond strings.Builder
	doubled.WriteString("-- compose.yaml --\nservices: {a: {image: '$V40', command: '$V12 $V12'}}\n-- .env --\nV0=xxxxxxxxxx\n")
	for i := range 40 {
		n := strconv.Itoa(i)
		doubled.WriteString("V" + strconv.Itoa(i+1) + "=$V" + n + "$V" + n + "\n")
		diamond.WriteString("-- c" + n + ".yaml --\ninclude: [c" + strconv.Itoa(i+1) + ".yaml, c" + strconv.Itoa(i+1) + ".yaml]\nservices: {s: {image: x}}\n")
	}
	c := readProject(t, doubled.String()).find(t, "a").Containers[0]
	if c.Image.Unknown == "" || len(c.Command[0].Value) != 2*40960+1 {
		t.Errorf("image %d bytes, %q; command %d bytes", len(c.Image.Value), c.Image.Unknown, len(c.Command[0].Value))
	}
	m := readProject(t, "-- compose.yaml --\ninclude: [c0.yaml]\n"+diamond.String()+"-- c40.yaml --\nservices: {z: {image: z}}\n")
	if len(m.Problems) == 0 || !strings.Contains(m.Problems[0].What, "more than 200 files") {
		t.Errorf("problems %+v", m.Problems)
	}
}

// TestProjectCost ends on projects that cost much more to read than they are long, and
// says that they were not read whole.
func TestProjectCost(t *testing.T) {
	list := func(n int, item func(i int) string) string {
		var out []string
		for i := range n {
			out = append(out, item(i))
		}
		return strings.Join(out, ", ")
	}
	service := func(name, text string) string { return "\n-- " + name + " --\nservices: {a: {image: i, " + text + "}}" }
	for name, archive := range map[string]string{
		"expressions behind each other":   service("compose.yaml", "command: ['"+strings.Repeat("${A:-x}", 20_000)+"']"),
		"expressions in each other":       service("compose.yaml", "command: ['"+strings.Repeat("${A:-", 20_000)+strings.Repeat("}", 20_000)+"']"),
		"many texts with expressions":     service("compose.yaml", "command: ["+list(2000, func(int) string { return "'" + strings.Repeat("${A:-x}", 200) + "'" })+"]"),
		"long lists over each other":      service("compose.yaml", "cap_add: ["+list(20_000, strconv.Itoa)+"]") + service("compose.override.yaml", "cap_add: ["+list(20_000, func(i int) string { return "x" + strconv.Itoa(i) })+"]"),
		"many short forms":                service("compose.yaml", "volumes: ["+list(40_000, func(i int) string { return "a:/" + strconv.Itoa(i) })+"]"),
		"one service in a thousand":       "\n-- compose.yaml --\nservices: {base: {image: i, environment: {" + list(50_000, func(i int) string { return "a" + strconv.Itoa(i) + ": b" }) + "}}, " + list(900, func(i int) string { return "s" + strconv.Itoa(i) + ": {extends: base}" }) + "}",
		"an .env file of comments":        service("compose.yaml", "user: '1'") + "\n-- .env --\n" + strings.Repeat("#\n", 200_000),
		"an .env file of one open quote":  service("compose.yaml", "user: '1'") + "\n-- .env --\nA='" + strings.Repeat("x\n", 100_000),
		"a variable in itself, and again": service("compose.yaml", "image: '$A'") + "\n-- .env --\n" + list(200, func(i int) string { return "\nA=" + strings.Repeat("$A${A:-xxxxxxxx}", 50) }),
	} {
		t.Run(name, func(t *testing.T) {
			m := readProject(t, archive)
			var said []string
			for _, w := range m.Workloads {
				for _, s := range w.Containers[0].Command {
					said = append(said, s.Unknown)
				}
			}
			for _, p := range m.Problems {
				said = append(said, p.What)
			}
			if name != "a variable in itself, and again" && len(said) == 0 {
				t.Error("nothing says that it was not read whole")
			}
		})
	}
}
