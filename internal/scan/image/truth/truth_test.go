package truth

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	containerd "github.com/containerd/containerd/v2/pkg/archive"
	moby "github.com/moby/go-archive"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// An op is one archive entry: "f name", "d name", "s name target" or "h name target".
type op string

// pack makes a layer of ops. The body of a file says which layer and entry it is.
func pack(t testing.TB, layer int, ops []op) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i, o := range ops {
		f := strings.Fields(string(o))
		h := &tar.Header{Name: f[1], Mode: 0o755}
		var body string
		switch f[0] {
		case "f":
			h.Typeflag, body = tar.TypeReg, fmt.Sprintf("layer %d entry %d", layer, i)
		case "d":
			h.Typeflag = tar.TypeDir
		case "s":
			h.Typeflag, h.Linkname = tar.TypeSymlink, f[2]
		case "h":
			h.Typeflag, h.Linkname = tar.TypeLink, f[2]
		}
		h.Size = int64(len(body))
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bodies keeps the whole text of every file.
var bodies = &image.Probe[string]{
	Name: "bodies", Version: 1,
	Want: func(image.Entry) bool { return true },
	Read: func(_ image.Entry, b []byte) (string, bool) { return string(b), true },
}

// ours is the tree the auditor sees, directories left out, and what it calls
// ambiguous.
func ours(t testing.TB, layers [][]byte) (map[string]string, []string) {
	t.Helper()
	s := image.NewScanner([]image.Reader{bodies}, limits.Default())
	src := &image.Source{}
	for _, l := range layers {
		src.Layers = append(src.Layers, image.Blob{Size: -1, Content: s.Layer(context.Background(), "test", bytes.NewReader(l))})
	}
	img, err := s.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	tree := map[string]string{}
	for f := range img.Files() {
		switch {
		case !f.Live() || f.Mode.IsDir():
		case f.Mode.Type() == fs.ModeSymlink:
			tree[f.Path] = "-> " + f.Link
		default:
			tree[f.Path], _ = bodies.Of(f)
		}
	}
	var ambiguous []string
	for _, p := range img.Problems {
		ambiguous = append(ambiguous, p.String())
	}
	return tree, ambiguous
}

// unpacked is the tree that a runtime's code makes of the layers.
func unpacked(t testing.TB, apply func(dir string, layer []byte) error, layers [][]byte) (map[string]string, error) {
	t.Helper()
	dir := t.TempDir()
	for _, l := range layers {
		if err := apply(dir, l); err != nil {
			return nil, err
		}
	}
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimPrefix(p, dir)
		if d.Type() == fs.ModeSymlink {
			target, err := os.Readlink(p)
			tree[name] = "-> " + target
			return err
		}
		b, err := os.ReadFile(p)
		tree[name] = string(b)
		return err
	})
	return tree, err
}

func withContainerd(dir string, layer []byte) error {
	_, err := containerd.Apply(context.Background(), dir, bytes.NewReader(layer), containerd.WithNoSameOwner())
	return err
}

func withMoby(dir string, layer []byte) error {
	_, err := moby.UnpackLayer(dir, bytes.NewReader(layer), &moby.TarOptions{NoLchown: true})
	return err
}

// compare insists that the auditor sees what a runtime unpacks, or says that the
// layers are ambiguous.
func compare(t testing.TB, story string, layers [][]byte) {
	t.Helper()
	got, ambiguous := ours(t, layers)
	for name, apply := range map[string]func(string, []byte) error{"containerd": withContainerd, "moby": withMoby} {
		want, err := unpacked(t, apply, layers)
		switch {
		case len(ambiguous) > 0: // told; readers may differ
		case err != nil:
			t.Errorf("%s\n%s refuses it (%v), we have no word on it", story, name, err)
		case !maps.Equal(got, want):
			t.Errorf("%s\n%s:\n%s\nours:\n%s", story, name, text(want), text(got))
		}
	}
}

func text(tree map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(tree)) {
		fmt.Fprintf(&b, "  %s: %s\n", k, tree[k])
	}
	return b.String()
}

// FuzzOverlay compares trees of layers made of a byte for each decision.
func FuzzOverlay(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 2, 9, 3, 2, 2, 4, 5})
	f.Add([]byte("a layer of a few entries, and another one above it"))
	for seed := range byte(60) {
		var b []byte
		for i := range byte(40) {
			b = append(b, seed*37+i*i*seed+i*11)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		story, layers := layersOf(t, b)
		compare(t, story, layers)
	})
}

// layersOf makes up to four layers of up to eight entries over few names, so that
// entries meet.
func layersOf(t testing.TB, b []byte) (story string, layers [][]byte) {
	dirs := []string{"", "a/", "b/", "a/c/", "l/"}
	names := []string{"a", "b", "l", "x", "y", ".wh.a", ".wh.x", ".wh.b", ".wh.l", ".wh..wh..opq"}
	targets := []string{"a", "b", "x", "/b", "../x", "a/c", "l"}
	next := func(n int) int {
		if len(b) == 0 {
			return 0
		}
		v := int(b[0]) % n
		b = b[1:]
		return v
	}
	for layer := 0; layer < 4 && len(b) > 0; layer++ {
		var ops []op
		for range 1 + next(8) {
			name := dirs[next(len(dirs))] + names[next(len(names))]
			kind := "ffddsh"[next(6)]
			if strings.Contains(name, ".wh.") {
				kind = 'f'
			}
			o := op(fmt.Sprintf("%c %s", kind, name))
			if kind == 's' || kind == 'h' {
				o += op(" " + targets[next(len(targets))])
			}
			ops = append(ops, o)
		}
		story += fmt.Sprintf("layer %d: %q\n", layer, ops)
		layers = append(layers, pack(t, layer, ops))
	}
	return story, layers
}
