package manifest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/dotenv"
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
		"short forms": `
-- compose.yaml --
services:
  one:
    image: i
    build: ./ctx
    dns: 1.1.1.1
    tmpfs: /run
    env_file: one.env
    devices: [/dev/kvm, "/dev/fuse:/dev/f:r"]
    secrets: [key]
    configs: [conf, {source: conf, target: /etc/c}]
    extra_hosts: ["a=1.2.3.4", "b:5.6.7.8", "six=[::1]"]
    depends_on: [two]
    volumes: ["/data", "named:/n:ro", "./x/:/x/", "~/y:/y:rw,z", "../z:/z:ro,Z", 'C:\\w:/w', "/a/../b:/c/./d"]
    ports: [80, "81:81", "127.0.0.1:82:82/udp", "[::1]:83:83", "0.0.0.0::84", {target: 85, published: "8085", host_ip: 127.0.0.1}]
  two: {image: j, networks: [n], env_file: [a.env, {path: b.env, required: false}, {path: c.env, format: raw}]}
networks: {n: {}}
volumes: {named: {}}
secrets: {key: {file: ./key}}
configs: {conf: {content: "a=1"}}
-- one.env --
A=1
-- a.env --
-- c.env --
`,
		"the same item twice": `
-- compose.yaml --
services:
  one:
    image: i
    cap_add: [CHOWN, CHOWN, SETUID]
    volumes: ["./a:/x", "b:/y", "./c:/x"]
    ports: ["80:80", "80:80", "81:80"]
    environment: [A=1, B=2, A=3]
    command: [a, a, b]
    tmpfs: [/t, /t]
    devices: ["/dev/a:/dev/x", "/dev/b:/dev/x"]
    env_file: [e.env, e.env]
volumes: {b: {}}
-- e.env --
`,
		"tags at every depth": `
-- compose.yaml --
services:
  one:
    image: i
    user: "5"
    read_only: true
    deploy: {resources: {limits: {memory: 1g, cpus: "2"}}}
    ports: ["80:80", "81:81"]
    volumes: [a:/a, b:/b]
    cap_add: [CHOWN]
    networks: [n, m]
    build: {context: ., args: {A: "1", B: "2"}, target: t}
  gone: {image: x}
networks: {n: {}, m: {}}
volumes: {a: {}, b: {}}
-- compose.override.yaml --
services:
  one:
    privileged: !reset true
    user: !reset null
    read_only: !reset false
    ports: !override ["82:82"]
    volumes: !reset []
    cap_add: !override [SETUID]
    build: {args: {A: !reset null, C: "3"}, target: !reset ""}
    networks: !override {o: {}}
  gone: !reset {}
networks: {o: {}}
`,
		"a text over a list, a list over a text": `
-- compose.yaml --
services:
  one: {image: i, command: [a, b], entrypoint: /e, env_file: a.env, tmpfs: /one, dns: 1.1.1.1, build: .}
-- compose.override.yaml --
services:
  one: {command: c d, entrypoint: [x, y], env_file: [b.env], tmpfs: [/two], dns: [8.8.8.8], build: {dockerfile: D}}
-- a.env --
-- b.env --
`,
		"inline Dockerfile and configs": `
-- compose.yaml --
services:
  server:
    image: server
    build:
      context: .
      dockerfile_inline: |
        FROM scratch
        USER 5
      args: [A=1, B]
    configs: [{source: conf, target: /etc/server.toml}]
    volumes: ["/var/run/docker.sock:/var/run/docker.sock"]
    ports: ["${PORT:-8080}:8080"]
configs:
  conf:
    content: |
      [docker]
      drop = ["ALL"]
`,
		"what is not a container": `
-- compose.yaml --
name: x
version: "3"
x-base: &base {cap_drop: [ALL]}
services:
  agent:
    <<: *base
    image: i
    x-note: {privileged: true}
    models: [llm]
    develop: {watch: [{action: sync, path: ., target: /x}]}
models: {llm: {model: ai/smollm2}}
`,
		"several profiles": `
-- compose.yaml --
services:
  one: {image: i}
  two: {image: j, profiles: [debug], privileged: true}
  three: {image: k, profiles: [debug, test], depends_on: [two]}
`,
		"an include of several files with a folder and variables of its own": `
-- compose.yaml --
include:
  - path: [part/base.yaml, part/over.yaml]
    project_directory: part/dir
    env_file: [part/one.env, part/two.env]
  - path: other/compose.yaml
    env_file: /dev/null
services:
  agent: {image: "agent:${TAG}", depends_on: [router]}
-- part/base.yaml --
services: {router: {image: "router:${TAG}-${ROUTER}-${BOTH}", cap_add: [CHOWN], volumes: ["./x:/x"]}}
-- part/over.yaml --
services: {router: {cap_add: [SETUID], read_only: true, extends: {file: more.yaml, service: far}}}
-- part/dir/more.yaml --
services: {far: {user: "7", image: "far:${ROUTER}"}}
-- part/one.env --
ROUTER=r
BOTH=1
-- part/two.env --
BOTH=2
TAG=not-this
-- other/compose.yaml --
services: {other: {image: "other:${TAG:-none}-${NO:-none}"}}
-- other/.env --
NO=read
-- .env --
TAG=3
`,
		"extends has the variables of the project": `
-- compose.yaml --
services:
  one: {extends: {file: sub/c.yaml, service: a}, cap_add: [CHOWN]}
  two: {extends: one, user: "8", environment: {X: "1"}}
-- sub/c.yaml --
services:
  a: {image: "a:${TAG}", extends: {file: deep/d.yaml, service: b}, environment: [X=0, Y=2]}
-- sub/deep/d.yaml --
services: {b: {image: b, user: "9", ports: ["127.0.0.1:1:1"], cap_add: [CHOWN, FOWNER]}}
-- sub/.env --
TAG=not-this
-- .env --
TAG=4
`,
		"an .env file with quotes": `
-- compose.yaml --
services:
  one: {image: "$A|$B|$C|$D|$E|$F|$G|$H|$I", user: "${J}", command: ["${K}", "${L:-none}", "${M-none}"]}
-- .env --
# a comment 'with a quote
A=plain # and a comment
B='si$ngle "q"' # after it
C="dou\"ble ${A} $$x"
D="two
lines"
export E=ex
F: yaml
G=$A/$B
H="pa\$word"
I=it's
J =5
K=
`,
		"templates in defaults": `
-- compose.yaml --
services:
  sandbox:
    image: ${IMG:-ghcr.io/x/y:${V:-1.${MINOR:-0}}}
    command: ['${DNS:-"https://dns.example/q{?dns}"}', "$$HOME and $$$$", "${X:+set}${A:+set}", "${A?must be}", "{${A}}", "$", "$ 5", "${A:-}x}"]
    security_opt: ["seccomp:unconfined"]
    extra_hosts: ["host.docker.internal:host-gateway"]
    ports: ["127.0.0.1:${PORT:-8080}:8080"]
    volumes: ["~/.anthropic:/home/u/.anthropic", "${SOCK:-/var/run/docker.sock}:/var/run/docker.sock:ro"]
    shm_size: 2gb
    mem_limit: ${MEM:-4g}
    privileged: ${PRIV:-true}
-- .env --
A=a
`,
		"a runner and what runs in it": `
-- compose.yaml --
x-logging: &logging {driver: json-file, options: {max-size: 10m}}
services:
  runner:
    image: docker:dind
    privileged: true
    logging: *logging
    environment: &env
      MODE: runner
      LEVEL: info
    healthcheck: {test: [CMD, "true"], interval: 5s}
    networks: {inner: {aliases: [r]}, outer: null}
    deploy: {resources: {limits: {memory: 2g}}}
  gateway:
    image: gateway
    user: root
    environment: {<<: *env, MODE: gateway, EMPTY: ""}
    volumes: [{type: bind, source: /var/run/docker.sock, target: /var/run/docker.sock, read_only: true}, {type: tmpfs, target: /t}]
    networks: [inner]
    security_opt: [no-new-privileges:true]
    ulimits: {nofile: {soft: 1, hard: 2}, nproc: 5}
networks: {inner: {internal: true}, outer: {}}
-- compose.override.yaml --
services:
  runner: {healthcheck: {test: [NONE]}, logging: {driver: none}, networks: {inner: {aliases: [s]}}, depends_on: {gateway: {condition: service_healthy}}}
  gateway: {volumes: ["./sock:/var/run/docker.sock"], networks: {outer: {}}, ulimits: {nofile: 7}}
`,
	} {
		t.Run(name, func(t *testing.T) { compareWithCompose(t, archive) })
	}
}

func compareWithCompose(t *testing.T, archive string) {
	t.Helper()
	dir := folder(t, archive)
	files := []string{filepath.Join(dir, "compose.yaml")}
	m, err := ReadCompose(files, options())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Problems {
		if !strings.Contains(p.What, "stands in the compose file") {
			t.Errorf("problem %+v", p)
		}
	}
	if strings.Contains(archive, "compose.override.yaml") {
		files = append(files, filepath.Join(dir, "compose.override.yaml"))
	}
	env := map[string]string{}
	if strings.Contains(archive, "-- .env --") {
		if env, err = dotenv.GetEnvFromFile(nil, []string{filepath.Join(dir, ".env")}); err != nil {
			t.Fatal(err)
		}
	}
	project, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{WorkingDir: dir, ConfigFiles: types.ToConfigFiles(files), Environment: env},
		func(o *loader.Options) {
			o.SetProjectName("p", true)
			o.SkipResolveEnvironment, o.Profiles = true, []string{"*"}
		})
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
}

// ours is what was read of a service, in a form that can be compared.
func ours(w *Workload) string {
	c := w.Containers[0]
	var env, files, ports, mounts []string
	for _, v := range c.Env {
		env = append(env, v.Name+"="+v.Raw)
	}
	for _, f := range c.EnvFiles {
		files = append(files, filepath.Base(f.Value))
	}
	for _, p := range c.Ports {
		ports = append(ports, fmt.Sprintf("%s %s %s", p.Address, p.Published, p.Target))
	}
	for _, m := range c.Mounts {
		mounts = append(mounts, fmt.Sprintf("%v %s %s %v", m.Kind, base(m.Source), m.Target, m.ReadOnly))
	}
	var args []string
	for _, v := range c.Build.Variables {
		if v.From != "" {
			continue // compose leaves out what the shell does not have
		}
		args = append(args, v.Name+"="+v.Raw)
	}
	return lines(c.Image.Value, c.User.Value, inOrder(c.Command), inOrder(c.Entry), c.ReadOnly.True(), c.Privileged.True(),
		texts(c.CapAdd), texts(c.CapDrop), env, files, ports, mounts, texts(c.Hosts), c.Escalation.False(), c.Memory.Given,
		c.Build.Given, filepath.Base(c.Build.Dockerfile), c.Build.Target, args, c.Build.Text.Value)
}

// inOrder are the words of a command, in their order.
func inOrder(list []Setting) string {
	out, _ := words(list)
	return strings.Join(out, ",")
}

func theirs(s types.ServiceConfig) string {
	var env, files, ports, mounts, args, hosts []string
	for k, v := range s.Environment {
		env = append(env, k+"="+*v)
	}
	for _, f := range s.EnvFiles {
		files = append(files, filepath.Base(f.Path))
	}
	for _, p := range s.Ports {
		ports = append(ports, fmt.Sprintf("%s %s %d", p.HostIP, p.Published, p.Target))
	}
	kinds := map[string]MountKind{"bind": HostPath, "volume": Volume, "tmpfs": Scratch}
	for _, v := range s.Volumes {
		mounts = append(mounts, fmt.Sprintf("%v %s %s %v", kinds[v.Type], base(v.Source), v.Target, v.ReadOnly))
	}
	for _, t := range s.Tmpfs {
		mounts = append(mounts, fmt.Sprintf("%v %s %s %v", Scratch, base(""), t, false))
	}
	for _, d := range s.Devices {
		mounts = append(mounts, fmt.Sprintf("%v %s %s %v", Device, base(d.Source), d.Target, false))
	}
	for _, e := range s.Configs {
		target := e.Target
		if target == "" {
			target = "/" + e.Source
		}
		mounts = append(mounts, fmt.Sprintf("%v %s %s %v", ConfigMount, "config "+e.Source, target, true))
	}
	for _, e := range s.Secrets {
		mounts = append(mounts, fmt.Sprintf("%v %s %s %v", ConfigMount, "secret "+e.Source, e.Target, true))
	}
	hosts = s.ExtraHosts.AsList("=")
	build, dockerfile, target, text := s.Build != nil, "", "", ""
	if build {
		dockerfile, target, text = s.Build.Dockerfile, s.Build.Target, s.Build.DockerfileInline
		if dockerfile == "Dockerfile" {
			dockerfile = "" // what compose takes for none
		}
		for k, v := range s.Build.Args {
			value := ""
			if v != nil {
				value = *v
			}
			args = append(args, k+"="+value)
		}
	}
	return lines(s.Image, s.User, strings.Join(s.Command, ","), strings.Join(s.Entrypoint, ","), s.ReadOnly, s.Privileged,
		s.CapAdd, s.CapDrop, env, files, ports, mounts, hosts, slices.Contains(s.SecurityOpt, "no-new-privileges:true"),
		s.MemLimit > 0 || s.Deploy != nil && s.Deploy.Resources.Limits != nil && s.Deploy.Resources.Limits.MemoryBytes > 0,
		build, filepath.Base(dockerfile), target, args, text)
}

// base is what a source is called whatever folder it is relative to.
func base(source string) string {
	return filepath.Base(strings.ReplaceAll(source, `\`, "/"))
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
