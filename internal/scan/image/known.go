package image

import (
	"context"
	"crypto/sha256"
	"io"
	"sync"
)

// Known holds what the layers of a run yielded, so that images on one base cost the
// base once. It is in memory only: facts hold text of the image, which may be
// secret and is nothing to leave on a disk. The zero Known is empty; it is safe for
// concurrent use by Scanners with the same probes.
type Known struct {
	mu       sync.Mutex
	contents map[string]*Content // by the digest that was computed over the stored bytes
}

func (k *Known) get(digest string) *Content {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.contents[digest]
}

// keep remembers a layer that was read to its end.
func (k *Known) keep(c *Content) {
	if k == nil || !c.whole() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.contents == nil {
		k.contents = map[string]*Content{}
	}
	k.contents[c.Digest] = c
}

// known returns the content of b if a layer that was read before has the same
// stored bytes, by the digest that the image names; nil if there is none. The
// digest is only a claim. Who fetches a blob from a registry by its digest refuses
// any other bytes, so it need not be fetched again; but what an archive or a
// directory keeps under a digest is unpacked whatever it is, so it is hashed.
func (s *Scanner) known(ctx context.Context, b Blob, claim string) *Content {
	c := s.Known.get(claim)
	if c == nil || b.Addressed {
		return c
	}
	r, err := b.Open(ctx)
	if err != nil {
		return nil
	}
	defer r.Close()
	stored := &meter{ctx: ctx, r: io.LimitReader(r, c.Stored+1), tell: func(n int) { s.progress(b.Name, n) }}
	sum := sha256.New()
	if _, err := io.CopyBuffer(sum, stored, make([]byte, chunkBytes)); err != nil || digest(sum) != c.Digest {
		return nil
	}
	return c
}
