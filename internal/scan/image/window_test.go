package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// TestWindows shows files of many sizes to a probe that puts them together again from
// its windows, with and without another probe that wants a part of them.
func TestWindows(t *testing.T) {
	const context = 16 << 10 // a credential has that much room behind a window's end
	type seen struct {
		Text  string
		Lines int
	}
	scan := &Probe[seen]{
		Name: "scan", Version: 1, Want: func(Entry) bool { return true },
		Scan: func(_ Entry, w Window, s seen) (seen, bool) {
			mine := string(w.Bytes[w.From:w.To])
			if w.Offset+int64(w.From) != int64(len(s.Text)) {
				t.Errorf("a window begins at %d, after %d bytes", w.Offset+int64(w.From), len(s.Text))
			}
			if n := 1 + bytes.Count([]byte(s.Text), []byte("\n")) - bytes.Count(w.Bytes[:w.From], []byte("\n")); w.Line != 0 && w.Line != n {
				t.Errorf("the window at %d begins on line %d, not %d", w.Offset, w.Line, n)
			}
			s.Text += mine
			s.Lines = w.Line
			if behind := len(w.Bytes) - w.To; behind != 0 && behind < context {
				t.Errorf("the window at %d has only %d bytes behind it", w.Offset, behind)
			}
			return s, true
		},
	}
	head := &Probe[string]{
		Name: "head", Version: 1, Head: 100_000, Want: func(e Entry) bool { return e.Mode&1 != 0 },
		Read: func(_ Entry, b []byte) (string, bool) { return string(b), true },
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	text := make([]byte, 700_000)
	for i := range text {
		text[i] = "abcdefg\n"[rnd.IntN(8)]
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i, n := range []int{1, 100, 64 << 10, 64<<10 + 1, 145 << 10, 145<<10 + 1, 300_000, len(text)} {
		body := text[:n]
		if i%3 == 0 {
			body = append([]byte{0}, body[1:]...) // no text
		}
		for mode := range int64(2) {
			if err := w.WriteHeader(&tar.Header{Name: fmt.Sprint(i, "-", mode), Size: int64(n), Mode: mode}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	img := loadLayers(t, []Reader{scan, head}, b.Bytes())
	for f, s := range scan.Facts(img) {
		n := int(f.Size)
		if int64(len(s.Text)) != f.Size || s.Text[1:] != string(text[1:n]) {
			t.Errorf("%s: got %d bytes of %d, or others", f.Path, len(s.Text), n)
		}
		if isText := s.Text[0] != 0; isText != (s.Lines > 0) {
			t.Errorf("%s: lines are counted: %v", f.Path, !isText)
		}
		if h, ok := head.Of(f); ok && h != s.Text[:min(n, 100_000)] {
			t.Errorf("%s: the other probe got %d bytes", f.Path, len(h))
		}
	}
	if n := img.Count(); n != 16 {
		t.Errorf("%d files", n)
	}
}

// TestSearchEnds keeps files that are larger than anything stored from being searched
// for ever.
func TestSearchEnds(t *testing.T) {
	scan := &Probe[int64]{Name: "scan", Version: 1, Want: func(Entry) bool { return true },
		Scan: func(_ Entry, w Window, n int64) (int64, bool) { return n + int64(w.To-w.From), true }}
	lim := limits.Default()
	lim.LayerBytes, lim.FileBytes = 1<<20, 1<<18
	for _, tt := range []struct {
		name  string
		entry Entry
		kind  ProblemKind
		want  int64 // bytes searched
	}{
		{"a hole", Entry{Path: "/hole", Size: 1 << 50, Sparse: true}, Remark, 1 << 18},
		{"a device's worth", Entry{Path: "/disk", Size: 1 << 50}, NotAudited, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := NewScanner([]Reader{scan}, lim).NewLayer(t.Context())
			if err := b.Add(tt.entry, zeros{}); err != nil {
				t.Fatal(err)
			}
			c := b.Content()
			if len(c.Problems) != 1 || c.Problems[0].Kind != tt.kind {
				t.Errorf("problems: %v", c.Problems)
			}
			if got, _ := scan.Of(c.events[0].file); got != tt.want {
				t.Errorf("%d bytes were searched, want %d", got, tt.want)
			}
		})
	}
}

// zeros is a body without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
