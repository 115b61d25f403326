package starter

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// interpreter returns a Python of this machine that satisfies a check, by its path and
// as "3.13", or skips the test.
func interpreter(t *testing.T, usable func(path string) bool) (path, version string) {
	t.Helper()
	const about = "import sys, ctypes; assert sys.version_info >= (3, 9); print(sys.executable, '%d.%d' % sys.version_info[:2])"
	for _, name := range []string{"python3", "/usr/bin/python3", "/usr/local/bin/python3"} {
		out, err := exec.Command(name, "-c", about).Output()
		if err != nil {
			continue
		}
		path, version, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		if usable(path) {
			return path, version
		}
	}
	t.Skip("there is no Python 3.9 or later with ctypes that this test can use")
	return "", ""
}

// compiled does what the Dockerfile's build stage does, in a directory of its own, and
// returns that. edit may change a source first.
func compiled(t *testing.T, python string, edit func(name, source string) string) string {
	t.Helper()
	files, err := Files(Default())
	if err != nil {
		t.Fatal(err)
	}
	root := openDir(t)
	dir := filepath.Join(root, "opt/agent")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Name, "src/"); ok {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(edit(name, f.Body)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, build, found := strings.Cut(files[0].Body, "\nRUN python ")
	build, _, ended := strings.Cut(build, "\n\n")
	if !found || !ended {
		t.Fatal("the build stage has no RUN python")
	}
	build = strings.ReplaceAll(build, "/opt/agent", dir)
	// So that the bytecode names the sources as they are called in the image.
	build = strings.Replace(build, "compileall", "compileall -s "+root+" -p /", 1)
	if out, err := exec.Command("sh", "-c", python+" "+build).CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	return dir
}

func unchanged(_, source string) string { return source }

// openDir returns a temporary directory that every user may enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
