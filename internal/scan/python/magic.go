package python

import (
	"encoding/binary"
	"fmt"
	"path"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A release is what one minor version of CPython writes at the start of bytecode.
type release struct {
	version string
	first   uint16 // magic number of its first preview
	magic   uint16 // of the version as released; only this one loads
}

// releases are CPython's magic numbers (importlib.util.MAGIC_NUMBER): up to 3.13
// from Lib/importlib/_bootstrap_external.py, later ones from
// Include/internal/pycore_magic_number.h. A version keeps its number from its
// first release candidate on.
var releases = []release{
	{"3.6", 3360, 3379}, {"3.7", 3390, 3394}, {"3.8", 3400, 3413}, {"3.9", 3420, 3425}, {"3.10", 3430, 3439},
	{"3.11", 3450, 3495}, {"3.12", 3500, 3531}, {"3.13", 3550, 3571}, {"3.14", 3600, 3627}, {"3.15", 3650, 3666},
}

// Magic returns the number that bytecode for that minor version of CPython starts
// with: 3571 for "3.13". It is not ok for a version whose number is not known.
func Magic(version string) (n uint16, ok bool) {
	for _, r := range releases {
		if r.version == version {
			return r.magic, true
		}
	}
	return 0, false
}

// A Header is the start of a bytecode file (PEP 552).
type Header struct {
	Magic uint16 // 0 if it has none
	Flags uint32 // as stored; 0 for the shorter header of Python 3.6 and older
}

// headerBytes is the size of a header since Python 3.7.
const headerBytes = 16

// headers reads how bytecode files begin.
var headers = &image.Probe[Header]{
	Name: "python-bytecode-header", Version: 1, Head: headerBytes,
	Want: func(e image.Entry) bool { return path.Ext(e.Path) == ".pyc" },
	Read: func(_ image.Entry, b []byte) (Header, bool) { return header(b), true },
}

func header(b []byte) Header {
	if len(b) < headerBytes || b[2] != '\r' || b[3] != '\n' {
		return Header{}
	}
	h := Header{Magic: binary.LittleEndian.Uint16(b)}
	if h.Magic > releases[0].magic {
		h.Flags = binary.LittleEndian.Uint32(b[4:])
	}
	return h
}

// Version returns the CPython that writes such bytecode: "3.13"; empty if it is
// none of those known, or only a preview.
func (h Header) Version() string {
	for _, r := range releases {
		if r.magic == h.Magic {
			return r.version
		}
	}
	return ""
}

// preview returns the version of which a preview wrote such bytecode.
func (h Header) preview() string {
	for _, r := range releases {
		if r.first <= h.Magic && h.Magic < r.magic {
			return r.version
		}
	}
	return ""
}

// String names the bytecode for a message.
func (h Header) String() string {
	switch {
	case h.Version() != "":
		return fmt.Sprintf("bytecode of Python %s (magic number %d)", h.Version(), h.Magic)
	case h.preview() != "":
		return fmt.Sprintf("bytecode of a preview of Python %s (magic number %d)", h.preview(), h.Magic)
	case h.Magic == 0:
		return "no bytecode: it has no header"
	}
	return fmt.Sprintf("bytecode of an unknown Python (magic number %d)", h.Magic)
}

// Kind is how an interpreter tells bytecode from stale bytecode while its source
// is there: "timestamp", "checked hash" or "unchecked hash" (PEP 552). Without
// the source none of them matters.
func (h Header) Kind() string {
	switch {
	case h.Flags&1 == 0:
		return "timestamp"
	case h.Flags&2 != 0:
		return "checked hash"
	}
	return "unchecked hash"
}
