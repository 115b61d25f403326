package manifest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// TestTruth compares what is read of a project with what compose itself makes of it.
func TestTruth(t *testing.T) {
	for name, archive := range map[string]string{
		"merge keys and anchors": `
-- compose.yaml --
x-a: &a {read_only: true, cap_drop: [ALL]}
x-b: &b {read_only: false, user: "7"}
services:
  one: {<<: [*a, *b], image: i, environment: &env {A: "1", B: "2"}}
  two: {<<: *b, image: i, environment: {<<: *env, B: "3"}}
`,
		"override": `
-- compose.yaml --
services:
  one:
    image: i
    command: [a, b]
    entrypoint: /e
    environment: [A=1, B=2]
    cap_add: [CHOWN, SETUID]
    volumes: ["./a:/x", "./b:/y:ro", "named:/z"]
    ports: ["80:80", "127.0.0.1:81:81"]
    networks: [in]
    security_opt: [no-new-privileges:true]
    extra_hosts: ["h:1.2.3.4"]
networks: {in: {internal: true}, out: {}}
volumes: {named: {}}
-- compose.override.yaml --
services:
  one:
    command: [c]
    environment: {B: "3", C: "4"}
    cap_add: [SETUID, SETGID]
    volumes: ["./c:/x"]
    ports: ["82:82"]
    networks: [out]
    mem_limit: 1g
  two: {image: j, privileged: true}
`,
		"extends": `
-- compose.yaml --
services:
  base: {image: b, environment: {A: "1"}, cap_drop: [ALL], networks: [n]}
  one: {extends: {service: base}, environment: {B: "2"}, read_only: true}
  two: {extends: {file: other/c.yaml, service: far}, user: "5"}
networks: {n: {}}
volumes: {data: {}}
-- other/c.yaml --
services:
  far: {image: far, user: "6", environment: [Z=9], volumes: ["data:/data"]}
`,
		"include and reset": `
-- compose.yaml --
include: [sub/compose.yaml]
services:
  one: {image: "${IMG:-none}", user: "${WHO}"}
-- compose.override.yaml --
services:
  one: {user: !reset null, environment: !override {X: "1"}}
-- sub/compose.yaml --
services: {two: {image: "sub:${TAG:-1}", ports: ["127.0.0.1:9:9"]}}
-- .env --
IMG=real
WHO=me
TAG=2
`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, archive)
			files := []string{filepath.Join(dir, "compose.yaml")}
			m, err := ReadCompose(files, options())
			if err != nil || len(m.Problems) > 0 {
				t.Fatal(err, m)
			}
			if strings.Contains(archive, "compose.override.yaml") {
				files = append(files, filepath.Join(dir, "compose.override.yaml"))
			}
			env := map[string]string{"IMG": "real", "WHO": "me", "TAG": "2"}
			project, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{WorkingDir: dir, ConfigFiles: types.ToConfigFiles(files), Environment: env},
				func(o *loader.Options) { o.SetProjectName("p", true); o.SkipResolveEnvironment = true })
			if err != nil {
				t.Fatal(err)
			}
			if len(project.Services) != len(m.Workloads) {
				t.Errorf("compose has %d services, and %d were read", len(project.Services), len(m.Workloads))
			}
			for _, s := range project.Services {
				if got, want := ours(m.find(t, s.Name)), theirs(s); got != want {
					t.Errorf("service %s\n got %s\nwant %s", s.Name, got, want)
				}
			}
		})
	}
}

// ours is what was read of a service, in a form that can be compared.
func ours(w *Workload) string {
	c := w.Containers[0]
	var env, ports, mounts []string
	for _, v := range c.Env {
		env = append(env, v.Name+"="+v.Raw)
	}
	for _, p := range c.Ports {
		ports = append(ports, fmt.Sprintf("%s %s %s", p.Address, p.Published, p.Target))
	}
	for _, m := range c.Mounts {
		mounts = append(mounts, fmt.Sprintf("%v %s %s %v", m.Kind == HostPath, filepath.Base(m.Source), m.Target, m.ReadOnly))
	}
	return lines(c.Image.Value, c.User.Value, texts(c.Command), texts(c.Entry), c.ReadOnly.True(), c.Privileged.True(),
		texts(c.CapAdd), texts(c.CapDrop), env, ports, mounts, c.Escalation.False(), c.Memory.Given)
}

func theirs(s types.ServiceConfig) string {
	var env, ports, mounts []string
	for k, v := range s.Environment {
		env = append(env, k+"="+*v)
	}
	for _, p := range s.Ports {
		ports = append(ports, fmt.Sprintf("%s %s %d", p.HostIP, p.Published, p.Target))
	}
	for _, v := range s.Volumes {
		mounts = append(mounts, fmt.Sprintf("%v %s %s %v", v.Type == "bind", filepath.Base(v.Source), v.Target, v.ReadOnly))
	}
	return lines(s.Image, s.User, []string(s.Command), []string(s.Entrypoint), s.ReadOnly, s.Privileged,
		s.CapAdd, s.CapDrop, env, ports, mounts, slices.Contains(s.SecurityOpt, "no-new-privileges:true"), s.MemLimit > 0)
}

func texts(list []Setting) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.Value)
	}
	return out
}

func lines(parts ...any) string {
	var out []string
	for _, p := range parts {
		if list, ok := p.([]string); ok {
			list = slices.Clone(list)
			slices.Sort(list)
			p = strings.Join(list, ",")
		}
		out = append(out, fmt.Sprint(p))
	}
	return strings.Join(out, " | ")
}
