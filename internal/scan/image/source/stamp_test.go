package source_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
)

// A memory is a store that keeps all.
type memory struct{ values sync.Map }

func (m *memory) Get(key string) ([]byte, bool) {
	b, ok := m.values.Load(key)
	if !ok {
		return nil, false
	}
	return b.([]byte), true
}

func (m *memory) Put(key string, value []byte) { m.values.Store(key, value) }

// rerun audits target in a run of its own with a store, and returns what is there and
// how many stored bytes of layers were read.
func rerun(t *testing.T, target string, o source.Options, store image.Store) (found string, read int64) {
	t.Helper()
	var n atomic.Int64
	o.Scanner.Known = &image.Known{Store: store}
	o.Scanner.Progress = func(_ string, k int) { n.Add(int64(k)) }
	return describe(t, target, o), n.Load()
}

// settle waits until the times of files tell of their next change.
func settle(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("files have no stamps")
	}
	time.Sleep(source.Settled + 100*time.Millisecond)
}

func TestSecondRunReadsNoLayer(t *testing.T) {
	t.Parallel()
	a, b := layer(t, "a"), layer(t, "b")
	l := newLayout()
	targets := map[string]string{
		"archive": store(t, "x.tar", pack(t, save([]string{"x:1"}, a, b)...)),
		"layout":  unpack(t, l.with(named(l.image("linux/amd64", a, b), "x:1"))...),
	}
	settle(t)
	for form, target := range targets {
		kept := &memory{}
		first, read := rerun(t, target, options(t), kept)
		if !strings.Contains(first, "0/a 1/b") || read != int64(len(a)+len(b)) {
			t.Errorf("%s: first found %s in %d bytes", form, first, read)
		}
		if second, read := rerun(t, target, options(t), kept); second != first || read != 0 {
			t.Errorf("%s: then found %s in %d bytes", form, second, read)
		}
		moved := filepath.Join(t.TempDir(), "moved")
		if err := os.Rename(target, moved); err != nil {
			t.Fatal(err)
		}
		if again, _ := rerun(t, moved, options(t), kept); again != first {
			t.Errorf("%s: moved, found %s", form, again)
		}
	}
}

// An archive whose bytes are exchanged is read, although its size, its times and what
// it says of itself are the same.
func TestSecondRunOfAnotherFile(t *testing.T) {
	t.Parallel()
	good, evil := layer(t, "motd"), bytes.ReplaceAll(layer(t, "motd"), []byte("content"), []byte("c0ntent"))
	honest := pack(t, save([]string{"x:1"}, good)...)
	lying := bytes.Replace(honest, good, evil, 1) // with the diff ID of the good layer
	for _, tt := range []struct {
		name   string
		change func(target string, info os.FileInfo) error
	}{
		{"written over", func(target string, info os.FileInfo) error {
			f, err := os.OpenFile(target, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt(lying, 0)
			return err
		}},
		{"another file in its place", func(target string, info os.FileInfo) error {
			if err := os.WriteFile(target+"2", lying, 0o600); err != nil {
				return err
			}
			return os.Rename(target+"2", target)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := store(t, "x.tar", honest)
			settle(t)
			kept := &memory{}
			rerun(t, target, options(t), kept)
			info, err := os.Stat(target)
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.change(target, info); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(target, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
			want, _ := rerun(t, target, options(t), nil)
			if !strings.Contains(want, "not the layer the image names") {
				t.Fatalf("without a store: %s", want)
			}
			for range 2 {
				if got, read := rerun(t, target, options(t), kept); got != want || read < int64(len(evil)) {
					t.Errorf("found %s in %d bytes\nwant %s", got, read, want)
				}
			}
		})
	}
}

// A file that was changed just now could be changed again without its times telling.
func TestYoungFileIsHashed(t *testing.T) {
	a := layer(t, "a")
	target := store(t, "x.tar", pack(t, save(nil, a)...))
	kept := &memory{}
	rerun(t, target, options(t), kept)
	for key := range kept.values.Range {
		if strings.HasPrefix(key.(string), "stamp") {
			t.Errorf("kept %s", key)
		}
	}
	if _, read := rerun(t, target, options(t), kept); read != int64(len(a)) {
		t.Errorf("read %d bytes", read)
	}
}

// What is known of a registry's layers is not downloaded again.
func TestSecondRunDownloadsNoLayer(t *testing.T) {
	reg := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	var blobs atomic.Int64
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
			blobs.Add(1)
		}
		reg.ServeHTTP(w, r)
	}))
	img, err := random.Image(2000, 3)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(host + "/x:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, img); err != nil {
		t.Fatal(err)
	}
	kept, found := &memory{}, ""
	for run, want := range []int64{4, 1, 1} { // the config always
		blobs.Store(0)
		got, _ := rerun(t, ref.String(), online(t), kept)
		if n := blobs.Load(); n != want || run > 0 && got != found {
			t.Errorf("run %d: %d blobs, want %d; found %s", run+1, n, want, got)
		}
		found = got
	}
	if !strings.Contains(found, " 2/") {
		t.Error(fmt.Sprint("found ", found))
	}
}
