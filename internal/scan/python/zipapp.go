package python

import (
	"bytes"
	"encoding/binary"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// zipMagic begins the first member of a zip file (APPNOTE.TXT, 4.3.7).
const zipMagic = "PK\x03\x04"

// zipApps lists how programs without an extension begin that are zip files behind a
// first line for the kernel (zipapp, "The Python Zip Application Archive Format").
var zipApps = &image.Probe[listing]{
	Name: "python-zipapp", Version: 1, Head: 16 << 10, Needles: []string{zipMagic},
	Want: func(e image.Entry) bool { return e.Mode&0o111 != 0 && !extended(e.Path) },
	Read: func(_ image.Entry, b []byte) (listing, bool) {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		if !hashbang(string(line)) || !bytes.HasPrefix(rest, []byte(zipMagic)) {
			return listing{}, false
		}
		l := listing{partial: true}
		for _, member := range bytes.Split(rest, []byte(zipMagic))[1:] {
			const head = 26 // bytes behind the magic, before the name
			if len(member) < head {
				break
			}
			n := int(binary.LittleEndian.Uint16(member[22:]))
			l.add(string(member[head:min(head+n, len(member))]))
		}
		return l, true
	},
}
