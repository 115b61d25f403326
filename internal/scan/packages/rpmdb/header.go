package rpmdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
)

// Tags and types of a header that are used here (rpm, "docs/manual/tags.md",
// "include/rpm/rpmtag.h").
const (
	tagName       = 1000
	tagFileModes  = 1030
	tagDirIndexes = 1116
	tagBaseNames  = 1117
	tagDirNames   = 1118

	typeInt16       = 3
	typeInt32       = 4
	typeString      = 6
	typeStringArray = 8
)

// maxPath is the longest path that a kernel takes.
const maxPath = 4096

// files are a package's files as a header has them: names of directories are kept
// once, and each file has the number of its own.
type files struct {
	dirs, bases    []byte // strings, each with a NUL at its end
	indexes, modes []byte // numbers, big-endian; one for each of bases
}

// parseHeader reads a header as databases have it: the numbers of entries and of
// bytes of data, the entries, the data (rpm, "docs/manual/format_header.md").
func parseHeader(b []byte) (Package, error) {
	if len(b) < 8 {
		return Package{}, errors.New("reading an rpm header: it is shorter than its preamble")
	}
	entries, size := uint64(binary.BigEndian.Uint32(b)), uint64(binary.BigEndian.Uint32(b[4:]))
	if 8+entries*entryBytes+size > uint64(len(b)) {
		return Package{}, fmt.Errorf("reading an rpm header: %d entries and %d bytes of data do not fit into its %d bytes", entries, size, len(b))
	}
	index, data := b[8:8+entries*entryBytes], b[8+entries*entryBytes:][:size]
	var p Package
	for ; len(index) > 0; index = index[entryBytes:] {
		p.take(index, data)
	}
	if p.Name == "" {
		return Package{}, errors.New("reading an rpm header: it names no package")
	}
	return p, nil
}

const entryBytes = 16

// take keeps one entry: its tag, type, offset in data and number of values.
func (p *Package) take(entry, data []byte) {
	word := func(i int) uint32 { return binary.BigEndian.Uint32(entry[4*i:]) }
	offset, count := uint64(word(2)), uint64(word(3))
	if offset >= uint64(len(data)) {
		return
	}
	data = data[offset:]
	switch kind := [2]uint32{word(0), word(1)}; kind {
	case [2]uint32{tagName, typeString}:
		if name, _, ok := bytes.Cut(data, []byte{0}); ok && len(name) < maxPath {
			p.Name = string(name)
		}
	case [2]uint32{tagDirNames, typeStringArray}:
		p.files.dirs = data
	case [2]uint32{tagBaseNames, typeStringArray}:
		p.files.bases = first(count, data)
	case [2]uint32{tagDirIndexes, typeInt32}:
		p.files.indexes = data[:min(4*count, uint64(len(data)))]
	case [2]uint32{tagFileModes, typeInt16}:
		p.files.modes = data[:min(2*count, uint64(len(data)))]
	}
}

// first returns the first n strings of data.
func first(n uint64, data []byte) []byte {
	end := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(data[end:], 0)
		if i < 0 {
			break
		}
		end += i + 1
	}
	return data[:end]
}

// Files yields the files of the package, in the order of its header. One whose
// directory or name is no path is left out.
func (p Package) Files() iter.Seq[File] {
	return func(yield func(File) bool) {
		var dirs []string
		for d := range bytes.SplitSeq(p.files.dirs, []byte{0}) {
			if len(dirs) > len(p.files.indexes)/4 {
				break // no package has more directories than files
			}
			if len(d) > maxPath {
				d = nil
			}
			dirs = append(dirs, string(d))
		}
		indexes, modes := p.files.indexes, p.files.modes
		for base := range bytes.SplitSeq(p.files.bases, []byte{0}) {
			if len(indexes) < 4 {
				return
			}
			f := File{Base: string(base[:min(len(base), maxPath)])}
			if i := binary.BigEndian.Uint32(indexes); uint64(i) < uint64(len(dirs)) {
				f.Dir = dirs[i]
			}
			indexes = indexes[4:]
			if len(modes) >= 2 {
				f.Mode, modes = mode(binary.BigEndian.Uint16(modes)), modes[2:]
			}
			if f.Dir != "" && f.Dir[0] == '/' && f.Base != "" && !yield(f) {
				return
			}
		}
	}
}

// mode is a mode as stat(2) has it, without the type.
func mode(n uint16) fs.FileMode {
	m := fs.FileMode(n) & fs.ModePerm
	for i, bit := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if n&(0o1000<<i) != 0 {
			m |= bit
		}
	}
	return m
}
