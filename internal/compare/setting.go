package compare

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A Setting is a part of the config in which the sides differ. Of a list that is a set,
// such as that of variables, only the difference is told.
type Setting struct {
	Name                    string // "user"
	Field                   string // of the config: "User"; empty if it is none
	Old, New                string // values, foreign; empty where it has none, or where it is a set
	Added, Removed, Changed []string
}

// settings tells what differs of how the two sides start. The values of variables are
// compared and never kept.
func (c *Comparison) settings() {
	if c.Old.Result == nil || c.New.Result == nil {
		return
	}
	old, now := &c.Old.Result.Target, &c.New.Result.Target
	if old.Image.NoConfig || now.Image.NoConfig || old.NoImage || now.NoImage {
		return
	}
	// What an image that was not read brings along is unknown.
	sure := old.Image.UnreadBase == now.Image.UnreadBase
	one := func(name, field, a, b string) {
		if a != b && (sure || a != "" && b != "") {
			c.Settings = append(c.Settings, Setting{Name: name, Field: field, Old: a, New: b})
		}
	}
	many := func(name string, a, b []string, changed []string) {
		s := Setting{Name: name, Changed: changed}
		if sure {
			s.Added, s.Removed = less(b, a), less(a, b)
		}
		if len(s.Added)+len(s.Removed)+len(s.Changed) > 0 {
			c.Settings = append(c.Settings, s)
		}
	}
	a, b := old.Image.Config, now.Image.Config
	one("user", "User", a.User, b.User)
	one("entrypoint", "Entrypoint", words(a.Entrypoint), words(b.Entrypoint))
	one("cmd", "Cmd", words(a.Cmd), words(b.Cmd))
	x, y := variables(a), variables(b)
	many("env", slices.Sorted(maps.Keys(x)), slices.Sorted(maps.Keys(y)), differing(x, y))
	many("ports", a.ExposedPorts, b.ExposedPorts, nil)
	if x, y := base(old), base(now); x != y {
		c.Settings = append(c.Settings, Setting{Name: "base", Old: x, New: y})
	}
}

// less is what is in a and not in b.
func less(a, b []string) []string {
	have := map[string]bool{}
	for _, s := range b {
		have[s] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return have[s] })
}

// words is a command as one would type it: python -m agent.
func words(argv []string) string {
	var out []string
	for _, s := range argv {
		if s == "" || strings.ContainsAny(s, " \t\n\"'") {
			s = strconv.Quote(s)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// variables are those in Env by their names, each with the value that a process sees: the
// last one.
func variables(c image.Config) map[string]string {
	out := map[string]string{}
	for _, kv := range c.Env {
		name, value, _ := strings.Cut(kv, "=")
		out[name] = value
	}
	return out
}

// differing are the names of variables that both have, with other values, sorted.
func differing(a, b map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if y, ok := b[name]; ok && a[name] != y {
			out = append(out, name)
		}
	}
	return out
}

// Annotations that say what an image is based on (OCI image-spec, annotations.md); some
// builders write them as labels.
const (
	baseName   = "org.opencontainers.image.base.name"
	baseDigest = "org.opencontainers.image.base.digest"
)

// base is what a target is built on, as its Dockerfile or its labels say; empty if
// neither does.
func base(t *scan.Target) string {
	if t.Build != nil && t.Build.BaseKnown {
		return t.Build.Base
	}
	name, digest := t.Image.Config.Labels[baseName], t.Image.Config.Labels[baseDigest]
	switch {
	case digest == "" || strings.Contains(name, "@"):
		return name
	case name == "":
		return digest
	}
	return name + "@" + digest
}
