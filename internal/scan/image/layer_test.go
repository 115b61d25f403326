package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func gz(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func zst(t testing.TB, b []byte, opts ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

func digestOf(b []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(b)) }

func scan(t testing.TB, lim limits.Limits, r io.Reader) *Content {
	t.Helper()
	return NewScanner(nil, lim).Layer(t.Context(), "test", r)
}

// skippable is a zstd skippable frame of four bytes (RFC 8878, 3.1.2).
const skippable = "\x50\x2a\x4d\x18\x04\x00\x00\x00skip"

func TestLayerCompression(t *testing.T) {
	plain := pack(t, "etc/passwd\nusr/\n")
	for _, tt := range []struct {
		name, compression string
		stored            []byte
	}{
		{"plain", "none", plain},
		{"gzip", "gzip", gz(plain)},
		{"zstd (D55)", "zstd", zst(t, plain)},
		{"zstd behind a skippable frame", "zstd", append([]byte(skippable), zst(t, plain)...)},
		{"zstd with a skippable frame at the end", "zstd", append(zst(t, plain), skippable...)},
		{"gzip in two members", "gzip", append(gz(plain[:700]), gz(plain[700:])...)},
		{"many empty gzip members first", "gzip", append(bytes.Repeat(gz(nil), 1000), gz(plain)...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := scan(t, limits.Default(), bytes.NewReader(tt.stored))
			if len(c.Problems) > 0 {
				t.Fatal(c.Problems)
			}
			if c.Compression != tt.compression || c.DiffID != digestOf(plain) || c.Digest != digestOf(tt.stored) ||
				c.Stored != int64(len(tt.stored)) || c.Uncompressed != int64(len(plain)) || len(c.events) != 2 {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func TestLayerProblems(t *testing.T) {
	plain := pack(t, "a\nb\nc")
	full := limits.Default()
	tiny := func(change func(*limits.Limits)) limits.Limits {
		l := limits.Default()
		change(&l)
		return l
	}
	zeros := append(append([]byte{}, plain...), make([]byte, 1<<20)...)
	for _, tt := range []struct {
		name string
		lim  limits.Limits
		in   io.Reader
		kind ProblemKind
		want string // part of What
		hint string // part of Hint
		kept int    // entries
	}{
		{"cut in a header", full, bytes.NewReader(plain[:700]), NotAudited, "1 entries were", "again", 1},
		{"cut in gzip (D84)", full, bytes.NewReader(gz(plain)[:40]), NotAudited, "unexpected EOF", "again", 0},
		{"no archive", full, strings.NewReader(strings.Repeat("x", 2000)), NotAudited, "header of entry 0", "again", 0},
		{"xz", full, strings.NewReader("\xfd7zXZ\x00abcdef"), NotAudited, "xz", "gzip", 0},
		{"bzip2", full, strings.NewReader("BZh91AY&SY"), NotAudited, "bzip2", "gzip", 0},
		{"gzip in gzip", full, bytes.NewReader(gz(gz(plain))), NotAudited, "header of entry 0", "", 0},
		{"zstd window", full, bytes.NewReader(zst(t, bytes.Repeat(plain, 20000), zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false))), NotAudited, "zstd window is over the limit of 33554432 bytes", "8 MiB", 0},
		{"garbage behind gzip", full, bytes.NewReader(append(gz(plain), "garbage"...)), NotAudited, "past the end", "", 3},
		{"second archive behind the first", full, bytes.NewReader(append(append([]byte{}, plain...), plain...)), Ambiguous, "behind the end", "", 3},
		{"a read error", full, io.MultiReader(bytes.NewReader(plain[:1024]), iotest.ErrReader(errors.New("connection reset"))), NotAudited, "connection reset", "", 2},
		{"layer bytes", tiny(func(l *limits.Limits) { l.LayerBytes = 1 << 18 }), bytes.NewReader(gz(zeros)), NotAudited, "limit of 262144", "--max-layer-bytes", 3},
		{"image bytes", tiny(func(l *limits.Limits) { l.ImageBytes = 1 << 18 }), bytes.NewReader(gz(zeros)), NotAudited, "limit of 262144", "--max-image-bytes", 3},
		{"ratio", tiny(func(l *limits.Limits) { l.Ratio, l.RatioAfter = 100, 1<<18 }), bytes.NewReader(gz(zeros)), NotAudited, "limit of 100", "--max-ratio", 3},
		{"entries", tiny(func(l *limits.Limits) { l.Entries = 2 }), bytes.NewReader(plain), NotAudited, "limit of 2 entries", "--max-entries", 2},
		{"long name", tiny(func(l *limits.Limits) { l.PathBytes = 2 }), bytes.NewReader(pack(t, "a\nlong")), NotAudited, "limit of 2 bytes", "", 1},
		{"names together", tiny(func(l *limits.Limits) { l.NameBytes = 2 }), bytes.NewReader(plain), NotAudited, "limit of 2 bytes of names", "--max-name-bytes", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := scan(t, tt.lim, tt.in)
			if len(c.Problems) != 1 {
				t.Fatalf("problems: %v", c.Problems)
			}
			if p := c.Problems[0]; p.Kind != tt.kind || !strings.Contains(p.What, tt.want) || !strings.Contains(p.Hint, tt.hint) {
				t.Errorf("got %d %q (hint %q)", p.Kind, p.What, p.Hint)
			}
			if len(c.events) != tt.kept {
				t.Errorf("kept %d entries, want %d", len(c.events), tt.kept)
			}
		})
	}
}

func TestLoadChecksWhatWasPromised(t *testing.T) {
	plain := pack(t, "a")
	good, other := digestOf(plain), digestOf([]byte("other"))
	for _, tt := range []struct {
		name, diffID, digest string
		size                 int64
		want                 string
	}{
		{"as promised", good, good, int64(len(plain)), ""},
		{"nothing promised", "", "", -1, ""},
		{"diff ID", other, "", -1, "diff ID"},
		{"digest", good, other, -1, "digest"},
		{"size", good, good, 7, "size"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := &Source{Layers: []Blob{{Name: "l", Digest: tt.digest, Size: tt.size,
				Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(plain)), nil }}}}
			if tt.diffID != "" {
				src.Config.DiffIDs = []string{tt.diffID}
			}
			img, err := NewScanner(nil, limits.Default()).Load(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				if !img.Complete() {
					t.Error(img.Problems)
				}
				return
			}
			if img.Complete() || !strings.Contains(img.Problems[0].What, "its "+tt.want+" is") || img.Problems[0].Layer != 0 {
				t.Error(img.Problems)
			}
			if final(img) != "/a@0" {
				t.Error("what was read should be kept")
			}
		})
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	src := &Source{Layers: []Blob{{Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(pack(t, "a"))), nil
	}}}}
	if _, err := NewScanner(nil, limits.Default()).Load(ctx, src); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestProbes(t *testing.T) {
	probe := func(head int64, needles ...string) *Probe[string] {
		return &Probe[string]{Name: "text", Want: func(e Entry) bool { return strings.HasSuffix(e.Path, ".txt") }, Head: head, Needles: needles,
			Read: func(_ Entry, b []byte) (string, bool) { return string(b), true }}
	}
	whole, head, needle := probe(0), probe(2), probe(0, "zzz", "ell")
	big := strings.Repeat("x", 100<<10)
	layer := tarOf(t, "a.txt", "hello", "b.txt", "world", "c.bin", "hello", "big.txt", big)
	img := loadLayers(t, []Reader{whole, head, needle}, layer, pack(t, "link.txt => a.txt\n.wh.b.txt"))

	got := map[string]string{}
	for f, v := range whole.Facts(img) {
		got[f.Path] = v
	}
	if len(got) != 4 || got["/a.txt"] != "hello" || got["/b.txt"] != "world" || got["/big.txt"] != big || got["/link.txt"] != "hello" {
		t.Errorf("whole: %d facts", len(got))
	}
	if v, ok := head.Of(img.Lookup("/a.txt")); !ok || v != "he" {
		t.Errorf("head: %q", v)
	}
	var found []string
	for f := range needle.Facts(img) {
		found = append(found, f.Path)
	}
	if fmt.Sprint(found) != "[/a.txt /link.txt]" {
		t.Errorf("needle: %v", found)
	}
}

func TestLargeFilesAreSearchedAsFarAsTheLimit(t *testing.T) {
	p := &Probe[int]{Name: "len", Want: func(Entry) bool { return true }, Read: func(_ Entry, b []byte) (int, bool) { return len(b), true }}
	lim := limits.Default()
	lim.FileBytes = 10
	s := NewScanner([]Reader{p}, lim)
	c := s.Layer(t.Context(), "test", bytes.NewReader(tarOf(t, "a", "0123456789abc", "b", "0123")))
	img, err := s.Load(t.Context(), &Source{Layers: []Blob{{Size: -1, Content: c}}})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := p.Of(img.Lookup("/a"))
	b, _ := p.Of(img.Lookup("/b"))
	if a != 10 || b != 4 || len(img.Problems) != 1 || img.Problems[0].Kind != Remark || img.Problems[0].Entry != "/a" {
		t.Errorf("a %d, b %d, %v", a, b, img.Problems)
	}
}

// A probe to which a part says nothing gets more, up to what is in memory at once.
func TestWholeFilesAreReadAsFarAsTheMemory(t *testing.T) {
	p := &Probe[int]{Name: "len", Whole: true, Want: func(Entry) bool { return true }, Read: func(_ Entry, b []byte) (int, bool) { return len(b), true }}
	lim := limits.Default()
	lim.FileBytes, lim.InFlight = 4, 10
	s := NewScanner([]Reader{p}, lim)
	c := s.Layer(t.Context(), "test", bytes.NewReader(tarOf(t, "a", "0123456789abc", "b", "0123456789")))
	img, err := s.Load(t.Context(), &Source{Layers: []Blob{{Size: -1, Content: c}}})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := p.Of(img.Lookup("/a"))
	b, _ := p.Of(img.Lookup("/b"))
	if a != 10 || b != 10 || len(img.Problems) != 1 || img.Problems[0].Entry != "/a" {
		t.Errorf("a %d, b %d, %v", a, b, img.Problems)
	}
}

// tarOf makes an archive of regular files from names and bodies.
func tarOf(t testing.TB, namesAndBodies ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(namesAndBodies); i += 2 {
		body := namesAndBodies[i+1]
		if err := w.WriteHeader(&tar.Header{Name: namesAndBodies[i], Mode: 0o644, Size: int64(len(body))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestXattrsKeepWhatMatters(t *testing.T) {
	lim := limits.Default()
	lim.PAXRecords, lim.XattrBytes = 2, 8
	h := &tar.Header{Name: "x", PAXRecords: map[string]string{
		"path": "x", xattrPrefix + "user.a": "1", xattrPrefix + "user.b": "2", xattrPrefix + "user.c": "123456789", xattrPrefix + "security.capability": "cap",
	}}
	b := NewScanner(nil, lim).NewLayer(t.Context())
	if got := b.xattrs(h); len(got) != 2 || got["security.capability"] != "cap" || got["user.a"] != "1" {
		t.Errorf("got %v", got)
	}
	if len(b.content.Problems) != 1 {
		t.Errorf("want one remark, got %v", b.content.Problems)
	}
}
