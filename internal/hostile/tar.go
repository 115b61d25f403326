package hostile

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
)

// An entry is one entry of an archive, written down as it is told: nothing keeps
// it from being wrong.
type entry struct {
	name string
	kind byte // tar type flag; 0 for a regular file
	link string
	body string
	size string   // the size field; empty for the length of the body
	pax  []string // records of an extended header, "key=value"
	raw  []byte   // stands for all of the entry
}

func file(name, body string) entry { return entry{name: name, body: body} }

func dir(name string) entry { return entry{name: name, kind: tar.TypeDir} }

func symlink(name, target string) entry {
	return entry{name: name, kind: tar.TypeSymlink, link: target}
}

func hardlink(name, target string) entry { return entry{name: name, kind: tar.TypeLink, link: target} }

// end is the mark at the end of an archive (pax, "ustar Interchange Format").
var end = make([]byte, 1024)

// pack makes an archive.
func pack(es ...entry) []byte { return append(unended(es...), end...) }

// unended makes an archive without the mark at its end.
func unended(es ...entry) []byte {
	var b bytes.Buffer
	for _, e := range es {
		e.write(&b)
	}
	return b.Bytes()
}

func (e entry) write(b *bytes.Buffer) {
	if e.raw != nil {
		b.Write(e.raw)
		return
	}
	name := e.name
	if len(name) > 100 {
		e.pax = append(e.pax, "path="+name)
		name = name[:100]
	}
	if len(e.pax) > 0 {
		var records strings.Builder
		for _, r := range e.pax {
			records.WriteString(record(r))
		}
		entry{name: "pax", kind: tar.TypeXHeader, body: records.String()}.write(b)
	}
	b.Write(e.header(name))
	b.WriteString(e.body)
	b.Write(make([]byte, -len(e.body)&511))
}

// header is the block before the body (pax, "ustar Interchange Format").
func (e entry) header(name string) []byte {
	h := make([]byte, 512)
	kind, mode, size := e.kind, "0000644", e.size
	switch kind {
	case 0:
		kind = tar.TypeReg
	case tar.TypeDir:
		mode = "0000755"
	}
	if size == "" {
		size = fmt.Sprintf("%011o", len(e.body))
	}
	for at, field := range map[int]string{0: name, 100: mode, 108: "0000000", 116: "0000000", 124: size, 136: "00000000000", 157: e.link, 257: "ustar\x0000"} {
		copy(h[at:], field)
	}
	h[156] = kind
	copy(h[148:], "        ")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00", sum))
	return h
}

// record is one record of an extended header, which starts with its own length
// (pax, "pax Extended Header").
func record(s string) string {
	for n := len(s) + 3; ; n++ {
		if r := fmt.Sprintf("%d %s\n", n, s); len(r) == n {
			return r
		}
	}
}

// sparse is an entry of one block that stands for size zeros (GNU tar, "Storing
// Sparse Files", version 1.0).
func sparse(name string, size int64) entry {
	return entry{name: name, body: "0\n" + strings.Repeat("\x00", 510), pax: []string{
		"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=" + name, fmt.Sprintf("GNU.sparse.realsize=%d", size),
	}}
}
