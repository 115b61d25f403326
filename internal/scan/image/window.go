package image

import (
	"bytes"
	"fmt"
	"io"
)

// A Window is a stretch of a file's content with what stands round it. What begins
// in Bytes[From:To] is this window's to find; all else is its context, and belongs to
// other windows.
type Window struct {
	Bytes    []byte
	From, To int
	Offset   int64 // of Bytes[0] in the file
	Line     int   // of Bytes[0], 1-based; 0 if the content is no text
}

// How much of a file passes at once, and how much of the content before and behind
// it is in sight of whoever scans it. All of it stays in a processor's cache.
const (
	windowBytes  = 128 << 10
	windowBefore = 1 << 10
	windowAfter  = 16 << 10
)

// scan shows a file to its scanners. head is the part of it that was read already,
// body the rest.
func (b *Builder) scan(f *File, scanners []Reader, head []byte, body io.Reader) error {
	kept := make([]any, len(scanners))
	show := func(w Window) {
		for i, p := range scanners {
			kept[i] = p.scan(f.Entry, w, kept[i])
		}
	}
	if int64(len(head)) == f.Size {
		show(Window{Bytes: head, To: len(head), Line: firstLine(head)})
	} else {
		if len(head) > 0 {
			body = io.MultiReader(bytes.NewReader(head), body)
		}
		size := f.Size
		if b.searched += size; !f.Sparse && b.searched > b.s.Limits.LayerBytes {
			b.problem(NotAudited, f.Path, fmt.Sprintf("is not searched: the files of one layer are over the limit of %d bytes", b.s.Limits.LayerBytes), "raise it with --max-layer-bytes")
			return nil
		}
		if limit := b.s.Limits.FileBytes; f.Sparse && size > limit {
			size = limit // holes cost the archive nothing, so no other limit ends them
			b.problem(Remark, f.Path, fmt.Sprintf("is sparse: only the first %d of its %d bytes were searched", size, f.Size), "")
		}
		if err := b.slide(size, body, show); err != nil {
			return fmt.Errorf("reading %s: %w", f.Path, err)
		}
	}
	for i, v := range kept {
		if v != nil {
			f.facts = append(f.facts, fact{scanners[i], v})
		}
	}
	return nil
}

// slide shows size bytes of r, one window after another.
func (b *Builder) slide(size int64, r io.Reader, show func(Window)) error {
	if b.window == nil {
		b.window = make([]byte, windowBefore+windowBytes+windowAfter)
	}
	w := Window{}
	held := 0 // bytes in the buffer
	for left := size; ; {
		n := int(min(left, int64(len(b.window)-held)))
		if _, err := io.ReadFull(r, b.window[held:held+n]); err != nil {
			return err
		}
		left -= int64(n)
		if w.Bytes == nil {
			w.Line = firstLine(b.window[:n])
		}
		held += n
		w.Bytes, w.To = b.window[:held], held
		if left > 0 {
			w.To -= windowAfter
		}
		show(w)
		if left == 0 {
			return nil
		}
		gone := w.To - windowBefore
		if w.Line > 0 {
			w.Line += bytes.Count(w.Bytes[:gone], newline)
		}
		held = copy(b.window, w.Bytes[gone:])
		w.Offset += int64(gone)
		w.From = windowBefore
	}
}

var newline = []byte{'\n'}

// firstLine is the number of the first line, if content that begins like this has
// lines.
func firstLine(b []byte) int {
	const sniffed = 8000
	if bytes.IndexByte(b[:min(len(b), sniffed)], 0) >= 0 {
		return 0
	}
	return 1
}
