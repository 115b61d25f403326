package image

import (
	"archive/tar"
	"context"
	"fmt"
	"io/fs"
	"os"
)

// Tree reads the files below root as one layer. Symbolic links are recorded,
// never followed, and what can't be read is told in Content.Problems. A
// directory is no archive: the content has no digest.
func (s *Scanner) Tree(ctx context.Context, root *os.Root) *Content {
	t := tree{Builder: s.NewLayer(ctx), root: root}
	if err := fs.WalkDir(root.FS(), ".", t.visit); err != nil {
		t.broken(err)
	}
	return t.Content()
}

// A tree is a Builder fed from a directory.
type tree struct {
	*Builder
	root *os.Root
	n    int
}

// visit records one file. It fails only where the walk must end.
func (t *tree) visit(name string, d fs.DirEntry, err error) error {
	if cerr := t.ctx.Err(); cerr != nil {
		return cerr
	}
	if t.n++; t.n > t.s.Limits.Entries {
		return limitError("entries", int64(t.s.Limits.Entries), "--max-entries")
	}
	if err != nil {
		t.unread(name, err)
		return nil
	}
	if name == "." || d.Type() == fs.ModeSocket { // no image holds a socket
		return nil
	}
	e, err := t.entry(name, d)
	if err != nil {
		t.unread(name, err)
		return nil
	}
	body := &lazyFile{root: t.root, name: name}
	defer func() { _ = body.Close() }() // it was only read
	if err := t.Add(e, body); err != nil {
		t.unread(name, err)
	}
	return nil
}

func (t *tree) unread(name string, err error) {
	t.problem(NotAudited, "/"+name, fmt.Sprintf("could not be read: %v", err), "run as a user that may read it")
}

func (t *tree) entry(name string, d fs.DirEntry) (Entry, error) {
	info, err := d.Info()
	if err != nil {
		return Entry{}, err
	}
	link := ""
	if info.Mode().Type() == fs.ModeSymlink {
		if link, err = t.root.Readlink(name); err != nil {
			return Entry{}, err
		}
	}
	h, err := tar.FileInfoHeader(nameless{info}, link)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Path: "/" + name, Mode: info.Mode(), UID: h.Uid, GID: h.Gid, Size: h.Size, Link: link}
	if info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		e.Xattrs = capability(t.root, name)
	}
	return e, nil
}

// A nameless file keeps archive/tar from asking the host for the names of the
// image's users.
type nameless struct{ fs.FileInfo }

func (nameless) Uname() (string, error) { return "", nil }

func (nameless) Gname() (string, error) { return "", nil }

// A lazyFile opens its file when it is first read: most never are.
type lazyFile struct {
	root *os.Root
	name string
	file *os.File
}

func (l *lazyFile) Read(p []byte) (n int, err error) {
	if l.file == nil {
		if l.file, err = l.root.Open(l.name); err != nil {
			return 0, err
		}
	}
	return l.file.Read(p)
}

// Close closes the file if it was opened.
func (l *lazyFile) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
