package source

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc/pyctest"
)

// sampled is how many sources of each library are read, unless the flag -all is set.
const sampled = 10

// An interpreter is a Python of the machine with its standard library and what is
// installed beside it.
type interpreter struct {
	pyctest.Interpreter
	files []string
}

func interpreters(t *testing.T) []interpreter {
	t.Helper()
	var list []interpreter
	for _, in := range pyctest.Interpreters(t) {
		out, err := exec.Command(in.Path, "-c", `import sysconfig; print(sysconfig.get_path("stdlib"))`).Output()
		if err != nil {
			t.Fatalf("%s: %v", in.Path, err)
		}
		list = append(list, interpreter{in, sources(t, strings.TrimSpace(string(out)))})
	}
	return list
}

// sources returns the paths of sources below dir, or a sample of them.
func sources(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".py") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if flag.Lookup("all").Value.String() == "true" || len(files) <= sampled {
		return files
	}
	step := len(files) / sampled
	var few []string
	for i := step / 2; i < len(files); i += step {
		few = append(few, files[i])
	}
	return few
}

// trees asks the interpreter for the trees of files: digests, or the text of one.
func (i interpreter) trees(t *testing.T, files []string, args ...string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(i.run(t, "tree.py", files, args...), "\n"), "\n")
}

// run gives the interpreter a script of testdata and files.
func (i interpreter) run(t *testing.T, script string, files []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(i.Path, append([]string{filepath.Join("testdata", script)}, args...)...)
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n") + "\n")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", i.Path, err)
	}
	return string(out)
}

func (i interpreter) tree(body []stmt) string {
	t := tree{lines: i.Version >= 8, joinedLines: i.Version >= 12}
	return t.module(body)
}

// TestStandardLibrary compares syntax trees with those of the interpreters, and
// compiles: each program passes ir.Validate, and nothing in it is unknown.
func TestStandardLibrary(t *testing.T) {
	for _, in := range interpreters(t) {
		t.Run(in.Version.String(), func(t *testing.T) {
			want := in.trees(t, in.files)
			if len(want) != len(in.files) {
				t.Fatalf("%d trees of %d files", len(want), len(in.files))
			}
			same, refused := 0, 0
			for k, file := range in.files {
				if want[k] == "refused" {
					refused++
					continue
				}
				got, err := in.treeOf(file)
				if notUnderstood(in, err) {
					refused++
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", file, err)
					continue
				}
				if sum := sha256.Sum256([]byte(got)); hex.EncodeToString(sum[:]) != want[k] {
					if d := difference(got, in.trees(t, []string{file}, "text")); d != "" {
						t.Errorf("%s: %s", file, d)
						continue
					}
				}
				same++
				checkCompiled(t, file)
			}
			t.Logf("%d trees are the same; %d files are refused, mostly by Python itself", same, refused)
		})
	}
}

func checkCompiled(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Compile(file, data, Options{Limits: DefaultLimits()})
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	for _, l := range losses(m.Code) {
		// Tests of CPython play with the variable through which methods reach their class,
		// and with type parameters in a class's body.
		if !slices.Contains([]string{"test_super.py", "test_type_params.py"}, filepath.Base(file)) {
			t.Errorf("%s: %s", file, l)
		}
	}
}

// notUnderstood tells whether a source is refused as documented: for its encoding, or
// for names that are keywords since 3.7.
func notUnderstood(in interpreter, err error) bool {
	var e *Error
	return errors.As(err, &e) && (strings.HasPrefix(e.Reason, "declares the encoding") ||
		in.Version < 7 && strings.HasPrefix(e.Reason, `has "async"`))
}

func (i interpreter) treeOf(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	text, err := decode(data)
	if err != nil {
		return "", err
	}
	body, err := parse(text, DefaultLimits())
	if err != nil {
		return "", err
	}
	return i.tree(body), nil
}

// difference shows the first place where two trees differ, but for statements with
// constants whose value is not known here; it is empty if there is none.
func difference(got string, want []string) string {
	lines := strings.Split(got, "\n")
	for i, w := range want {
		g := ""
		if i < len(lines) {
			g = lines[i]
		}
		if g == w || strings.Contains(g, unknownText) {
			continue
		}
		k := 0
		for k < min(len(g), len(w)) && g[k] == w[k] {
			k++
		}
		from := max(0, k-80)
		return "\ngot  ..." + g[from:min(len(g), k+80)] + "\nwant ..." + w[from:min(len(w), k+80)]
	}
	return ""
}

// losses lists the unknown operations of a program.
func losses(c *ir.Code) []string {
	var list []string
	for _, in := range c.Instrs {
		if in.Op == ir.Lost {
			list = append(list, fmt.Sprintf("line %d: %s", in.Line, in.Name))
		}
	}
	for _, k := range c.Consts {
		if k.Code != nil {
			list = append(list, losses(k.Code)...)
		}
	}
	return list
}
