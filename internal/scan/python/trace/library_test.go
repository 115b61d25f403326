package trace

import (
	"sort"
	"testing"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/lift"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc/pyctest"
)

// shelf holds modules by name, all of them as if they were the program's own.
type shelf map[string]*ir.Module

func (s shelf) Find(name string) Found {
	if m := s[name]; m != nil {
		return Found{Origin: FirstParty, Module: m}
	}
	return Found{Origin: StandardLibrary}
}

// TestStandardLibrary takes every module of the standard library of every interpreter found for an entry point. Each stays within its budget.
func TestStandardLibrary(t *testing.T) {
	for _, in := range pyctest.Interpreters(t) {
		t.Run(in.Version.String(), func(t *testing.T) {
			type cost struct {
				file  string
				steps int
				time  time.Duration
			}
			var costs []cost
			cut := 0
			in.Modules(t, false, func(m pyctest.Module) {
				f, err := pyc.Read(m.Bytecode, pyc.DefaultLimits())
				if err != nil {
					return
				}
				entry, err := lift.Module(f, m.File, lift.DefaultLimits())
				if err != nil {
					return
				}
				start := time.Now()
				out := Analyse(entry, shelf{}, root(), Options{Watched: watched})
				costs = append(costs, cost{m.File, out.Steps, time.Since(start)})
				if !out.Complete {
					cut++
				}
				if out.Steps > 2*defaultSteps {
					t.Errorf("%s: %d steps", m.File, out.Steps)
				}
			})
			sort.Slice(costs, func(i, j int) bool { return costs[i].time > costs[j].time })
			t.Logf("%d modules, %d over budget", len(costs), cut)
			for _, c := range costs[:min(8, len(costs))] {
				t.Logf("%v %d steps %s", c.time, c.steps, c.file)
			}
		})
	}
}
