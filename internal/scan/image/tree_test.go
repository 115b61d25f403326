package image

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// plant makes a small tree and opens it.
func plant(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"bin/su": 0o755 | fs.ModeSetuid, "etc/shadow": 0o600} {
		p := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(name), 0o600), os.Chmod(p, mode)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}

func paths(c *Content) string {
	var all []string
	for _, ev := range c.events {
		all = append(all, ev.path)
	}
	return strings.Join(all, " ")
}

func TestTree(t *testing.T) {
	root, dir := plant(t)
	if err := errors.Join(os.Symlink("/etc/passwd", filepath.Join(dir, "link")), os.WriteFile(filepath.Join(dir, ".wh.x"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	c := NewScanner(nil, limits.Default()).Tree(t.Context(), root)
	if got, want := paths(c), "/.wh.x /bin /bin/su /etc /etc/shadow /link"; got != want || len(c.Problems) > 0 {
		t.Fatalf("got %s, problems %v\nwant %s", got, c.Problems, want)
	}
	su := c.events[2].file
	if su.Mode != 0o755|fs.ModeSetuid || su.UID != os.Getuid() || su.GID != os.Getgid() || su.Size != int64(len("bin/su")) {
		t.Errorf("got %+v", su.Entry)
	}
	if link := c.events[5].file; link.Link != "/etc/passwd" || link.Mode.Type() != fs.ModeSymlink || link.Size != 0 {
		t.Errorf("got %+v", link.Entry)
	}
}

func TestTreeSocket(t *testing.T) {
	root, dir := plant(t)
	t.Chdir(dir) // a socket's address must be short
	l, err := net.Listen("unix", "s")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := NewScanner(nil, limits.Default()).Tree(t.Context(), root)
	if got := paths(c); strings.Contains(got, "/s ") || strings.HasSuffix(got, "/s") || len(c.Problems) > 0 {
		t.Errorf("got %s, problems %v", got, c.Problems)
	}
}

func TestTreeUnreadable(t *testing.T) {
	root, dir := plant(t)
	p := &Probe[string]{
		Name: "all", Read: func(_ Entry, b []byte) (string, bool) { return string(b), true },
		Want: func(e Entry) bool { // root may read everything, so the file goes away instead
			return e.Path != "/etc/shadow" || os.Remove(filepath.Join(dir, "etc/shadow")) == nil
		},
	}
	c := NewScanner([]Reader{p}, limits.Default()).Tree(t.Context(), root)
	if len(c.Problems) != 1 || c.Problems[0].Kind != NotAudited || c.Problems[0].Entry != "/etc/shadow" {
		t.Errorf("got %v", c.Problems)
	}
}

func TestTreeLimit(t *testing.T) {
	root, _ := plant(t)
	lim := limits.Default()
	lim.Entries = 2
	c := NewScanner(nil, lim).Tree(t.Context(), root)
	if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].What, "limit of 2 entries") || c.Problems[0].Hint != "raise it with --max-entries" {
		t.Errorf("got %+v", c.Problems)
	}
}

func TestTreeCanceled(t *testing.T) {
	root, _ := plant(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c := NewScanner(nil, limits.Default()).Tree(ctx, root); len(c.Problems) != 1 || c.Problems[0].Kind != NotAudited {
		t.Errorf("got %+v", c.Problems)
	}
}
