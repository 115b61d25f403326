package hostile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// A form is a way in which a good image comes.
type form struct {
	name  string
	write func(*scantest.Image, io.Writer) error
}

var forms = []form{
	{"saved", func(img *scantest.Image, w io.Writer) error { return img.DockerSave(w, "x:1") }},
	{"OCI, gzip", func(img *scantest.Image, w io.Writer) error { return img.OCIArchive(w, "", scantest.Gzip, false) }},
	{"OCI, zstd", func(img *scantest.Image, w io.Writer) error { return img.OCIArchive(w, "", scantest.Zstd, false) }},
	{"both, gzip", func(img *scantest.Image, w io.Writer) error { return img.OCIArchive(w, "x:1", scantest.Gzip, true) }},
}

var errInjected = errors.New("injected")

// A fault is what goes wrong at byte n of an archive: with its bytes, whichever way
// they come, or with the pipe that they come through.
type fault struct {
	name string
	file func(b []byte, n int) []byte
	pipe func(b []byte, n int, stalled func()) io.Reader
}

var faults = []fault{
	{"cut", func(b []byte, n int) []byte { return b[:n] }, nil},
	{"flip", func(b []byte, n int) []byte { b = bytes.Clone(b); b[n] ^= 1 << (n % 8); return b }, nil},
	{"error", nil, func(b []byte, n int, _ func()) io.Reader {
		return io.MultiReader(bytes.NewReader(b[:n]), readerFunc(func([]byte) (int, error) { return 0, errInjected }))
	}},
	{"stall", nil, func(b []byte, n int, stalled func()) io.Reader {
		return io.MultiReader(bytes.NewReader(b[:n]), readerFunc(func([]byte) (int, error) { stalled(); return 0, context.Canceled }))
	}},
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestFaults damages small good images at every k-th byte. Whatever happens, the
// audit finds what it finds in the good one, or says that it is incomplete.
func TestFaults(t *testing.T) {
	good := goodImage(t)
	before := resources(t)
	var tried, noticed int
	for _, form := range forms {
		var archive bytes.Buffer
		if err := form.write(good, &archive); err != nil {
			t.Fatal(err)
		}
		b := archive.Bytes()
		want := auditPipe(t.Context(), bytes.NewReader(b), limits.Default())
		if !want.complete() || findings(want) == "" {
			t.Fatalf("%s: the good image is not good: %s", form.name, want.brief())
		}
		for _, f := range faults {
			for n := 0; n < len(b); n += max(1, len(b)/100) | 1 { // odd, so that all parts of blocks are met
				for way, got := range f.inject(t, b, n) {
					tried++
					if !got.complete() {
						noticed++
					} else if d := differ(got, want); d != "" {
						t.Errorf("%s, %s at byte %d of %d, %s: complete, but %s", form.name, f.name, n, len(b), way, d)
					}
				}
			}
		}
	}
	t.Logf("%d faults, %d noticed, %d without effect, 0 silent", tried, noticed, tried-noticed)
	settle(t, before)
}

// inject audits a damaged archive in every way it can come.
func (f fault) inject(t *testing.T, b []byte, n int) map[string]*outcome {
	if f.file != nil {
		damaged := f.file(b, n)
		p := filepath.Join(t.TempDir(), "image.tar")
		if err := os.WriteFile(p, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		return map[string]*outcome{
			"file": auditFile(t.Context(), p, limits.Default()),
			"pipe": auditPipe(t.Context(), bytes.NewReader(damaged), limits.Default()),
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	return map[string]*outcome{"pipe": auditPipe(ctx, f.pipe(b, n, cancel), limits.Default())}
}

// TestFaultyLayers fails and stalls while layers are read, after the image was
// opened.
func TestFaultyLayers(t *testing.T) {
	good := goodImage(t)
	p := filepath.Join(t.TempDir(), "image.tar")
	w, err := os.Create(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := good.OCIArchive(w, "", scantest.Gzip, false); err != nil {
		t.Fatal(err)
	}
	w.Close()
	before := resources(t)
	for _, f := range faults[2:] {
		for n := 0; n < 400; n += 7 {
			ctx, cancel := context.WithCancel(t.Context())
			got := auditImage(ctx, p, limits.Default(), nil, nil, func(src *image.Source) {
				l := &src.Layers[0]
				open := l.Open
				l.Open = func(ctx context.Context) (io.ReadCloser, error) {
					r, err := open(ctx)
					if err != nil {
						return nil, err
					}
					b, err := io.ReadAll(r)
					return io.NopCloser(f.pipe(b, min(n, len(b)), cancel)), err
				}
			})
			cancel()
			if got.complete() {
				t.Errorf("%s at byte %d: complete", f.name, n)
			}
		}
	}
	settle(t, before)
}

// goodImage is an image of two small layers with something to find, so that what
// goes missing shows.
func goodImage(t testing.TB) *scantest.Image {
	t.Helper()
	layer := func(files ...string) []byte { return layerOf(t, files...) }
	img, err := scantest.NewImage(map[string]any{"config": map[string]any{"User": "nobody", "ExposedPorts": map[string]any{"22/tcp": map[string]any{}}}},
		layer("etc/passwd", "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n", "app/main.py", "print('a')\n", "app/old.py", strings.Repeat("x = 1\n", 200)),
		layer("app/.wh.old.py", "", "app/main.py", "print('b')\n"))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// held is what an audit must give back.
type held struct{ goroutines, files int }

// resources are those held now; files is 0 where nobody can tell.
func resources(t testing.TB) held {
	t.Helper()
	h := held{goroutines: runtime.NumGoroutine()}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.files = len(fds)
	}
	return h
}

// settle waits for what is on its way out, and fails if something stays.
func settle(t testing.TB, before held) {
	t.Helper()
	var now held
	for range 100 {
		if now = resources(t); now.goroutines <= before.goroutines && now.files <= before.files {
			return
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("held before: %+v, now: %+v\n%s", before, now, stacks[:runtime.Stack(stacks, true)])
}
