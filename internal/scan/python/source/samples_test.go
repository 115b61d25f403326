package source

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/lift"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc/pyctest"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/trace"
)

// samples are the programs that package trace judges, as sources and as bytecode.
var samples = filepath.Join("..", "trace", "testdata")

// A sampleDir stands for the modules beside a sample, the standard library, and
// agentrt, which is third-party.
type sampleDir struct {
	dir, suffix string
	load        func(path string) (*ir.Module, error)
}

func (d sampleDir) module(name string) (*ir.Module, error) {
	return d.load(filepath.Join(samples, d.dir, name+d.suffix))
}

func (d sampleDir) Find(name string) trace.Found {
	if top, _, _ := strings.Cut(name, "."); top == "agentrt" {
		return trace.Found{Origin: trace.ThirdParty}
	}
	m, err := d.module(name)
	if err != nil {
		return trace.Found{Origin: trace.StandardLibrary}
	}
	return trace.Found{Origin: trace.FirstParty, Module: m}
}

func loadSource(path string) (*ir.Module, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Compile(filepath.Base(path), data, Options{Limits: DefaultLimits()})
}

func loadBytecode(path string) (*ir.Module, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := pyc.Read(data, pyc.DefaultLimits())
	if err != nil {
		return nil, err
	}
	return lift.Module(f, strings.TrimSuffix(filepath.Base(path), "c"), lift.DefaultLimits())
}

// TestSourceHasEffectsOfBytecode analyses each sample from its source and from
// bytecode: both show the same verdicts, and the same effects on the ways to the same
// places.
func TestSourceHasEffectsOfBytecode(t *testing.T) {
	var labels map[string]struct{ Drop, Env string }
	b, err := os.ReadFile(filepath.Join(samples, "src", "labels.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &labels); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if labels[name].Drop == "-" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			got := outcome(t, sampleDir{"src", ".py", loadSource}, name)
			for _, version := range []string{"3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"} {
				want := outcome(t, sampleDir{version, ".pyc", loadBytecode}, name)
				if g, w := told(got), told(want); !slices.Equal(g, w) {
					t.Errorf("source:\n%s\nbytecode of %s:\n%s", strings.Join(g, "\n"), version, strings.Join(w, "\n"))
				}
			}
		})
	}
}

func outcome(t *testing.T, d sampleDir, name string) effect.Outcome {
	t.Helper()
	m, err := d.module(name)
	if err != nil {
		t.Fatal(err)
	}
	watched := []string{"SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"}
	start := effect.Start(effect.Number(0), effect.Number(0), len(watched))
	return trace.Analyse(m, d, start, trace.Options{Watched: watched})
}

// told describes an outcome.
func told(o effect.Outcome) []string {
	paths := map[string]bool{}
	for _, p := range o.Judged() {
		s := fmt.Sprintf("%v %s %s %s:", p.Sink.Kind, p.Sink.Call, p.Sink.Place, p.Sink.Place.Function)
		for _, e := range p.Past.Effects() {
			s += fmt.Sprintf("\n    %v %s %s %v %v %s", e.Kind, e.Place, e.Call, e.Failed, e.Variables, e.Note)
		}
		paths[s] = true
	}
	return append([]string{fmt.Sprint(o.Dropped(), o.Environment(), o.Complete, o.Losses)}, slices.Sorted(maps.Keys(paths))...)
}

// TestLibraryHasEffectsOfBytecode analyses modules of the standard library as if they
// were entry points, from their sources and from their bytecode.
func TestLibraryHasEffectsOfBytecode(t *testing.T) {
	const version = 11 // the last in which all comprehensions are functions, as they are here
	for _, in := range pyctest.Interpreters(t) {
		if in.Version != version {
			continue
		}
		in.Modules(t, false, func(m pyctest.Module) {
			f, err := pyc.Read(m.Bytecode, pyc.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			code, err := lift.Module(f, filepath.Base(m.File), lift.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			source, err := loadSource(m.File)
			if notUnderstood(interpreter{Interpreter: in}, err) {
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", m.File, err)
			}
			none := sampleDir{dir: t.TempDir(), load: loadSource}
			options := trace.Options{Watched: []string{"PATH", "HOME", "TMPDIR"}}
			start := effect.Start(effect.Number(0), effect.Number(0), len(options.Watched))
			want := trace.Analyse(code, none, start, options)
			got := trace.Analyse(source, none, start, options)
			if g, w := told(got), told(want); got.Complete && want.Complete && !slices.Equal(g, w) {
				t.Errorf("%s: source:\n%s\nbytecode:\n%s", m.File, strings.Join(g, "\n"), strings.Join(w, "\n"))
			}
		})
	}
}
