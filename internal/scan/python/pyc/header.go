package pyc

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// A Version is the minor version of a CPython 3: 13 for Python 3.13. Zero is none.
type Version int

// The versions whose bytecode Read understands.
const (
	Oldest Version = 6
	Newest Version = 15
)

// String is the version as Python writes it, "3.13"; empty for none.
func (v Version) String() string {
	if v == 0 {
		return ""
	}
	return "3." + strconv.Itoa(int(v))
}

// ParseVersion reads "3.13"; it is not ok for a version that Read does not
// understand.
func ParseVersion(s string) (v Version, ok bool) {
	minor, found := strings.CutPrefix(s, "3.")
	n, err := strconv.Atoi(minor)
	v = Version(n)
	if !found || err != nil || v < Oldest || v > Newest || v.String() != s {
		return 0, false
	}
	return v, true
}

// A release is what one minor version of CPython writes at the start of bytecode.
type release struct {
	version Version
	first   uint16 // magic number of its first preview
	magic   uint16 // of the version as released; only this one loads
}

// releases are CPython's magic numbers (importlib.util.MAGIC_NUMBER): up to 3.13
// from Lib/importlib/_bootstrap_external.py, later ones from
// Include/internal/pycore_magic_number.h. A version keeps its number from its
// first release candidate on.
var releases = []release{
	{6, 3360, 3379}, {7, 3390, 3394}, {8, 3400, 3413}, {9, 3420, 3425}, {10, 3430, 3439},
	{11, 3450, 3495}, {12, 3500, 3531}, {13, 3550, 3571}, {14, 3600, 3627}, {15, 3650, 3666},
}

// Magic returns the number that bytecode of that version starts with: 3571 for
// Python 3.13. It is not ok for a version whose number is not known.
func (v Version) Magic() (n uint16, ok bool) {
	for _, r := range releases {
		if r.version == v {
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

// HeaderBytes is the size of a header since Python 3.7; before, it is 4 less.
const HeaderBytes = 16

// ReadHeader reads how a bytecode file begins; the header is zero if it is none.
func ReadHeader(b []byte) Header {
	if len(b) < HeaderBytes || b[2] != '\r' || b[3] != '\n' {
		return Header{}
	}
	h := Header{Magic: binary.LittleEndian.Uint16(b)}
	if h.Magic > releases[0].magic {
		h.Flags = binary.LittleEndian.Uint32(b[4:])
	}
	return h
}

// size returns the number of bytes of the header.
func (h Header) size() int {
	if h.Magic <= releases[0].magic {
		return HeaderBytes - 4
	}
	return HeaderBytes
}

// Version returns the CPython that writes such bytecode; zero if it is none of
// those known, or only a preview.
func (h Header) Version() Version {
	for _, r := range releases {
		if r.magic == h.Magic {
			return r.version
		}
	}
	return 0
}

// Preview returns the version of which a preview wrote such bytecode; zero if none
// did.
func (h Header) Preview() Version {
	for _, r := range releases {
		if r.first <= h.Magic && h.Magic < r.magic {
			return r.version
		}
	}
	return 0
}

// String names the bytecode for a message.
func (h Header) String() string {
	switch {
	case h.Version() != 0:
		return fmt.Sprintf("bytecode of Python %s (magic number %d)", h.Version(), h.Magic)
	case h.Preview() != 0:
		return fmt.Sprintf("bytecode of a preview of Python %s (magic number %d)", h.Preview(), h.Magic)
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
