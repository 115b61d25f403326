package image

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

type keptText string

func (k keptText) Kept() int { return len(k) }

// TestKept bounds what facts keep over all layers: past it they are dropped, and the
// audit says so once a layer.
func TestKept(t *testing.T) {
	text := &Probe[keptText]{Name: "text", Want: func(Entry) bool { return true },
		Read: func(_ Entry, b []byte) (keptText, bool) { return keptText(b), true }}
	size := &Probe[int]{Name: "size", Want: func(Entry) bool { return true },
		Read: func(_ Entry, b []byte) (int, bool) { return len(b), true }}
	lim := limits.Default()
	lim.KeptBytes = 6
	s := NewScanner([]Reader{text, size}, lim)
	b := s.NewLayer(t.Context())
	for _, name := range []string{"a", "b", "c"} {
		if err := b.Add(Entry{Path: name, Mode: 0o644, Size: 4}, bytes.NewReader([]byte("text"))); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Content()
	if len(c.Problems) != 1 || c.Problems[0].Kind != NotAudited || !strings.Contains(c.Problems[0].Hint, "--max-kept-bytes") {
		t.Errorf("problems: %v", c.Problems)
	}
	for i, want := range []int{2, 1, 1} {
		if got := len(c.events[i].file.facts); got != want {
			t.Errorf("file %d has %d facts, want %d", i, got, want)
		}
	}
}
