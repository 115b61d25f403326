package python

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// An Archive is a zip or tar file of any layer that holds Python: a wheel, an egg,
// a zipapp, a source distribution.
type Archive struct {
	File    *image.File
	Class   Class
	Why     string // by what the class was told
	Sources int    // of Python, in it
	First   string // name of one of them; empty if there is none
	Partial bool   // it is too large to be listed to its end

	cached  int          // bytecode files in a __pycache__
	headers []pyc.Header // of bytecode outside of one, each kind once
}

// listing is what is kept of an archive's contents.
type listing struct {
	sources int
	first   string
	cached  int
	headers []pyc.Header
	partial bool
}

// Bounds of what is read of one archive.
const (
	maxZip      = 8 << 20  // bytes of a zip file; its directory is at its end
	maxTarHead  = 4 << 20  // bytes of a tar file, as stored
	maxUnpacked = 32 << 20 // bytes that come out of it
	maxMembers  = 50_000
	maxHeaders  = 64 // bytecode files whose header is read
	maxName     = 256
)

// zips lists what zip files hold (zipimport, zipapp, binary distribution formats).
var zips = &image.Probe[listing]{
	Name: "python-zip", Version: 1,
	Want: func(e image.Entry) bool { return zipped(e.Path) && e.Size <= maxZip },
	Read: func(_ image.Entry, b []byte) (listing, bool) {
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil && !errors.Is(err, zip.ErrInsecurePath) || z == nil {
			return listing{}, false
		}
		l, read := listing{}, 0
		for i, f := range z.File {
			if i == maxMembers {
				l.partial = true
				break
			}
			if l.add(f.Name) && read < maxHeaders {
				read++
				l.header(f)
			}
		}
		return l, l.python()
	},
}

// tarballs lists what tar files hold, as source distributions are.
var tarballs = &image.Probe[listing]{
	Name: "python-tarball", Version: 2, Head: maxTarHead,
	Want: func(e image.Entry) bool { return tarred(e.Path) },
	Read: func(e image.Entry, b []byte) (listing, bool) {
		z, err := unpacked(b)
		if err != nil {
			return listing{}, false
		}
		t := tar.NewReader(io.LimitReader(z, maxUnpacked))
		l := listing{}
		for range maxMembers {
			h, err := t.Next()
			if err != nil {
				l.partial = !errors.Is(err, io.EOF)
				return l, l.python()
			}
			if h.Typeflag == tar.TypeReg {
				l.add(h.Name)
			}
		}
		l.partial = true
		return l, l.python()
	},
}

// unpacked reads what gzip or bzip2 has compressed, or what nothing has.
func unpacked(b []byte) (io.Reader, error) {
	switch {
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		return gzip.NewReader(bytes.NewReader(b))
	case bytes.HasPrefix(b, []byte("BZh")):
		return bzip2.NewReader(bytes.NewReader(b)), nil
	}
	return bytes.NewReader(b), nil
}

func (l *listing) python() bool { return l.sources > 0 || l.cached > 0 || len(l.headers) > 0 }

// add counts one member, and reports whether it is bytecode that could be imported.
func (l *listing) add(name string) bool {
	switch path.Ext(name) {
	case ".py", ".pyw":
		if l.sources++; l.first == "" && len(name) <= maxName {
			l.first = strings.Clone(name)
		}
	case ".pyc":
		if path.Base(path.Dir(name)) != cacheDir {
			return true
		}
		l.cached++
	}
	return false
}

// header reads how a member begins.
func (l *listing) header(f *zip.File) {
	r, err := f.Open()
	if err != nil {
		return
	}
	defer r.Close()
	b := make([]byte, pyc.HeaderBytes)
	n, _ := io.ReadFull(r, b) // what is missing is no header
	if h := (pyc.Header{Magic: pyc.ReadHeader(b[:n]).Magic}); !slices.Contains(l.headers, h) {
		l.headers = append(l.headers, h)
	}
}

func zipped(p string) bool {
	return slices.Contains([]string{".zip", ".whl", ".egg", ".pyz", ".pyzw", ".pex"}, path.Ext(p))
}

func tarred(p string) bool {
	return slices.ContainsFunc([]string{".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar"}, func(end string) bool { return strings.HasSuffix(p, end) })
}

// shipped reports whether p is by its name one of the files, besides sources, in
// which distributions ship source.
func shipped(p string) bool {
	return zipped(p) || tarred(p) || path.Ext(p) == ".ipynb" || strings.HasSuffix(p, ".js.map")
}

// Archives returns the archives with Python in them, of every layer, oldest first.
func (inv *Inventory) Archives() []*Archive { return inv.archives }

func (inv *Inventory) packed() {
	for f := range inv.img.Files() {
		l, ok := zips.Of(f)
		if !ok {
			l, ok = tarballs.Of(f)
		}
		if !ok {
			l, ok = zipApps.Of(f)
		}
		if !ok {
			continue
		}
		a := &Archive{File: f, Sources: l.sources, First: l.first, Partial: l.partial, cached: l.cached, headers: l.headers}
		a.Class, a.Why = inv.Whose(f)
		inv.archives = append(inv.archives, a)
	}
}

// ImportArchive says what the interpreters of the image make of the bytecode in
// a zip file; Unused if it has none, or sources besides.
func (inv *Inventory) ImportArchive(a *Archive) Import {
	switch {
	case !zipped(a.File.Path) || a.Sources > 0 || a.Partial:
		return Import{Unused, "it has sources, or no bytecode"}
	case len(inv.interpreters) == 0:
		return undecided("no Python interpreter was found in the image")
	case len(a.headers) == 0:
		return Import{Fails, "holds bytecode only in " + cacheDir + ", where Python never looks in a zip file"}
	}
	var i Import
	for _, h := range a.headers {
		if i = inv.accepts(h); i.State != Loads {
			break
		}
	}
	return i
}

// release names are NAME-VERSION and more: requests-2.32.0-py3-none-any.whl,
// requests-2.32.0.tar.gz.
var releaseName = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*?)-[0-9][^/]*$`)

// archive classes a file that is neither source nor bytecode.
func (inv *Inventory) archive(f *image.File) (Class, string) {
	class, why := inv.at(f.Path, f)
	if class != FirstParty || !zipped(f.Path) && !tarred(f.Path) {
		return class, why
	}
	if strings.Contains(f.Path, "/.cache/") || strings.HasPrefix(f.Path, "/var/cache/") {
		return ThirdParty, "in a cache of what was downloaded"
	}
	if m := releaseName.FindStringSubmatch(path.Base(f.Path)); m != nil {
		if found := inv.origins[normalize(m[1])]; len(found) > 0 {
			return ofDistribution(found[len(found)-1])
		}
	}
	return class, why
}
