package source

import (
	"fmt"
	"io"
	"os"
	"time"
)

// settled is how long a file must have been left alone for its times to tell of the
// next change: no file system in use counts in longer steps.
const settled = 2 * time.Second

// stamp identifies bytes of an open file by what changes when they do: the file, its
// size, and when its content and its inode were last changed (stat(2)). Nobody but who
// can set the clock can set the last. It is empty if the file was changed just now, or
// the system does not say enough.
func stamp(f *os.File, now time.Time, offset, size int64) string {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	inode, changed := inodeOf(info)
	if inode == "" || now.Sub(changed) < settled || now.Sub(info.ModTime()) < settled {
		return ""
	}
	return fmt.Sprintf("%s, %d bytes, modified %d, changed %d: %d at %d",
		inode, info.Size(), info.ModTime().UnixNano(), changed.UnixNano(), size, offset)
}

// A section is a layer in a file that holds more.
type section struct {
	*io.SectionReader
	file io.ReaderAt
}

func newSection(file io.ReaderAt, offset, size int64) section {
	return section{io.NewSectionReader(file, offset, size), file}
}

// Stamp implements image.Stamped.
func (s section) Stamp() string {
	f, ok := s.file.(*os.File)
	if !ok {
		return ""
	}
	_, offset, size := s.Outer()
	return stamp(f, time.Now(), offset, size)
}

// Close leaves the file open.
func (section) Close() error { return nil }

// A whole file is a layer.
type wholeFile struct{ *os.File }

// Stamp implements image.Stamped.
func (f wholeFile) Stamp() string { return stamp(f.File, time.Now(), 0, -1) }
