package starter

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Options)
		want string // part of the error
	}{
		{"default", func(*Options) {}, ""},
		{"another user", func(o *Options) { o.User, o.UID = "_agent-1", 65536 }, ""},
		{"full version", func(o *Options) { o.Python = "3.14.2" }, ""},
		{"root", func(o *Options) { o.User = "root" }, "must not run as root"},
		{"no user", func(o *Options) { o.User = "" }, `user ""`},
		{"a command for a user", func(o *Options) { o.User = "a;id" }, `user "a;id"`},
		{"two lines for a user", func(o *Options) { o.User = "a\nUSER root" }, "user "},
		{"uid of root", func(o *Options) { o.UID = 0 }, "uid 0"},
		{"uid of the system", func(o *Options) { o.UID = 999 }, "uid 999"},
		{"uid of nobody", func(o *Options) { o.UID = 65534 }, "uid 65534"},
		{"uid that is none", func(o *Options) { o.UID = 65535 }, "uid 65535"},
		{"uid over the limit", func(o *Options) { o.UID = 1 << 31 }, "uid 2147483648"},
		{"no version", func(o *Options) { o.Python = "latest" }, `python "latest"`},
		{"an image for a version", func(o *Options) { o.Python = "3.13-slim\nUSER" }, "python "},
		{"old version", func(o *Options) { o.Python = "3.8" }, "3.9 or later"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Default()
			c.edit(&o)
			err := o.Check()
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want an error with %q", err, c.want)
			}
			if files, again := Files(o); (again == nil) != (err == nil) || (files == nil) != (err != nil) {
				t.Errorf("Files: %d files, %v", len(files), again)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	files, err := Files(Options{User: "worker", UID: 23456, Python: "3.12"})
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, f := range files {
		all += f.Body
		if strings.Contains(f.Body, "{{") || !strings.HasSuffix(f.Body, "\n") {
			t.Errorf("%s is not complete", f.Name)
		}
	}
	for _, want := range []string{"FROM python:3.12-slim AS build", "useradd --uid 23456 ", "nologin worker ", "UID = GID = 23456\n", "uid=23456,gid=23456,"} {
		if !strings.Contains(all, want) {
			t.Errorf("no file has %q", want)
		}
	}
	if d := Default(); strings.Contains(all, "10001") || strings.Contains(all, d.Python) {
		t.Error("a default is left")
	}
}

func TestWrite(t *testing.T) {
	files := []File{{"a", "1\n"}, {"src/b", "2\n"}}
	dir := filepath.Join(t.TempDir(), "new", "dir")
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if err := Write(dir, files, false); err != nil || read("a") != "1\n" || read("src/b") != "2\n" {
		t.Fatal("not written: ", err)
	}
	changed := []File{{"c", "3\n"}, {"src/b", "4\n"}}
	var there *ExistError
	if err := Write(dir, changed, false); !errors.As(err, &there) || !slices.Equal(there.Names, []string{"src/b"}) {
		t.Errorf("%v, want that src/b is there", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "c")); err == nil || read("src/b") != "2\n" {
		t.Error("a file was written although another was there")
	}
	if err := Write(dir, changed, true); err != nil || read("src/b") != "4\n" || read("c") != "3\n" || read("a") != "1\n" {
		t.Error("not replaced: ", err)
	}
}

// TestWriteStaysInside checks that links lead neither out of the directory nor to
// another file than the one that is named.
func TestWriteStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	kept := filepath.Join(outside, "kept")
	if err := os.WriteFile(kept, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"a": kept, "dangling": filepath.Join(outside, "new"), "src": outside} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	var there *ExistError
	if err := Write(dir, []File{{"a", "x"}, {"dangling", "x"}}, false); !errors.As(err, &there) || len(there.Names) != 2 {
		t.Errorf("%v, want that both links are there", err)
	}
	if err := Write(dir, []File{{"a", "x"}, {"dangling", "x"}}, true); err != nil {
		t.Error(err)
	}
	if err := Write(dir, []File{{"first", "x"}, {"src/new", "x"}}, true); err == nil {
		t.Error("a link out of the directory was followed")
	}
	if _, err := os.Stat(filepath.Join(dir, "first")); err == nil {
		t.Error("a file was written although another can't be")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v, want one file outside", entries, err)
	}
	if b, err := os.ReadFile(kept); err != nil || string(b) != "kept" {
		t.Errorf("%q, %v: the file outside was overwritten", b, err)
	}
}
