package image

import (
	"context"
	"io"
	"runtime"

	"golang.org/x/sync/semaphore"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A Scanner reads layers, offering content to its probes. It is safe for
// concurrent use; its memory for file content is bounded over all layers.
type Scanner struct {
	Limits limits.Limits
	// Progress, if set, is told of stored bytes as they are read. It must be
	// safe for concurrent use.
	Progress func(layer string, n int)

	readers []Reader
	mem     *semaphore.Weighted
	cpu     *semaphore.Weighted
}

// NewScanner returns a Scanner for the given probes.
func NewScanner(probes []Reader, lim limits.Limits) *Scanner {
	return &Scanner{
		Limits: lim, readers: probes,
		mem: semaphore.NewWeighted(lim.InFlight),
		cpu: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))),
	}
}

// Layer reads one stored layer, compressed or not, to its last byte. What can't
// be read is told in Content.Problems (with Layer set to -1), and what was read
// until then is kept. name is for messages only.
func (s *Scanner) Layer(ctx context.Context, name string, r io.Reader) *Content {
	panic("draft")
}

// Load reads the layers of src that were not read yet, in parallel, checks each
// against the digest and diff ID it should have, and replays them to decide each
// file's fate. It fails only if ctx ends; what could not be read is in
// Image.Problems.
func (s *Scanner) Load(ctx context.Context, src *Source) (*Image, error) {
	panic("draft")
}
