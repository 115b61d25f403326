package image

import (
	"bufio"
	"errors"
	"io"
)

// chunkBytes is how much of a stream one step of the pipeline hands to the next: a
// few hundred thousand instructions of work, and little enough to stay in a cache.
const chunkBytes = 128 << 10

// A skipper is a buffered stream that archive/tar skips bodies of without copying
// them: it seeks over what nobody reads.
type skipper struct {
	*bufio.Reader
	skipped int64
	block   []byte // where archive/tar has the block that it read last; nil if there was none left
}

// blockBytes is the size of the blocks of which archives are made (pax, "ustar
// Interchange Format").
const blockBytes = 512

// Read gives out whole blocks where archive/tar asks for one, as it does for headers.
func (s *skipper) Read(p []byte) (int, error) {
	if len(p) != blockBytes {
		return s.Reader.Read(p)
	}
	n, err := io.ReadFull(s.Reader, p)
	if s.block = p; err != nil {
		s.block = nil
	}
	if n > 0 {
		err = nil // the next Read finds it
	}
	return n, err
}

func newSkipper(r io.Reader) *skipper { return &skipper{Reader: bufio.NewReaderSize(r, chunkBytes)} }

// Seek moves forward from where the stream is, whatever whence says: archive/tar
// asks for nothing else, and looks at differences of positions only.
func (s *skipper) Seek(offset int64, _ int) (int64, error) {
	for offset > 0 {
		n, err := s.Discard(int(min(offset, 1<<30)))
		s.skipped += int64(n)
		if offset -= int64(n); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // a body that ends early is no end of an archive
			}
			return s.skipped, err
		}
	}
	return s.skipped, nil
}

// A readAhead reads from a reader in a goroutine of its own, a few chunks before
// anybody asks for them, so that the work of both sides uses two cores.
type readAhead struct {
	full chan chunk  // never blocks its sender: there are no more chunks than it holds
	free chan []byte // likewise
	now  chunk
	rest []byte // of now, unread
}

type chunk struct {
	buf    []byte
	n      int
	err    error // after the n bytes
	panics any   // what the reader panicked with, for the other side to do the same
}

func newReadAhead(r io.Reader) *readAhead {
	const chunks = 4
	a := &readAhead{full: make(chan chunk, chunks), free: make(chan []byte, chunks)}
	for range chunks {
		a.free <- make([]byte, chunkBytes)
	}
	go func() {
		defer close(a.full)
		for buf := range a.free {
			c := fill(r, buf)
			a.full <- c
			if c.err != nil || c.panics != nil {
				return
			}
		}
	}()
	return a
}

func fill(r io.Reader, buf []byte) (c chunk) {
	c.buf = buf
	defer func() { c.panics = recover() }()
	for c.n < len(buf) && c.err == nil {
		var n int
		n, c.err = r.Read(buf[c.n:])
		c.n += n
	}
	return c
}

// Read returns what was read ahead, then the error that ended it. It panics if the
// reader did.
func (a *readAhead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		switch {
		case a.now.panics != nil:
			panic(a.now.panics)
		case a.now.err != nil:
			return 0, a.now.err
		case a.now.buf != nil:
			a.free <- a.now.buf
		}
		a.now = <-a.full
		a.rest = a.now.buf[:a.now.n]
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// Close waits until the reader is left alone. It must not be called twice.
func (a *readAhead) Close() {
	close(a.free)
	for range a.full {
	}
}
