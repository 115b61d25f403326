package source

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// An archive is a store inside a tar archive. It is read once: a file is only
// indexed, what comes through a pipe is scanned and kept while it passes.
type archive struct {
	members map[string]*member
	file    io.ReaderAt // nil if it came through a pipe
}

// A member is one entry of an archive.
type member struct {
	name    string
	kind    byte   // tar type flag
	sparse  bool   // its size in the archive is not its size
	again   bool   // the name stands more than once
	link    string // where a link leads, from the archive's root
	size    int64
	offset  int64          // in a file
	bytes   []byte         // of a document from a pipe
	content *image.Content // of a layer from a pipe
	lost    error          // why a member from a pipe was not kept
}

// archive opens an archive in a file.
func (op *opener) archive(ctx context.Context, target, file, pick string) (*Opened, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, plain(err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, plain(err)
	}
	if !info.Mode().IsRegular() {
		defer f.Close()
		return op.pipe(ctx, target, pick, f)
	}
	head := make([]byte, HeadBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		f.Close()
		return nil, plain(err)
	}
	if Looks(head[:n]) != Tar {
		defer f.Close()
		return op.pipe(ctx, target, pick, f)
	}
	opened, err := op.indexed(ctx, target, pick, f, info.Size())
	if err != nil {
		f.Close()
		return nil, err
	}
	opened.files = append(opened.files, f)
	return opened, nil
}

// indexed opens a plain archive of which any part can be read at any time.
func (op *opener) indexed(ctx context.Context, target, pick string, f io.ReaderAt, size int64) (*Opened, error) {
	a := &archive{members: map[string]*member{}, file: f}
	r := io.NewSectionReader(f, 0, size)
	err := a.index(ctx, r, op.lim, func(m *member, _ io.Reader) (err error) {
		m.offset, err = r.Seek(0, io.SeekCurrent) // archive/tar reads headers only, so the body starts here
		return err
	})
	if err != nil {
		return nil, err
	}
	return op.opened(ctx, target, pick, a)
}

// index reads the archive in r, showing visit every regular member.
func (a *archive) index(ctx context.Context, r io.Reader, lim limits.Limits, visit func(*member, io.Reader) error) error {
	tr := tar.NewReader(r)
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return a.belowLink()
		}
		if err != nil {
			return orHint(fmt.Errorf("reading member %d of the archive: %w", n, cutOff(err)), "save the image again")
		}
		if n >= lim.Members {
			return overLimit("members of an archive", int64(lim.Members), "--max-members")
		}
		if len(h.Name) > lim.PathBytes || len(h.Linkname) > lim.PathBytes {
			return overLimit("bytes in a member's name", int64(lim.PathBytes), "--max-path-bytes")
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		m := newMember(h)
		if old := a.members[m.name]; old != nil {
			old.again = true
			m = old
		} else {
			a.members[m.name] = m
		}
		if m.again || m.kind != tar.TypeReg || m.sparse {
			continue
		}
		if err := visit(m, tr); err != nil {
			return orHint(fmt.Errorf("reading member %q of the archive: %w", m.name, cutOff(err)), "save the image again")
		}
	}
}

// clean makes names relative to the archive's root, which they can't leave.
func clean(name string) string { return strings.TrimPrefix(path.Clean("/"+name), "/") }

func newMember(h *tar.Header) *member {
	m := &member{name: clean(h.Name), kind: h.Typeflag, size: h.Size, sparse: h.Typeflag == tar.TypeGNUSparse}
	for k := range h.PAXRecords {
		m.sparse = m.sparse || strings.HasPrefix(k, "GNU.sparse.")
	}
	switch h.Typeflag {
	case tar.TypeLink:
		m.link = clean(h.Linkname)
	case tar.TypeSymlink:
		if m.link = h.Linkname; !path.IsAbs(m.link) {
			m.link = path.Join(path.Dir(m.name), m.link) // with .. in front, it leads out of the archive
		}
	}
	return m
}

// belowLink refuses an archive with a member below a symbolic link: engines that
// unpack it before they read it find another file there than those that don't.
func (a *archive) belowLink() error {
	for name := range a.members {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if m := a.members[dir]; m != nil && m.kind == tar.TypeSymlink {
				return hint(errors.New("the archive has a member below a symbolic link; readers differ on where it lands"), "save the image again")
			}
		}
	}
	return nil
}

func (a *archive) has(name string) bool { return a.members[name] != nil }

// regular returns the member at name, one link followed. What could be read in
// more than one way is refused.
func (a *archive) regular(name string) (*member, error) {
	m := a.members[name]
	if m != nil && m.link != "" && !m.again {
		if m = a.members[m.link]; m == nil {
			return nil, fmt.Errorf("%q is a link to what is not in the archive", name)
		}
	}
	switch {
	case m == nil:
		return nil, hint(fmt.Errorf("%q is not in the archive", name), "save the image again")
	case m.again:
		return nil, hint(fmt.Errorf("%q stands more than once in the archive; readers differ on which counts", m.name), "save the image again")
	case m.link != "":
		return nil, fmt.Errorf("%q is a link to a link", name)
	case m.kind != tar.TypeReg:
		return nil, fmt.Errorf("%q is no regular file", name)
	case m.sparse:
		return nil, fmt.Errorf("%q is a sparse file", name)
	}
	return m, m.lost
}

func (a *archive) read(name string, max size) ([]byte, error) {
	m, err := a.regular(name)
	switch {
	case err != nil:
		return nil, err
	case m.size > max.bytes:
		return nil, max.error()
	case a.file == nil && m.bytes == nil:
		return nil, fmt.Errorf("%q is no document", name)
	case a.file == nil:
		return m.bytes, nil
	}
	return readAll(newSection(a.file, m.offset, m.size), max)
}

func (a *archive) layer(name string) (image.Blob, error) {
	m, err := a.regular(name)
	if err != nil {
		return image.Blob{}, err
	}
	b := image.Blob{Name: m.name, Size: m.size, Content: m.content}
	switch {
	case a.file != nil:
		b.Open = func(context.Context) (io.ReadCloser, error) { return newSection(a.file, m.offset, m.size), nil }
	case b.Content == nil:
		b.Content = &image.Content{Problems: []image.Problem{{Kind: image.NotAudited, Layer: -1, What: "is no archive", Hint: "save the image again"}}}
	}
	return b, nil
}

// cutOff says what an unexpected end means for an archive.
func cutOff(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the archive is cut off: %w", err)
	}
	return err
}
