package image

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"sync"
)

// Known holds what layers yielded that were read before, so that images on one base
// cost the base once. The zero Known is empty; it is safe for concurrent use by
// Scanners with the same probes and limits.
//
// A layer is known by the digest that was computed over its stored bytes, never by
// one that was only claimed.
type Known struct {
	// Store, if set, keeps layers for later runs.
	Store Store

	mu       sync.Mutex
	contents map[string]*Content // of this run, by digest
}

// Stamped is a reader of stored bytes that can tell whether they are still those
// that it gave out before.
type Stamped interface {
	// Stamp changes whenever the bytes may have changed. It is empty if that can't be
	// told.
	Stamp() string
}

func stampOf(r io.Reader) string {
	if s, ok := r.(Stamped); ok {
		return s.Stamp()
	}
	return ""
}

func (k *Known) inMemory(digest string) *Content {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.contents[digest]
}

func (k *Known) remember(c *Content) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.contents == nil {
		k.contents = map[string]*Content{}
	}
	k.contents[c.Digest] = c
}

// known returns the layer of that digest if it was read before; nil if not, or if
// it would have hit a limit now.
func (s *Scanner) known(digest string) *Content {
	if s.Known == nil || digest == "" {
		return nil
	}
	c := s.Known.inMemory(digest)
	if sc := s.scheme(); c == nil && sc != nil {
		if b, ok := s.Known.Store.Get(sc.key(digest)); ok {
			if c, ok = s.decode(sc, b); !ok || c.Digest != digest {
				return nil
			}
			s.Known.remember(c)
		}
	}
	if c == nil || s.spent.Load()+c.Uncompressed > s.Limits.ImageBytes {
		return nil
	}
	return c
}

// knownAs is the digest that the stored bytes had when they were last read and had
// this stamp.
func (s *Scanner) knownAs(stamp string) string {
	if stamp == "" || s.scheme() == nil {
		return ""
	}
	b, _ := s.Known.Store.Get("stamp " + stamp)
	return string(b)
}

// keep remembers a layer that was read to its end and that no image has used yet.
func (s *Scanner) keep(c *Content) {
	if s.Known == nil || !c.whole() {
		return
	}
	if sc := s.scheme(); sc != nil {
		s.Known.Store.Put(sc.key(c.Digest), s.encode(sc, c))
	}
	s.Known.remember(c)
}

// mark remembers the stamp that the stored bytes of a whole layer had, before they
// were read and after.
func (s *Scanner) mark(c *Content, before, after string) {
	if before != "" && before == after && c.whole() && s.scheme() != nil {
		s.Known.Store.Put("stamp "+before, []byte(c.Digest))
	}
}

// scheme is how layers are kept in the Store; nil if there is none.
func (s *Scanner) scheme() *scheme {
	if s.Known == nil || s.Known.Store == nil {
		return nil
	}
	s.schemeOnce.Do(func() { s.schemeIs, _ = newScheme(s) }) // what can't be kept is not kept
	return s.schemeIs
}

// open reads a layer, or finds that it was read before.
func (s *Scanner) open(ctx context.Context, b Blob, diffID string, alone bool) *Content {
	if b.Open == nil {
		return &Content{} // the source told why
	}
	// Whoever fetches a blob from a registry by its digest refuses any other bytes, so
	// one that is known need not be fetched.
	if b.Addressed {
		if c := s.known(b.Digest); c != nil {
			return s.use(c)
		}
	}
	r, err := b.Open(ctx)
	if err != nil {
		return notOpened(err)
	}
	defer func() { r.Close() }()
	stamp := stampOf(r)
	if c := s.known(s.knownAs(stamp)); c != nil {
		return s.use(c)
	}
	// What an archive or a directory keeps under a digest is unpacked whatever it is:
	// that is only a claim. Old archives name layers by their diff IDs, and store them
	// plain.
	if c := s.known(cmp.Or(b.Digest, diffID)); c != nil && !b.Addressed {
		if s.is(ctx, b, r, c) {
			s.mark(c, stamp, stampOf(r))
			return s.use(c)
		}
		r.Close()
		if r, err = b.Open(ctx); err != nil {
			return notOpened(err)
		}
		stamp = stampOf(r)
	}
	c := s.layer(ctx, b.Name, r, alone)
	s.keep(c)
	s.mark(c, stamp, stampOf(r))
	return c
}

func notOpened(err error) *Content {
	return &Content{Problems: []Problem{{Kind: NotAudited, Layer: -1, What: fmt.Sprintf("could not be opened: %v", err)}}}
}

// use counts a layer that need not be read.
func (s *Scanner) use(c *Content) *Content {
	s.spent.Add(c.Uncompressed)
	return c
}

// is reports whether the stored bytes in r are those of c.
func (s *Scanner) is(ctx context.Context, b Blob, r io.Reader, c *Content) bool {
	stored := &meter{ctx: ctx, r: io.LimitReader(r, c.Stored+1), tell: func(n int) { s.progress(b.Name, n) }}
	sum := sha256.New()
	_, err := io.CopyBuffer(sum, stored, make([]byte, chunkBytes))
	return err == nil && digest(sum) == c.Digest
}
