package hostile

import (
	"bytes"
	"maps"
	"sync"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A memory is a store that all rows share, for as many runs as there are.
type memory struct {
	mu     sync.Mutex
	values map[string][]byte
}

func (m *memory) Get(key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.values[key]
	return b, ok
}

func (m *memory) Put(key string, value []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[key] = value
}

// TestKnownLayers audits every row three times: on its own, then with what all rows
// before it left behind, then with its own besides. The user is told the same, to the
// byte: no image makes a layer known that another only claims to have.
func TestKnownLayers(t *testing.T) {
	store := &memory{values: map[string][]byte{}}
	for _, c := range Cases() {
		in := c.Input()
		if in.Dockerfile != nil {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			lim := limits.Default()
			if c.Limits != nil {
				c.Limits(&lim)
			}
			if lim.ImageBytes != limits.Default().ImageBytes {
				t.Skip("which of several layers reaches the limit depends on the cores")
			}
			target := write(t, in)
			want := auditFile(t.Context(), target, lim).outputs()
			for _, run := range []string{"with others' layers", "again"} {
				got := auditImage(t.Context(), target, lim, nil, &image.Known{Store: store}, nil).outputs()
				if !maps.Equal(got, want) {
					t.Errorf("%s: got\n%s\nwant\n%s", run, got["text"], want["text"])
				}
			}
			if in.Archive == nil {
				return
			}
			want = auditPipe(t.Context(), bytes.NewReader(in.Archive), lim).outputs()
			got := auditImage(t.Context(), "-", lim, bytes.NewReader(in.Archive), &image.Known{Store: store}, nil).outputs()
			if !maps.Equal(got, want) {
				t.Errorf("through a pipe: got\n%s\nwant\n%s", got["text"], want["text"])
			}
		})
	}
	if len(store.values) < 10 {
		t.Errorf("only %d layers were kept", len(store.values))
	}
}
