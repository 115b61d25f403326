// Package scantest runs rules over images and Dockerfiles described in text. It
// is used by tests only.
//
// A fixture is a txtar archive:
//
//	An optional comment says what the fixture shows.
//	-- Dockerfile --
//	FROM scratch
//	COPY id_rsa /root/.ssh/id_rsa
//	RUN rm /root/.ssh/id_rsa
//	-- 1/root/.ssh/id_rsa mode=0600 --
//	{{key "OPENSSH"}}
//	-- 2/root/.ssh/.wh.id_rsa --
//	-- want --
//	Dockerfile:2[layer 1]/root/.ssh/id_rsa: error: SBX305 ...
//
// Files under N/ form layer N, which the Nth instruction that makes a layer
// brought; 0/ is a layer of the base image. An optional config.json holds an OCI
// image config whose members replace what the Dockerfile gives. An archive
// without layers and config.json is a Dockerfile to be audited alone; files under
// context/ are its build context. An optional file "options" has a line for each
// of "target STAGE", "build-arg NAME=VALUE", "sandbox NAME", "forbid NAME" and
// "no-dockerfile", which keeps the Dockerfile of an image from the audit. YAML files are the manifest by which
// the image is run, or what is audited alone: a compose project if one has a name of
// compose's own, else Kubernetes objects.
package scantest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A Fixture is a target described in text.
type Fixture struct {
	Dockerfile []byte            // nil if there is none
	Context    map[string][]byte // the build context, by relative name
	Manifests  map[string][]byte // how it is run, by relative name
	Image      *Image            // nil for a Dockerfile or a manifest alone
	Want       string
	Secrets    *Secrets

	target  string
	args    map[string]string
	sandbox []string
	forbid  []string
	hidden  bool // the Dockerfile serves to build the image only
}

// Read reads a fixture from a file.
func Read(file string) (*Fixture, error) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	f, err := parse(ar, filepath.Dir(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return f, nil
}

// Parse reads a fixture from its text.
func Parse(text string) (*Fixture, error) { return parse(txtar.Parse([]byte(text)), ".") }

func parse(ar *txtar.Archive, dir string) (*Fixture, error) {
	f := &Fixture{Context: map[string][]byte{}, Manifests: map[string][]byte{}, args: map[string]string{}, Secrets: &Secrets{}}
	layers := map[int][]txtar.File{}
	var config map[string]any
	for _, file := range ar.Files {
		body, err := f.Secrets.Expand(file.Data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
		switch top, rest, nested := strings.Cut(file.Name, "/"); {
		case file.Name == "Dockerfile":
			f.Dockerfile = body
		case file.Name == "want":
			f.Want = string(body)
		case file.Name == "config.json":
			if err := json.Unmarshal(body, &config); err != nil {
				return nil, fmt.Errorf("config.json: %w", err)
			}
		case file.Name == "options":
			if err := f.options(string(body)); err != nil {
				return nil, err
			}
		case isManifest(file.Name):
			f.Manifests[file.Name] = body
		case nested && top == "context":
			f.Context[rest] = body
		case nested:
			n, err := strconv.Atoi(top)
			if err != nil {
				return nil, fmt.Errorf("%s: neither a layer nor a known name", file.Name)
			}
			layers[n] = append(layers[n], txtar.File{Name: rest, Data: body})
		default:
			return nil, fmt.Errorf("%s: unknown name", file.Name)
		}
	}
	if len(layers) == 0 && config == nil {
		return f, nil
	}
	var err error
	f.Image, err = f.build(dir, layers, config)
	return f, err
}

func (f *Fixture) options(text string) error {
	for line := range strings.Lines(text) {
		switch k, v, _ := strings.Cut(strings.TrimSpace(line), " "); k {
		case "target":
			f.target = v
		case "build-arg":
			name, value, _ := strings.Cut(v, "=")
			f.args[name] = value
		case "sandbox":
			f.sandbox = append(f.sandbox, v)
		case "forbid":
			f.forbid = append(f.forbid, v)
		case "no-dockerfile":
			f.hidden = true
		default:
			return fmt.Errorf("options: unknown line %q", line)
		}
	}
	return nil
}

// evaluate reads the fixture's Dockerfile.
func (f *Fixture) evaluate() (*dockerfile.Build, error) {
	df, err := dockerfile.Parse("Dockerfile", f.Dockerfile, limits.Default())
	if err != nil {
		return nil, err
	}
	return df.Build(f.target, f.args)
}

// build makes the image of a fixture: config and history are what its Dockerfile
// gives, where config.json does not say otherwise.
func (f *Fixture) build(dir string, layers map[int][]txtar.File, config map[string]any) (*Image, error) {
	var tars [][]byte
	var history []any
	pack := func(n int, createdBy string) error {
		b, err := packLayer(dir, layers[n])
		delete(layers, n)
		tars = append(tars, b)
		history = append(history, map[string]any{"created_by": createdBy})
		return err
	}
	doc := map[string]any{}
	if layers[0] != nil {
		if err := pack(0, "a base image"); err != nil {
			return nil, err
		}
	}
	if f.Dockerfile != nil {
		b, err := f.evaluate()
		if err != nil {
			return nil, err
		}
		doc["config"] = configJSON(b)
		n := 0
		for _, s := range b.Steps {
			if !s.MakesLayer() {
				history = append(history, map[string]any{"created_by": createdBy(s), "empty_layer": true})
				continue
			}
			n++
			if err := pack(n, createdBy(s)); err != nil {
				return nil, err
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(layers)) {
		if err := pack(n, ""); err != nil {
			return nil, err
		}
	}
	if f.Dockerfile != nil {
		doc["history"] = history
	}
	maps.Copy(doc, config)
	return NewImage(doc, tars...)
}

// createdBy is the history text as BuildKit records it.
func createdBy(s *dockerfile.Step) string {
	text := strings.Join(s.Args, " ")
	switch s.Instr.Cmd {
	case "RUN":
		if !s.Instr.Exec {
			text = "/bin/sh -c " + text
		}
		return "RUN " + text + " # buildkit"
	case "COPY", "ADD":
		return s.Instr.Cmd + " " + text + " # buildkit"
	case "EXPOSE", "VOLUME":
		return s.Instr.Cmd + " [" + text + "]"
	}
	return s.Instr.Cmd + " " + text
}

func configJSON(b *dockerfile.Build) map[string]any {
	c := scan.ConfigOf(b)
	out := map[string]any{}
	set := func(k string, v any, there bool) {
		if there {
			out[k] = v
		}
	}
	keys := func(list []string) map[string]any {
		m := map[string]any{}
		for _, k := range list {
			m[k] = struct{}{}
		}
		return m
	}
	set("User", c.User, c.User != "")
	set("WorkingDir", c.WorkingDir, c.WorkingDir != "")
	set("Env", c.Env, c.Env != nil)
	set("Entrypoint", c.Entrypoint, c.Entrypoint != nil)
	set("Cmd", c.Cmd, c.Cmd != nil)
	set("Labels", c.Labels, c.Labels != nil)
	set("OnBuild", c.OnBuild, c.OnBuild != nil)
	set("ExposedPorts", keys(c.ExposedPorts), c.ExposedPorts != nil)
	set("Volumes", keys(c.Volumes), c.Volumes != nil)
	set("Healthcheck", map[string]any{"Test": c.Healthcheck}, c.Healthcheck != nil)
	return out
}

// Run checks every rule against the fixtures in dir/<rule name>/ and insists that
// each rule has one it reports on and one it does not. With update it rewrites
// what fixtures want.
func Run(t *testing.T, rules []*scan.Rule, dir string, update bool) {
	names := []string{"whole"}
	for _, r := range rules {
		names = append(names, r.Name)
		t.Run(r.Name, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(dir, r.Name, "*.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			var fires, quiet bool
			for _, file := range files {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
					judges := []*scan.Rule{r}
					if r.Last { // it judges what was said about the findings of the others
						judges = rules
					}
					got := Check(t, judges, file, update, r)
					fires, quiet = fires || got != "", quiet || got == ""
				})
			}
			if !fires || !quiet {
				t.Errorf("want a fixture that fires and one that does not in %s", filepath.Join(dir, r.Name))
			}
		})
	}
	dirs, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if d.IsDir() && !slices.Contains(names, d.Name()) {
			t.Errorf("%s: no rule of that name", filepath.Join(dir, d.Name()))
		}
	}
}

// Check runs rules over one fixture, compares the findings with what it wants,
// and returns them: those of the last rules given, or of all if none is.
func Check(t *testing.T, rules []*scan.Rule, file string, update bool, only ...*scan.Rule) string {
	t.Helper()
	f, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	res := f.Audit(t, rules)
	if len(only) > 0 {
		res.Findings = slices.DeleteFunc(res.Findings, func(f *scan.Finding) bool { return !slices.Contains(only, f.Rule) })
		res.Claims = slices.DeleteFunc(res.Claims, func(c scan.Claim) bool { return !slices.Contains(only, c.Rule) })
	}
	got := Text(res)
	switch {
	case update:
		rewrite(t, file, got)
	case got != f.Want:
		t.Errorf("%s\n got:\n%s\nwant:\n%s", file, got, f.Want)
	}
	for _, secret := range f.Secrets.All() {
		if strings.Contains(got, secret) {
			t.Errorf("%s: a finding shows a secret", file)
		}
	}
	return got
}

func rewrite(t *testing.T, file, want string) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" })
	ar.Files = append(ar.Files, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Text renders findings one step per line, stories and claims indented.
func Text(res *scan.Result) string {
	var b bytes.Buffer
	for _, f := range res.Findings {
		fmt.Fprintf(&b, "%s: %s: %s %s\n", cmp.Or(f.At.String(), "-"), f.Level, f.Rule.ID, f.Message)
		for _, n := range f.Notes {
			fmt.Fprintf(&b, "\t%s: %s\n", cmp.Or(n.At.String(), "-"), n.Message)
		}
	}
	for _, br := range res.Broken {
		fmt.Fprintf(&b, "broken: %s: %v\n", br.Rule.ID, br.Err)
	}
	return b.String()
}
