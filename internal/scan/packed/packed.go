// Package packed keeps texts of an image in memory without letting a small,
// highly compressed image make the auditor's memory large.
package packed

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
	"sync"
)

// A Text is a text as DEFLATE (RFC 1951) stores it. The zero Text is empty.
type Text struct {
	Deflated []byte
	Size     int // bytes once unpacked
}

var writers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // fails for unknown levels only
	return w
}}

// Pack returns b packed; it keeps no reference to b.
func Pack(b []byte) Text {
	if len(b) == 0 {
		return Text{}
	}
	var out bytes.Buffer
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	w.Reset(&out)
	_, _ = w.Write(b) // to memory: neither fails
	_ = w.Close()
	return Text{Deflated: bytes.Clone(out.Bytes()), Size: len(b)}
}

// Kept is how many bytes stay in memory.
func (t Text) Kept() int { return len(t.Deflated) }

// String unpacks the text.
func (t Text) String() string {
	if t.Size == 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(t.Size)
	r := flate.NewReader(bytes.NewReader(t.Deflated))
	_, _ = io.Copy(&b, io.LimitReader(r, int64(t.Size))) // of what Pack wrote: does not fail
	return b.String()
}
