package leak

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// Bounds of what is read of one archive.
const (
	maxArchive  = 8 << 20  // bytes of the archive: a zip file's directory is at its end
	maxUnpacked = 64 << 20 // bytes that come out of it
	maxMembers  = 20_000
	maxMember   = 4 << 20 // bytes of one member
	maxName     = 256     // of a member, as it is kept
)

// archived finds credentials in the members of archives, one level deep: an archive
// in an archive is not opened.
var archived = &image.Probe[[]Credential]{
	Name: "archived-credential", Version: 1, Head: maxArchive,
	Want: func(e image.Entry) bool { return isArchive(e.Path) && !manual(e.Path) },
	Read: func(e image.Entry, b []byte) ([]Credential, bool) {
		a := archive{left: maxUnpacked, members: maxMembers, dir: e.Path}
		if zipped[path.Ext(e.Path)] {
			a.zip(b)
		} else {
			a.gzip(b)
		}
		return a.kept, len(a.kept) > 0
	},
}

var (
	zipped = extensions(".zip .whl .egg .jar .war .pyz .nupkg .vsix")
	packed = extensions(".gz .tgz .crate .gem")
)

func isArchive(p string) bool { ext := path.Ext(p); return zipped[ext] || packed[ext] }

// manual reports whether p is a page of documentation that a distribution compresses.
func manual(p string) bool {
	return strings.HasPrefix(p, "/usr/share/man/") || strings.HasPrefix(p, "/usr/share/doc/") || strings.HasPrefix(p, "/usr/share/info/")
}

// An archive reads members within bounds.
type archive struct {
	sink
	dir     string // path of the archive
	left    int64  // bytes that may still come out of it
	members int    // likewise
}

func (a *archive) zip(b []byte) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) || z == nil {
		return
	}
	for _, f := range z.File {
		if f.UncompressedSize64 < shortest || !f.Mode().IsRegular() || !worthReading(f.Name) {
			continue
		}
		if a.members--; a.members < 0 || a.left <= 0 {
			return
		}
		if r, err := f.Open(); err == nil {
			a.member(f.Name, r)
			_ = r.Close() // it was only read
		}
	}
}

// gzip reads a compressed archive, or a single compressed file.
func (a *archive) gzip(b []byte) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return
	}
	name := strings.TrimSuffix(path.Base(a.dir), path.Ext(a.dir))
	if ext := path.Ext(a.dir); ext == ".gz" && path.Ext(name) != ".tar" {
		a.member(name, z)
		return
	}
	t := tar.NewReader(io.LimitReader(z, maxUnpacked))
	for ; a.members > 0 && a.left > 0; a.members-- {
		h, err := t.Next()
		if err != nil {
			return
		}
		if h.Typeflag == tar.TypeReg && worthReading(h.Name) {
			a.member(h.Name, t)
		}
	}
}

func worthReading(name string) bool {
	return !compressed[path.Ext(name)] && !isArchive(name)
}

// member reads one file, as if it lay beside the archive.
func (a *archive) member(name string, r io.Reader) {
	b, _ := io.ReadAll(io.LimitReader(r, min(maxMember, a.left))) // what is damaged ends early
	a.left -= int64(len(b))
	s := sink{}
	s.file(path.Join("/", name), b)
	for _, c := range s.kept {
		c.Member = strings.Clone(name[:min(len(name), maxName)])
		a.add(c)
	}
}

// file reads a whole file in each way that fits its name.
func (s *sink) file(p string, b []byte) {
	if isBytecode(p) {
		s.bytecode(b)
		return
	}
	s.search(whole(b), generated(p))
	if len(b) <= maxStore {
		s.store(p, string(b))
	}
}

// whole is a window on all of a content.
func whole(b []byte) image.Window {
	w := image.Window{Bytes: b, To: len(b)}
	if bytes.IndexByte(b[:min(len(b), sniffed)], 0) < 0 {
		w.Line = 1
	}
	return w
}

// sniffed is how much of a content tells whether it is text.
const sniffed = 8000
