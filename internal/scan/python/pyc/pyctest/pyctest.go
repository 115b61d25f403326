// Package pyctest gives tests the bytecode that the interpreters of the machine
// make of their own standard library. Where there is no interpreter, there is
// nothing to test.
package pyctest

import (
	"bufio"
	_ "embed"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

var all = flag.Bool("all", false, "test all modules of the standard libraries, not only some")

//go:embed compile.py
var script string

// An Interpreter is a CPython of the machine.
type Interpreter struct {
	Path    string
	Version pyc.Version
}

// Interpreters returns an interpreter of each version that is found: by its name in
// PATH, or installed by pyenv. The test is skipped if there is none.
func Interpreters(t *testing.T) []Interpreter {
	t.Helper()
	root := os.Getenv("PYENV_ROOT")
	if home, err := os.UserHomeDir(); root == "" && err == nil {
		root = filepath.Join(home, ".pyenv")
	}
	var found []Interpreter
	for v := pyc.Oldest; v <= pyc.Newest; v++ {
		paths, _ := filepath.Glob(filepath.Join(root, "versions", v.String()+".*", "bin", "python3")) // the pattern is well-formed
		for _, p := range append(paths, "python"+v.String()) {
			magic, err := exec.Command(p, "-c", "import importlib.util; print(importlib.util.MAGIC_NUMBER[0] + 256 * importlib.util.MAGIC_NUMBER[1])").Output()
			if want, _ := v.Magic(); err == nil && strings.TrimSpace(string(magic)) == strconv.Itoa(int(want)) {
				found = append(found, Interpreter{p, v})
				break
			}
		}
	}
	if len(found) == 0 {
		t.Skip("there is no Python")
	}
	return found
}

// A Module is one of a standard library.
type Module struct {
	File     string   // its source
	Bytecode []byte   // as a .pyc file
	Digests  []string // SHA-256 of what dis shows of each code object, in hexadecimal; see Describe
}

// Modules calls each for a sample of the interpreter's standard library, or for all
// of it if the flag -all is set. Digests are made only if described.
func (in Interpreter) Modules(t *testing.T, described bool, each func(Module)) {
	t.Helper()
	const sample = 150
	every := strconv.Itoa(sample)
	if *all {
		every = "1"
	}
	args := []string{"-W", "ignore", "-c", script, every}
	if described {
		args = append(args, "describe")
	}
	cmd := exec.Command(in.Path, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	n := 0
	for ; lines.Scan(); n++ {
		words := strings.Split(lines.Text(), "\t")
		b, err := base64.StdEncoding.DecodeString(words[1])
		if err != nil {
			t.Fatal(fmt.Errorf("reading what %s made of %s: %w", in.Path, words[0], err))
		}
		each(Module{words[0], b, words[2:]})
	}
	if err := cmd.Wait(); err != nil || lines.Err() != nil || n == 0 {
		t.Fatalf("%s: %d modules, %v, %v", in.Path, n, err, lines.Err())
	}
	t.Logf("%d modules", n)
}
