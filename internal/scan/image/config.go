package image

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A Config is the part of an OCI image config that decides how a container
// starts and what it is made of (OCI image-spec, config.md). It is decoded field
// by field: one unreadable field does not hide the others.
type Config struct {
	OS, Architecture, Variant string

	User         string
	Env          []string // "NAME=value", in order
	Entrypoint   []string
	Cmd          []string
	WorkingDir   string
	ExposedPorts []string // "22/tcp", sorted
	Volumes      []string // sorted
	Labels       map[string]string
	Healthcheck  []string // Healthcheck.Test; Docker's format only
	OnBuild      []string // Docker's format only
	Shell        []string // Docker's format only
	StopSignal   string

	DiffIDs []string
	History []History
}

// History is one entry of a config's history.
type History struct {
	CreatedBy  string
	Comment    string
	EmptyLayer bool
}

// Getenv returns the last value of a variable in Env, as a process sees it.
func (c *Config) Getenv(name string) (value string, ok bool) {
	for _, kv := range c.Env {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			value, ok = kv[len(name)+1:], true
		}
	}
	return value, ok
}

// A configDocument is a config before its fields are decoded.
type configDocument struct {
	OS, Architecture, Variant values
	Config                    values
	RootFS                    values `json:"rootfs"`
	History                   values
}

// A runDocument is the "config" field of a config.
type runDocument struct {
	User, Env, Entrypoint, Cmd, WorkingDir, ExposedPorts, Volumes values
	Labels, Healthcheck, OnBuild, Shell, StopSignal               values
}

// The names of the fields as the specification writes them.
var (
	configFields = []string{"os", "architecture", "variant", "config", "rootfs", "history"}
	runFields    = []string{
		"User", "Env", "Entrypoint", "Cmd", "WorkingDir", "ExposedPorts", "Volumes",
		"Labels", "Healthcheck", "OnBuild", "Shell", "StopSignal",
	}
)

// values are all values of one key, in order: runtimes decode a repeated key into
// the same place again.
type values []json.RawMessage

// UnmarshalJSON keeps one more value.
func (v *values) UnmarshalJSON(b []byte) error {
	*v = append(*v, bytes.Clone(b))
	return nil
}

// ParseConfig reads an image config field by field, in the way of the runtimes
// that are written in Go. A field of the wrong type is a Problem and the others
// are used; so are keys that stand twice or in a case that only some readers
// accept. It fails if b is no JSON object, names no rootfs, or its diff IDs are
// not "sha256:" digests: then nothing says what the image is made of.
func ParseConfig(b []byte, lim limits.Limits) (Config, []Problem, error) {
	if int64(len(b)) > lim.ConfigBytes {
		return Config{}, nil, fmt.Errorf("reading the config: %w", limitError("bytes of a config", lim.ConfigBytes, "--max-config-bytes"))
	}
	var doc configDocument
	repeated, err := DecodeJSON(b, lim, &doc)
	if err != nil {
		return Config{}, nil, fmt.Errorf("reading the config: %w", err)
	}
	p := configParser{}
	for _, key := range repeated {
		p.ambiguous("the config key " + key + " stands more than once; readers differ on which counts")
	}
	p.oddCase(b, "", configFields)
	if err := p.rootfs(doc.RootFS, lim); err != nil {
		return Config{}, p.problems, fmt.Errorf("reading the config: %w", err)
	}
	c := &p.config
	p.field("os", doc.OS, &c.OS)
	p.field("architecture", doc.Architecture, &c.Architecture)
	p.field("variant", doc.Variant, &c.Variant)
	p.history(doc.History)
	p.run(doc.Config)
	return p.config, p.problems, nil
}

// A configParser collects what can be read of a config.
type configParser struct {
	config   Config
	problems []Problem
}

func (p *configParser) ambiguous(what string) {
	p.problems = append(p.problems, Problem{Kind: Ambiguous, Layer: -1, What: what, Hint: "rebuild the image"})
}

// field decodes every value of a key into v, a pointer. What fits of a value
// that does not fit as a whole is kept.
func (p *configParser) field(name string, vs values, v any) {
	for _, raw := range vs {
		if json.Unmarshal(raw, v) != nil {
			p.ambiguous("config field " + name + " is unreadable")
			return
		}
	}
}

// oddCase reports the keys of an object that are fields only if case is ignored.
func (p *configParser) oddCase(object []byte, path string, fields []string) {
	var keys map[string]json.RawMessage
	if json.Unmarshal(object, &keys) != nil {
		return // told where the object is decoded
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		i := slices.IndexFunc(fields, func(f string) bool { return f != k && foldCase(f) == foldCase(k) })
		if i >= 0 {
			p.ambiguous(fmt.Sprintf("config field %s is written %q; not every reader takes it for one", path+fields[i], k))
		}
	}
}

func (p *configParser) rootfs(vs values, lim limits.Limits) error {
	var rootfs *struct {
		DiffIDs []string `json:"diff_ids"`
	}
	for _, raw := range vs {
		if err := json.Unmarshal(raw, &rootfs); err != nil {
			return errors.New("its rootfs is unreadable")
		}
	}
	if rootfs == nil {
		return errors.New("it has no rootfs, so nothing says which layers the image has")
	}
	if len(rootfs.DiffIDs) > lim.Layers {
		return limitError("layers of one image", int64(lim.Layers), "--max-layers")
	}
	for i, id := range rootfs.DiffIDs {
		if !IsDigest(id) {
			return fmt.Errorf("the diff ID of layer %d is no sha256 digest: %.80q", i+1, id)
		}
	}
	p.config.DiffIDs = rootfs.DiffIDs
	return nil
}

// IsDigest reports whether s is "sha256:" and 64 lower-case hexadecimal digits
// (OCI image-spec, descriptor.md, "Digests").
func IsDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

func (p *configParser) history(vs values) {
	var entries []struct {
		CreatedBy  string `json:"created_by"`
		Comment    string `json:"comment"`
		EmptyLayer bool   `json:"empty_layer"`
	}
	p.field("history", vs, &entries)
	for _, e := range entries {
		p.config.History = append(p.config.History, History(e))
	}
}

// run reads how a container is started.
func (p *configParser) run(vs values) {
	var doc runDocument
	for _, raw := range vs {
		if json.Unmarshal(raw, &doc) != nil {
			p.ambiguous("config field config is unreadable")
			return
		}
		p.oddCase(raw, "config.", runFields)
	}
	c := &p.config
	p.field("User", doc.User, &c.User)
	p.field("Env", doc.Env, &c.Env)
	p.field("Entrypoint", doc.Entrypoint, &c.Entrypoint)
	p.field("Cmd", doc.Cmd, &c.Cmd)
	p.field("WorkingDir", doc.WorkingDir, &c.WorkingDir)
	p.field("Labels", doc.Labels, &c.Labels)
	p.field("OnBuild", doc.OnBuild, &c.OnBuild)
	p.field("Shell", doc.Shell, &c.Shell)
	p.field("StopSignal", doc.StopSignal, &c.StopSignal)
	c.ExposedPorts = p.set("ExposedPorts", doc.ExposedPorts)
	c.Volumes = p.set("Volumes", doc.Volumes)
	var health struct{ Test []string }
	p.field("Healthcheck", doc.Healthcheck, &health)
	c.Healthcheck = health.Test
}

// set reads an object of which only the keys matter, sorted.
func (p *configParser) set(name string, vs values) []string {
	var keys map[string]json.RawMessage
	p.field(name, vs, &keys)
	return slices.Sorted(maps.Keys(keys))
}
