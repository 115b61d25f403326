package manifest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Role is what a workload or container is for.
type Role uint8

// The roles. The zero role is not known.
const (
	Unclear      Role = iota
	Sandbox           // it runs untrusted code
	Surroundings      // proxies, control planes, stores and all else round the sandbox
)

// RoleLabel is the label by which a workload says what it is: "sandbox", or anything
// else for what is none.
const RoleLabel = "sandbox-audit/role"

// around are words in names and images of what is no sandbox.
var around = []string{
	"proxy", "router", "gateway", "ingress", "egress", "controller", "controlplane", "operator", "orchestrator", "manager", "scheduler",
	"dispatcher", "api", "server", "backend", "frontend", "web", "webhook", "ui", "dashboard", "console", "db", "database", "cache", "queue",
	"broker", "store", "storage", "registry", "monitor", "monitoring", "exporter", "metrics", "logger", "logging", "collector", "otel",
	"sidecar", "init", "migrate", "migrations", "seed", "auth", "sso", "dns", "vault", "control", "snapshotter", "plugin", "driver", "runner-manager",
	"postgres", "postgresql", "mysql", "mariadb", "mongo", "mongodb", "redis", "valkey", "memcached", "rabbitmq", "kafka", "nats", "minio",
	"elasticsearch", "opensearch", "qdrant", "weaviate", "milvus", "chroma", "etcd", "consul", "nginx", "traefik", "caddy", "haproxy", "envoy",
	"squid", "tinyproxy", "mitmproxy", "istio", "linkerd", "prometheus", "grafana", "loki", "jaeger", "fluentd", "fluentbit", "vector",
	"dex", "keycloak", "maildev", "mailhog", "adminer", "pgadmin", "watchtower", "certbot", "dind",
}

// within are words in names of what runs untrusted code.
var within = []string{
	"sandbox", "sandboxes", "agent", "agents", "executor", "interpreter", "jupyter", "notebook", "kernel", "session", "untrusted", "workspace",
	"devcontainer", "browser", "chrome", "chromium", "computer", "coder", "runner", "worker", "playground", "repl", "exec",
}

var nameWord = regexp.MustCompile(`[a-z0-9]+`)

// guess tells a role from a name: its last word that is known decides, as in
// "sandbox-router" and "router-sandbox".
func guess(name string) (Role, string) {
	words := nameWord.FindAllString(strings.ToLower(name), -1)
	for _, w := range slices.Backward(words) {
		switch {
		case slices.Contains(around, w):
			return Surroundings, w
		case slices.Contains(within, w):
			return Sandbox, w
		}
	}
	return Unclear, ""
}

// Repository is the last part of an image's name, without tag and digest.
func Repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	base := path.Base(image)
	base, _, _ = strings.Cut(base, ":")
	return base
}

// tellApart says of all workloads which are sandboxes, and which names none of them has.
func (o Options) tellApart(ws []*Workload) (missing []string) {
	if len(o.Sandbox) > 0 {
		return tellApart(ws, o.Sandbox, "with --sandbox")
	}
	usual := slices.DeleteFunc(slices.Clone(o.Usual), func(n string) bool { return !has(ws, n) })
	return tellApart(ws, usual, "in the configuration")
}

func has(ws []*Workload, name string) bool {
	return slices.ContainsFunc(ws, func(w *Workload) bool { return w.is(name) })
}

// tellApart says of all workloads which are sandboxes, and why. Names that the user
// gives decide, then labels, then what an object is for, then names and images. If
// nothing says anything, what is not known to be something else is the sandbox.
func tellApart(ws []*Workload, names []string, where string) (missing []string) {
	for _, n := range names {
		if !has(ws, n) {
			missing = append(missing, n)
		}
	}
	for _, w := range ws {
		w.guess()
	}
	switch {
	case len(names) > 0:
		choose(ws, func(w *Workload) bool { return slices.ContainsFunc(names, w.is) }, "it is named "+where, "another is named "+where)
	case slices.ContainsFunc(ws, func(w *Workload) bool { return w.Labels[RoleLabel] == "sandbox" }):
		choose(ws, func(w *Workload) bool { return w.Labels[RoleLabel] == "sandbox" }, "its label "+RoleLabel+" says so", "another has the label "+RoleLabel)
	case !slices.ContainsFunc(ws, func(w *Workload) bool { return w.Role == Sandbox }):
		for _, w := range ws {
			if w.Role == Unclear {
				w.Role, w.Why = Sandbox, "nothing says that it is something else"
			}
		}
	default:
		for _, w := range ws {
			if w.Role == Unclear {
				w.Role, w.Why = Surroundings, "another is named like a sandbox"
			}
		}
	}
	for _, w := range ws {
		w.containers(names)
	}
	return missing
}

func choose(ws []*Workload, is func(*Workload) bool, why, whyNot string) {
	for _, w := range ws {
		if is(w) {
			w.Role, w.Why = Sandbox, why
		} else {
			w.Role, w.Why = Surroundings, whyNot
		}
	}
}

// is reports whether a workload, or a container of it, has a name that a user gave.
func (w *Workload) is(name string) bool {
	return w.Name == name || w.String() == name || strings.EqualFold(w.Kind+"/"+w.Name, name) ||
		slices.ContainsFunc(w.Containers, func(c *Container) bool { return c.Name == name && len(w.Containers) > 1 })
}

// guess tells the role of a workload by itself.
func (w *Workload) guess() {
	if l := w.Labels[RoleLabel]; l != "" && l != "sandbox" {
		w.Role, w.Why = Surroundings, "its label "+RoleLabel+" says "+l
		return
	}
	switch {
	case strings.HasSuffix(w.Kind, "Sandbox") || w.Kind == "SandboxTemplate" || w.Kind == "SandboxWarmPool":
		w.Role, w.Why = Sandbox, "it is a "+w.Kind
		return
	case w.Kind == "DaemonSet":
		w.Role, w.Why = Surroundings, "a DaemonSet runs on every node"
		return
	}
	role, word := guess(w.Name)
	if role != Unclear {
		w.Role, w.Why = role, fmt.Sprintf("its name says %s", word)
		return
	}
	if main := w.main(); main != nil {
		if role, word = guess(Repository(main.Image.Value)); role != Unclear {
			w.Role, w.Why = role, fmt.Sprintf("its image says %s", word)
		}
	}
}

// main is the only container that can be what the workload is for; nil if there are
// several.
func (w *Workload) main() *Container {
	var found *Container
	for _, c := range w.Containers {
		if c.Aside != "" {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// containers tells the containers of a sandbox apart from its sidecars.
func (w *Workload) containers(names []string) {
	if w.Role != Sandbox {
		return
	}
	only := w.main()
	named := slices.ContainsFunc(w.Containers, func(c *Container) bool { return slices.Contains(names, c.Name) && len(w.Containers) > 1 })
	for _, c := range w.Containers {
		role, word := guess(c.Name)
		if role == Unclear {
			role, word = guess(Repository(c.Image.Value))
		}
		switch {
		case named:
			c.Role = Surroundings
			if slices.Contains(names, c.Name) {
				c.Role = Sandbox
			}
		case c.Aside != "":
			c.Role, c.Why = Surroundings, c.Aside
		case c == only || role != Surroundings:
			c.Role = Sandbox
		default:
			c.Role, c.Why = Surroundings, fmt.Sprintf("its name or image says %s", word)
		}
	}
	if len(w.Sandboxed()) == 0 { // all look like sidecars
		for _, c := range w.Containers {
			if c.Aside == "" {
				c.Role, c.Why = Sandbox, ""
			}
		}
	}
}
