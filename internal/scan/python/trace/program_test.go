package trace

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc/pyctest"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/source"
)

var labelled = regexp.MustCompile(`^# drop=(\w+) env=(\w+)`)

// TestPrograms judges programs from their source. What is true of each stands in its first line.
func TestPrograms(t *testing.T) {
	eachProgram(t, func(t *testing.T, file string, text []byte) *ir.Module {
		m, err := source.Compile(filepath.Base(file), text, source.Options{Limits: source.DefaultLimits()})
		if err != nil {
			t.Fatal(err)
		}
		return m
	})
}

// TestProgramsAsBytecode judges the same programs as the interpreters of the machine compile them.
func TestProgramsAsBytecode(t *testing.T) {
	const script = "import py_compile, sys\nfor f in sys.argv[2:]: py_compile.compile(f, sys.argv[1] + '/' + f.split('/')[-1] + 'c', doraise=True)"
	files, err := filepath.Glob("testdata/programs/*.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range pyctest.Interpreters(t) {
		if in.Version < 8 || in.Version > 14 {
			continue
		}
		t.Run(in.Version.String(), func(t *testing.T) {
			dir := t.TempDir()
			if out, err := exec.Command(in.Path, append([]string{"-W", "ignore", "-c", script, dir}, files...)...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			eachProgram(t, func(t *testing.T, file string, _ []byte) *ir.Module {
				m, err := load(filepath.Join(dir, filepath.Base(file)+"c"))
				if err != nil {
					t.Fatal(err)
				}
				return m
			})
		})
	}
}

// eachProgram judges every program, as compiled, and compares with its label.
func eachProgram(t *testing.T, compiled func(t *testing.T, file string, text []byte) *ir.Module) {
	files, err := filepath.Glob("testdata/programs/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d programs", err, len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := labelled.FindStringSubmatch(string(b))
			if want == nil {
				t.Fatal("no label")
			}
			out := Analyse(compiled(t, file, b), library{dir: filepath.Dir(file)}, root(), Options{Executable: "/usr/bin/python3", Watched: watched})
			if drop, env := verdicts[out.Dropped()], verdicts[out.Environment()]; drop != want[1] || env != want[2] {
				t.Errorf("drop is %s, want %s; env is %s, want %s", drop, want[1], env, want[2])
				tell(t, out)
			}
		})
	}
}
