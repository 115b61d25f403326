package dockerfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func TestContext(t *testing.T) {
	files := []string{".env", ".git/config", "Dockerfile", "a.py", "dir/b.py", "dir/deep/c.md", "dir/deep/d.py", "empty/", "link -> /etc/passwd", "node_modules/x/i.js"}
	for _, tt := range []struct{ name, ignore, beside, want string }{
		{"no ignore file", "", "", ".env .git .git/config Dockerfile a.py dir dir/b.py dir/deep dir/deep/c.md dir/deep/d.py empty link node_modules node_modules/x node_modules/x/i.js"},
		{"patterns", "# why\n.git\n/node_modules/\n**/*.md\n.env*\n", "", ".dockerignore Dockerfile a.py dir dir/b.py dir/deep dir/deep/d.py empty link"},
		{"exceptions", "*\n!dir\ndir/deep\n!dir/deep/*.md\n", "", "dir dir/b.py dir/deep/c.md"},
		{"the Dockerfile's own counts", "*\n", ".git\nnode_modules\ndir\nempty\nlink\n", ".dockerignore .env Dockerfile Dockerfile.dockerignore a.py"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := contextOf(t, files...)
			dir := c.root.Name()
			for name, text := range map[string]string{".dockerignore": tt.ignore, "Dockerfile.dockerignore": tt.beside} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			c, err := OpenContext(dir, filepath.Join(dir, "Dockerfile"), limits.Default())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			var got []string
			for _, f := range c.Files {
				got = append(got, f.Path)
			}
			if want := strings.Fields(tt.want); !slices.Equal(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

// Nothing outside of the context is read, whatever links say.
func TestContextStaysInside(t *testing.T) {
	c := contextOf(t, "in.txt", "out -> ../../../../../../etc/passwd", "abs -> /etc/passwd")
	for _, f := range c.Files {
		if f.Path != "in.txt" && f.Link == "" {
			t.Errorf("%s is no link", f.Path)
		}
	}
	for name, ok := range map[string]bool{"in.txt": true, "out": false, "abs": false, "../x": false, "/etc/passwd": false} {
		f, err := c.Open(name)
		if (err == nil) != ok {
			t.Errorf("opening %s: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
	}
	layers := build(t, "FROM x\nCOPY . /d/\nCOPY abs /e\n", "").Predict(c)
	agree(t, `
			2 +/d/
			2 +/d/abs -> /etc/passwd
			2 +/d/in.txt "in.txt"
			2 +/d/out -> ../../../../../../etc/passwd
			3 */e`, told(t, layers))
}

func TestContextLimits(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("1234"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		set  func(*limits.Limits)
		want string
	}{
		{func(l *limits.Limits) { l.ContextFiles = 2 }, "it has over 2 files"},
		{func(l *limits.Limits) { l.ContextBytes = 11 }, "it holds over 11 bytes"},
	} {
		lim := limits.Default()
		tt.set(&lim)
		if _, err := OpenContext(dir, "", lim); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	if _, err := OpenContext(filepath.Join(dir, "none"), "", limits.Default()); err == nil {
		t.Error("a directory that is not there is opened")
	}
	if err := os.Mkdir(filepath.Join(dir, ".dockerignore"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenContext(dir, "", limits.Default()); err == nil || !strings.Contains(err.Error(), ".dockerignore is no regular file") {
		t.Errorf("got %v", err)
	}
}
