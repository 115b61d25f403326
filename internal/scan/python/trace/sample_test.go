package trace

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/lift"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

var watched = []string{"SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"}

// library stands for the modules beside a sample: a directory of bytecode, the standard library, and agentrt, which is third-party.
type library struct {
	dir, suffix string
}

func (l library) Find(name string) Found {
	top, _, _ := strings.Cut(name, ".")
	switch {
	case standardNames[top]:
		return Found{Origin: StandardLibrary}
	case thirdPartyNames[top]:
		return Found{Origin: ThirdParty}
	}
	m, err := load(filepath.Join(l.dir, strings.ReplaceAll(name, ".", "/")+l.suffix))
	if err != nil {
		return Found{Origin: Absent}
	}
	return Found{Origin: FirstParty, Module: m}
}

var thirdPartyNames = setOf("agentrt", "uvicorn", "structlog", "click", "requests", "metrics", "tracer", "typer", "fastapi", "pydantic", "tenacity")

var standardNames = func() map[string]bool {
	m := alwaysThere()
	for _, n := range []string{"pkgutil", "contextvars", "wsgiref", "sched", "dis", "codecs", "locale", "email", "sqlite3", "ast"} {
		m[n] = true
	}
	return m
}()

func load(path string) (*ir.Module, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := pyc.Read(b, pyc.DefaultLimits())
	if err != nil {
		return nil, err
	}
	return lift.Module(f, filepath.Base(path), lift.DefaultLimits())
}

func root() effect.State { return effect.Start(effect.Number(0), effect.Number(0), len(watched)) }

var verdicts = map[effect.Holds]string{effect.Yes: "ok", effect.No: "bad", effect.Undecided: "unknown"}

// TestSamples judges every sample, as every version compiles it, by what is true of it when it runs.
func TestSamples(t *testing.T) {
	var labels map[string]struct{ Drop, Env string }
	b, err := os.ReadFile("testdata/src/labels.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &labels); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range labels {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, version := range []string{"3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"} {
		for _, suffix := range []string{".pyc", ".opt-2.pyc"} {
			for _, name := range names {
				want := labels[name]
				if want.Drop == "-" {
					continue
				}
				t.Run(version+"/"+name+suffix, func(t *testing.T) {
					dir := filepath.Join("testdata", version)
					m, err := load(filepath.Join(dir, name+suffix))
					if err != nil {
						t.Fatal(err)
					}
					out := Analyse(m, library{dir, suffix}, root(), Options{Watched: watched})
					drop, _, _ := strings.Cut(want.Drop, ":")
					env, _, _ := strings.Cut(want.Env, ":")
					if got := verdicts[out.Dropped()]; got != drop {
						t.Errorf("drop is %s, want %s (%s)", got, drop, want.Drop)
						tell(t, out)
					}
					if got := verdicts[out.Environment()]; got != env {
						t.Errorf("env is %s, want %s (%s)", got, env, want.Env)
						tell(t, out)
					}
				})
			}
		}
	}
}

func tell(t *testing.T, out effect.Outcome) {
	t.Helper()
	t.Logf("complete %v, %d steps, losses %v", out.Complete, out.Steps, out.Losses)
	for _, p := range out.Judged() {
		drop, why := p.Dropped()
		env, leaks := p.Environment()
		t.Logf("%v %s: drop %s %v, env %s %v", p.Sink.Kind, p.Sink.Place, verdicts[drop], why, verdicts[env], leaks)
		for _, e := range p.Past.Effects() {
			t.Logf("    %s %s failed=%v %v %s", e.Place, e.Call, e.Failed, e.Variables.Names(out.Watched), e.Note)
		}
	}
}
