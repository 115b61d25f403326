package scantest

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"
)

// Stored is a layer as a registry stores it.
type Stored struct {
	Body   io.ReaderAt
	Size   int64 // bytes of Body
	Digest string
	DiffID string
}

// Reader reads the layer from its start.
func (l Stored) Reader() io.Reader { return io.NewSectionReader(l.Body, 0, l.Size) }

// Store compresses the layers of img.
func (img *Image) Store(c Compression) ([]Stored, error) {
	var out []Stored
	for _, l := range img.Layers {
		b, err := c.apply(l)
		if err != nil {
			return nil, err
		}
		out = append(out, Stored{Body: bytes.NewReader(b), Size: int64(len(b)), Digest: digest(b), DiffID: digest(l)})
	}
	return out, nil
}

// Floor does what no audit of these layers can do without, as fast as the same
// libraries allow: decompress, verify both digests, walk the headers, on all
// cores. Benchmarks compare an audit with it.
func Floor(layers []Stored, c Compression) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, l := range layers {
		g.Go(func() error { return floor(l, c) })
	}
	return g.Wait()
}

func floor(l Stored, c Compression) error {
	stored, plain := sha256.New(), sha256.New()
	const buffer = 128 << 10
	in := bufio.NewReaderSize(io.TeeReader(l.Reader(), stored), buffer)
	out := in
	if c == Gzip {
		z, err := gzip.NewReader(in)
		if err != nil {
			return err
		}
		out = bufio.NewReaderSize(io.TeeReader(z, plain), buffer)
	}
	for tr := tar.NewReader(out); ; {
		if _, err := tr.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		return err
	}
	if got := fmt.Sprintf("sha256:%x", stored.Sum(nil)); got != l.Digest {
		return fmt.Errorf("digest is %s, not %s", got, l.Digest)
	}
	if got := fmt.Sprintf("sha256:%x", plain.Sum(nil)); c == Gzip && got != l.DiffID {
		return fmt.Errorf("diff ID is %s, not %s", got, l.DiffID)
	}
	return nil
}
