package cache

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const roomy = 1 << 20

func open(t *testing.T, dir, generation string, max int64) *Cache {
	t.Helper()
	c, err := Open(dir, generation, max)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// entryFile is the only entry of a directory.
func entryFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil || len(files) != 1 {
		t.Fatalf("entries %v, %v", files, err)
	}
	return files[0]
}

func TestKeepsForLaterRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "cache")
	for _, value := range []string{"first", "", "second"} {
		open(t, dir, "1", roomy).Put("key", []byte(value))
		if got, ok := open(t, dir, "1", roomy).Get("key"); !ok || string(got) != value {
			t.Errorf("got %q, %t; want %q", got, ok, value)
		}
	}
	for _, tt := range []struct{ generation, key string }{{"1", "other"}, {"2", "key"}, {"1 k", "ey"}, {"", "1 key"}} {
		if got, ok := open(t, dir, tt.generation, roomy).Get(tt.key); ok {
			t.Errorf("generation %q, key %q: got %q", tt.generation, tt.key, got)
		}
	}
}

// Whatever became of an entry, what is given out is what was put in, or nothing.
func TestDamagedEntryIsAbsent(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, "1", roomy)
	c.Put("key", []byte("value"))
	file := entryFile(t, dir)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[string][]byte{"empty": nil, "longer": append(bytes.Clone(good), 0)}
	for n := range good {
		flipped := bytes.Clone(good)
		flipped[n] ^= 1 << (n % 8)
		damaged[fmt.Sprintf("byte %d flipped", n)] = flipped
		damaged[fmt.Sprintf("cut at %d", n)] = good[:n]
	}
	for name, b := range damaged {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.Get("key"); ok {
			t.Errorf("%s: got %q", name, got)
		}
	}
	c.Put("key", []byte("again"))
	if got, ok := c.Get("key"); !ok || string(got) != "again" {
		t.Errorf("put again: got %q, %t", got, ok)
	}
}

// An entry of one key, or of one directory, is none of another.
func TestMovedEntryIsAbsent(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	open(t, a, "1", roomy).Put("one", []byte("value"))
	one := entryFile(t, a)
	c := open(t, b, "1", roomy)
	c.Put("one", []byte("other"))
	stored, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(one) == filepath.Base(entryFile(t, b)) {
		t.Error("two directories give an entry the same name")
	}
	if err := os.WriteFile(entryFile(t, b), stored, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, ok := c.Get("one"); ok {
		t.Errorf("from another directory: got %q", got)
	}
	open(t, a, "1", roomy).Put("two", []byte("2"))
	files, _ := filepath.Glob(filepath.Join(a, "*"+suffix))
	for _, f := range files {
		if err := os.WriteFile(f, stored, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, ok := open(t, a, "1", roomy).Get("two"); ok {
		t.Errorf("of another key: got %q", got)
	}
}

func TestShowsNothing(t *testing.T) {
	dir := t.TempDir()
	key, value := "layer of a customer", strings.Repeat("hunter2 ", 100)
	c := open(t, dir, "1", roomy)
	c.Put(key, []byte(value))
	c.Put(key, []byte(value))
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if text := f.Name() + string(b); strings.Contains(text, "customer") || strings.Contains(text, "hunter2") {
			t.Errorf("%s shows what it holds", f.Name())
		}
		info, err := f.Info()
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", f.Name(), info.Mode(), err)
		}
	}
}

// A key that others can read, or none, opens nothing.
func TestForeignKey(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing there")
	}
	for name, change := range map[string]func(string) error{
		"readable by others": func(key string) error { return os.Chmod(key, 0o644) },
		"cut":                func(key string) error { return os.Truncate(key, 31) },
		"a directory":        func(key string) error { return errors.Join(os.Remove(key), os.Mkdir(key, 0o700)) },
		"a link": func(key string) error {
			return errors.Join(os.Rename(key, key+"2"), os.Symlink(filepath.Base(key)+"2", key))
		},
	} {
		dir := t.TempDir()
		open(t, dir, "1", roomy)
		key := filepath.Join(dir, secretFile)
		if err := change(key); err != nil {
			t.Fatal(err)
		}
		if c, err := Open(dir, "1", roomy); err == nil {
			c.Close()
			t.Errorf("%s: it is used", name)
		} else if !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: the error %q does not name the directory", name, err)
		}
	}
}

// What was not used for the longest time goes first; what is not the cache's stays.
func TestBound(t *testing.T) {
	dir := t.TempDir()
	names := map[string]string{}
	put := func(key string, bytes int, age time.Duration) {
		c := open(t, dir, "1", roomy)
		c.Put(key, make([]byte, bytes))
		e, err := c.entry(key)
		if err != nil {
			t.Fatal(err)
		}
		names[key] = filepath.Join(dir, e.name)
		then := time.Now().Add(-age)
		if err := os.Chtimes(names[key], then, then); err != nil {
			t.Fatal(err)
		}
	}
	for i, key := range []string{"a", "b", "c", "d", "e"} {
		put(key, 1000, time.Duration(10-i)*time.Hour)
	}
	other := filepath.Join(dir, strings.Repeat("0", 64))
	left, leaving := filepath.Join(dir, tempPrefix+"1"+suffix), filepath.Join(dir, tempPrefix+"2"+suffix)
	for _, f := range []string{other, left, leaving} {
		if err := os.WriteFile(f, make([]byte, 5000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	c, err := Open(dir, "1", 4500)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Get("a"); !ok {
		t.Fatal("a is not there")
	}
	c.Put("new", make([]byte, 1000))
	c.Put("large", make([]byte, 2000)) // would push out too much
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for f, want := range map[string]bool{
		names["a"]: true, names["b"]: false, names["c"]: false, names["d"]: true, names["e"]: true, other: true, left: false, leaving: true,
	} {
		if _, err := os.Lstat(f); (err == nil) != want {
			t.Errorf("%s: there %t, want %t", filepath.Base(f), err == nil, want)
		}
	}
	c = open(t, dir, "1", 4500)
	if _, ok := c.Get("new"); !ok {
		t.Error("the newest is gone")
	}
	if _, ok := c.Get("large"); ok {
		t.Error("an entry that is too large is kept")
	}
}

// Processes that start together agree on a key, and none reads half an entry (D68).
func TestManyAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var g sync.WaitGroup
	for i := range 8 {
		g.Go(func() {
			c, err := Open(dir, "1", roomy)
			if err != nil {
				t.Error(err)
				return
			}
			for n := range 20 {
				key := fmt.Sprint("key ", n%4)
				if got, ok := c.Get(key); ok && string(got) != strings.Repeat(key, 1000) {
					t.Errorf("%s is wrong", key)
				}
				c.Put(key, []byte(strings.Repeat(key, 1000)))
			}
			if err := c.Close(); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	g.Wait()
	c := open(t, dir, "1", roomy)
	for n := range 4 {
		if _, ok := c.Get(fmt.Sprint("key ", n)); !ok {
			t.Errorf("key %d is not there", n)
		}
	}
}

// A directory that can't be written makes no entry, and Close says so once.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "cache"), "1", roomy); err == nil {
		t.Error("a cache below a file")
	}
	gone := filepath.Join(dir, "gone")
	c, err := Open(gone, "1", roomy)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(gone); err != nil {
		t.Skip(err) // an open directory stays where there are no inodes
	}
	c.Put("key", []byte("value"))
	if _, ok := c.Get("key"); ok {
		t.Error("it was kept nowhere")
	}
	if err := c.Close(); err == nil {
		t.Error("nobody was told")
	}
}
