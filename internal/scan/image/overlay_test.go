package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// pack makes a layer archive from lines "name", "name/", "name -> target" (a
// symbolic link) and "name => target" (a hard link).
func pack(t testing.TB, lines string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		h := &tar.Header{Name: line, Mode: 0o644, Typeflag: tar.TypeReg}
		if name, target, ok := strings.Cut(line, " -> "); ok {
			h.Name, h.Linkname, h.Typeflag = name, target, tar.TypeSymlink
		} else if name, target, ok := strings.Cut(line, " => "); ok {
			h.Name, h.Linkname, h.Typeflag = name, target, tar.TypeLink
		} else if strings.HasSuffix(line, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// loadLayers reads archives as the layers of one image.
func loadLayers(t testing.TB, probes []Reader, layers ...[]byte) *Image {
	t.Helper()
	s := NewScanner(probes, limits.Default())
	src := &Source{Name: "test"}
	for _, l := range layers {
		src.Layers = append(src.Layers, Blob{Size: -1, Content: s.Layer(t.Context(), "test", bytes.NewReader(l))})
	}
	img, err := s.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// final lists the live files as path@layer.
func final(img *Image) string {
	var got []string
	for f := range img.Files() {
		if f.Live() && !f.Mode.IsDir() {
			got = append(got, fmt.Sprintf("%s@%d", f.Path, f.Layer.Index))
		}
	}
	slices.Sort(got)
	return strings.Join(got, " ")
}

func TestOverlay(t *testing.T) {
	for _, tt := range []struct {
		name      string
		layers    []string
		want      string
		ambiguous string // part of a problem that must be told; none if empty
	}{
		{"whiteout before the file of the same layer", []string{"x", ".wh.x\nx"}, "/x@1", ""},
		{"whiteout after the file of the same layer", []string{"x", "x\n.wh.x"}, "/x@1", "both stored and removed"},
		{"whiteout of a directory that is made again", []string{"d/\nd/old", ".wh.d\nd/\nd/new"}, "/d/new@1", ""},
		{"directory made again before its whiteout", []string{"d/\nd/old", "d/\nd/new\n.wh.d"}, "/d/new@1", "both stored and removed"},
		{"opaque before content", []string{"d/\nd/old", "d/\nd/.wh..wh..opq\nd/new"}, "/d/new@1", ""},
		{"opaque after content", []string{"d/\nd/old", "d/\nd/new\nd/.wh..wh..opq"}, "/d/new@1", ""},
		{"opaque after content of an implicit directory", []string{"d/s/old", "d/s/new\nd/.wh..wh..opq"}, "/d/s/new@1", "readers differ"},
		{"opaque root", []string{"a\nb/c", ".wh..wh..opq\nz"}, "/z@1", ""},
		{"whiteout of nothing", []string{"a", ".wh.b"}, "/a@0", ""},
		{"whiteouts of no name", []string{"a", ".wh.\n.wh..\n.wh..."}, "/a@0", "whiteout of no name"},
		{"whiteout that is a directory", []string{"a", ".wh.a/"}, "", ""},
		{"file below a whiteout name", []string{"a", ".wh.d/f"}, "/.wh.d/f@1 /a@0", "below a whiteout name"},
		{"reserved whiteout name", []string{"a", ".wh..wh.plnk/1.2"}, "/.wh..wh.plnk/1.2@1 /a@0", "whiteout name"},
		{"whiteout through a linked directory", []string{"etc/x\netc/y\na -> etc", "a/.wh.x"}, "/a@0 /etc/y@0", ""},
		{"leading slash in one layer only", []string{"/a/b", "a/b"}, "/a/b@1", ""},
		{"names that are not normal", []string{"a/./b\nc//d\n./e/f"}, "/a/b@0 /c/d@0 /e/f@0", ""},
		{"file takes a directory's path", []string{"d/\nd/x\nd/s/y", "d"}, "/d@1", ""},
		{"link takes a directory's path (D50)", []string{"app/test/a.py\nopt/", "app/test -> /opt"}, "/app/test@1", ""},
		{"directory takes a file's path", []string{"d", "d/\nd/x"}, "/d/x@1", ""},
		{"file below a file", []string{"d", "d/x"}, "/d/x@1", "no directory"},
		{"directory over a link replaces it", []string{"etc/x\na -> etc", "a/\na/y"}, "/a/y@1 /etc/x@0", ""},
		{"write through a link of a lower layer", []string{"etc/shadow\na -> etc", "a/shadow"}, "/a@0 /etc/shadow@1", ""},
		{"write through a link of the same layer", []string{"etc/shadow", "a -> etc\na/shadow"}, "/a@1 /etc/shadow@1", ""},
		{"link climbs over the root", []string{"etc/x\na -> ../../../etc", "a/x"}, "/a@0 /etc/x@1", "climbs over the image root"},
		{"loop of links", []string{"a -> b\nb -> a", "a/x"}, "/a/x@1 /b@0", "loop"},
		{"dots as a link's name", []string{"a -> ..data\n..data/x", "a/x"}, "/..data/x@1 /a@0", ""},
		{"path climbs over the root (D64)", []string{"../../tmp/pwn"}, "/tmp/pwn@0", "leaves the image root"},
		{"duplicate in one layer: last wins", []string{"a\na"}, "/a@0", "stands twice"},
		{"hard link to a lower layer survives its target", []string{"a", "b => a", ".wh.a"}, "/b@1", ""},
		{"hard link to nothing", []string{"b => a"}, "/b@0", "does not exist"},
		{"hard link climbs over the root", []string{"etc/x", "b => ../../etc/x"}, "/b@1 /etc/x@0", "leaves the image root"},
		{"hard link to itself", []string{"x", "x => x"}, "/x@1", "does not exist"},
		{"hard link to a link leads where that does", []string{"b\na -> b\nc => a", "c/x"}, "/a@0 /b/x@1 /c@0", "no directory"},
		{"directory and file of one name in one layer", []string{"d/\nd"}, "/d@0", "stands twice"},
		{"directory that the layer takes away again", []string{"a -> l", "a/c/\na"}, "/a@1", "takes away again"},
		{"whiteout below a file", []string{"a", "a/.wh.x"}, "/a@0", "no directory"},
		{"whiteout far below a file", []string{"a", "a/c/.wh.x"}, "/a@0", "no directory"},
		{"whiteout behind a loop", []string{"a -> a", "a/.wh.x"}, "/a@0", "loop"},
		{"whiteout of a directory with content of the same layer", []string{"l/old", "l/a\n.wh.l"}, "/l/a@1", "both stored and removed"},
		{"opaque after content in an unlisted directory further down", []string{"a/\na/c/a\n.wh..wh..opq"}, "/a/c/a@0", "does not list"},
		{"opaque through a link after content", []string{"a -> b", "a/c/a\na/c/.wh..wh..opq"}, "/a@0 /b/c/a@1", "through a symbolic link"},
		{"link replaced between entries below it", []string{"e/\nf/\nd -> e\nd/one\nd -> f\nd/two"}, "/d@0 /e/one@0 /f/two@0", "stands twice"},
		{"link comes on the way of the entries around it", []string{"a/l -> x/..\na/l/one\na/l/x -> /etc\na/l/two"}, "/a/l@0 /a/one@0 /a/x@0 /two@0", ""},
		{"directory goes between entries below it", []string{"a/b/old", "a/b/one\na\na/b/two"}, "/a/b/two@1", "stores something else above it"},
		{"whiteout between layers with one directory", []string{"a/b/old", ".wh.a\na/b/new"}, "/a/b/new@1", ""},
		{"opaque between layers with one directory", []string{"a/b/old", "a/.wh..wh..opq\na/b/new"}, "/a/b/new@1", ""},
		{"names with a backslash or a colon", []string{"\\x\nc:x"}, "/\\x@0 /c:x@0", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var layers [][]byte
			for _, l := range tt.layers {
				layers = append(layers, pack(t, l))
			}
			img := loadLayers(t, nil, layers...)
			if got := final(img); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			for f := range img.Files() {
				if f.Live() && img.Lstat(f.Path) != f {
					t.Errorf("%s of layer %d is live but not in the tree", f.Path, f.Layer.Index)
				}
			}
			told := tt.ambiguous == ""
			for _, p := range img.Problems {
				if tt.ambiguous == "" && p.Kind != Remark {
					told = false
				}
				if tt.ambiguous != "" && p.Kind == Ambiguous && strings.Contains(p.What, tt.ambiguous) {
					told = true
				}
			}
			if !told {
				t.Errorf("problems %v, want %q", img.Problems, tt.ambiguous)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	img := loadLayers(t, nil, pack(t, "usr/bin/python3.12\nusr/bin/python -> python3.12\nbin -> usr/bin\nloop -> loop\nabs -> /usr/bin"))
	for p, want := range map[string]string{
		"/bin/python":        "/usr/bin/python3.12",
		"bin/python3.12":     "/usr/bin/python3.12",
		"/abs/../bin/python": "/usr/bin/python3.12",
		"/../../bin/python":  "/usr/bin/python3.12",
		"/loop":              "",
		"/nothing/here":      "",
	} {
		got := ""
		if f := img.Lookup(p); f != nil {
			got = f.Path
		}
		if got != want {
			t.Errorf("Lookup(%s) = %q, want %q", p, got, want)
		}
	}
	if f := img.Lstat("/bin/python"); f == nil || f.Path != "/usr/bin/python" {
		t.Errorf("Lstat(/bin/python) = %v", f)
	}
}

// TestSymlinkFarm is D69: thirty levels of two links each would be 2^30 paths.
func TestSymlinkFarm(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "l%d/\nl%d/a -> ../l%d\nl%d/b -> ../l%d\n", i, i, i+1, i, i+1)
	}
	b.WriteString("l30/x\n")
	img := loadLayers(t, nil, pack(t, b.String()))
	if f := img.Lookup("/l0" + strings.Repeat("/a", 30) + "/x"); f == nil || f.Path != "/l30/x" {
		t.Errorf("got %v", f)
	}
}

// TestReplay checks replay against a slow model written straight from the OCI
// image specification.
func TestReplay(t *testing.T) {
	paths := []string{"/a", "/a/b", "/a/b/c", "/a/d", "/e", "/e/f"}
	for seed := range int64(50000) {
		rnd := rand.New(rand.NewSource(seed))
		img := &Image{}
		var contents []*Content
		var story strings.Builder
		for i := range 1 + rnd.Intn(5) {
			c := &Content{}
			for range 1 + rnd.Intn(5) {
				p := paths[rnd.Intn(len(paths))]
				switch k := rnd.Intn(6); k {
				case 0:
					c.events = append(c.events, event{kind: whiteout, path: p})
					fmt.Fprintf(&story, "rm %s; ", p)
				case 1:
					c.events = append(c.events, event{kind: opaque, path: p})
					fmt.Fprintf(&story, "opq %s; ", p)
				default:
					f := &File{Entry: Entry{Path: p}}
					if k < 4 {
						f.Mode = fs.ModeDir
					}
					c.events = append(c.events, event{kind: add, path: p, file: f})
					fmt.Fprintf(&story, "%v %s; ", f.Mode, p)
				}
			}
			// The specification leaves the order within a layer open where a
			// whiteout meets the layer's own files; keep whiteouts first.
			slices.SortStableFunc(c.events, func(a, b event) int { return min(int(b.kind), 1) - min(int(a.kind), 1) })
			story.WriteString("| ")
			img.Layers = append(img.Layers, &Layer{Index: i})
			contents = append(contents, c)
		}
		want := model(contents)
		o := newOverlay(img, 40)
		for i, c := range contents {
			o.apply(img.Layers[i], c)
		}
		o.finish()
		var got []string
		for f := range img.Files() {
			if f.Live() {
				got = append(got, fmt.Sprint(f.Path, f.Layer.Index))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s\n got %v\nwant %v", story.String(), got, want)
		}
	}
}

func model(contents []*Content) []string {
	type version struct {
		layer int
		dir   bool
	}
	now := map[string]version{}
	below := func(dir string) {
		maps.DeleteFunc(now, func(p string, _ version) bool { return strings.HasPrefix(p, path.Clean(dir)+"/") })
	}
	for i, c := range contents {
		for _, ev := range c.events {
			switch ev.kind {
			case opaque:
				below(ev.path)
			case whiteout:
				below(ev.path)
				delete(now, ev.path)
			case add:
				for d := path.Dir(ev.path); d != "/"; d = path.Dir(d) {
					if v, ok := now[d]; ok && !v.dir {
						delete(now, d)
					}
				}
				if !ev.file.Mode.IsDir() {
					below(ev.path)
				}
				now[ev.path] = version{i, ev.file.Mode.IsDir()}
			}
		}
	}
	var out []string
	for p, v := range now {
		out = append(out, fmt.Sprint(p, v.layer))
	}
	slices.Sort(out)
	return out
}
