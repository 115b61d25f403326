package trace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/lift"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// FuzzAnalyse follows whatever bytecode passes the decoder. It ends within the budget, without a panic, the same way each time.
func FuzzAnalyse(f *testing.F) {
	for _, name := range []string{"3.8/g18_with_finally", "3.9/g02_main_getpwnam", "3.11/g07_class_methods", "3.12/g03_from_import", "3.14/g12_async_main"} {
		b, err := os.ReadFile(filepath.Join("testdata", name+".pyc"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := pyc.Read(b, pyc.Limits{Nesting: 50, Objects: 10_000})
		if err != nil {
			return
		}
		if m, err := lift.Module(file, "fuzz.pyc", lift.Limits{Code: 1 << 16, Constants: 10_000, Nesting: 50}); err == nil {
			twice(t, m)
		}
	})
}

// FuzzInstructions changes single instructions of the samples, three bytes for each: which one, what, and to what.
func FuzzInstructions(f *testing.F) {
	f.Add(uint8(0), []byte{10, 0, 3, 20, 1, 1})
	f.Fuzz(func(t *testing.T, which uint8, changes []byte) {
		samples, err := filepath.Glob("testdata/3.*/*.pyc")
		if err != nil {
			t.Fatal(err)
		}
		m, err := load(samples[int(which)*len(samples)/256])
		if err != nil {
			t.Fatal(err)
		}
		var all []*ir.Instr
		collect(m.Code, &all)
		for i := 0; i+3 <= len(changes); i += 3 {
			in := all[int(changes[i])*len(all)/256]
			switch changes[i+1] % 4 {
			case 0:
				in.Op = ir.Op(changes[i+2])
			case 1:
				in.Arg = int(changes[i+2])
			case 2:
				in.Arg2 = int(changes[i+2])
			default:
				in.Name = all[int(changes[i+2])*len(all)/256].Name
			}
		}
		if ir.Validate(m.Code) == nil {
			twice(t, m)
		}
	})
}

func collect(c *ir.Code, all *[]*ir.Instr) {
	for i := range c.Instrs {
		*all = append(*all, &c.Instrs[i])
	}
	for _, k := range c.Consts {
		if k.Kind == ir.CodeObject {
			collect(k.Code, all)
		}
	}
}

// twice follows a module two times with a small budget, and compares.
func twice(t *testing.T, m *ir.Module) {
	t.Helper()
	const steps = 5000
	first := Analyse(m, shelf{}, root(), Options{Watched: watched, Steps: steps})
	second := Analyse(m, shelf{}, root(), Options{Watched: watched, Steps: steps})
	if first.Dropped() != second.Dropped() || len(first.Paths) != len(second.Paths) || first.Steps != second.Steps {
		t.Errorf("%v with %d paths in %d steps, then %v with %d paths in %d steps", first.Dropped(), len(first.Paths), first.Steps,
			second.Dropped(), len(second.Paths), second.Steps)
	}
	if first.Steps > 10*steps {
		t.Errorf("%d steps", first.Steps)
	}
}
