package hostile

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func compression() []Case {
	layerBytes := func(l *limits.Limits) { l.LayerBytes = 64 << 10 }
	return []Case{
		{ID: "C01", What: "gzip bomb in one entry", Input: C01, Limits: layerBytes, Class: Partial,
			Want: "layer 2 | /big | limit of 65536 uncompressed bytes of one layer | --max-layer-bytes", Tree: "/big /lower=1"},
		{ID: "C01 image", What: "layers that are too large together", Input: C01, Limits: func(l *limits.Limits) { l.ImageBytes = 64 << 10 }, Class: Partial,
			Want: "limit of 65536 uncompressed bytes of all layers | --max-image-bytes"},
		{ID: "C02", What: "zstd bomb of run-length blocks", Input: C02, Limits: func(l *limits.Limits) { l.Ratio, l.RatioAfter = 100, 64<<10 }, Class: Partial,
			Want: "layer 1 | /big | limit of 100 uncompressed bytes per stored byte | --max-ratio"},
		{ID: "C03 128 MiB", What: "zstd window over the limit", Input: func() Input { return C03(27) }, Class: Partial, Want: "layer 1 | zstd window | 33554432 bytes"},
		{ID: "C03 512 MiB", What: "zstd window over the limit", Input: func() Input { return C03(29) }, Class: Partial, Want: "layer 1 | zstd window | 33554432 bytes"},
		{ID: "C03 2 GiB", What: "zstd window over what decoders take", Input: func() Input { return C03(31) }, Class: Partial, Want: "layer 1 | zstd window | 33554432 bytes"},
		{ID: "C03 frame", What: "zstd frame of one segment of 4 GiB", Input: C03Segment, Class: Partial, Want: "layer 1 | zstd window | 33554432 bytes"},
		{ID: "C04", What: "empty gzip members before the data", Input: C04, Class: Plain, Tree: "/etc/hostname=a"},
		{ID: "C05", What: "garbage behind gzip", Input: C05, Class: Partial, Want: "layer 1 | past the end", Tree: "/etc/hostname=a"},
		{ID: "C06 gzip", What: "second archive in a second gzip member", Input: func() Input { return C06(gz) }, Class: Finding, Want: "SBX004 | layer 1 | behind the end of the archive", Tree: "/etc/hostname=a"},
		{ID: "C06 plain", What: "second archive behind the first", Input: func() Input { return C06(bytes.Clone) }, Class: Finding, Want: "SBX004 | layer 1 | behind the end of the archive", Tree: "/etc/hostname=a"},
		{ID: "C07", What: "gzip in gzip in gzip", Input: C07, Class: Partial, Want: "layer 1 | header of entry 0"},
		{ID: "C08 zstd", What: "zstd behind a skippable frame", Input: C08Skippable, Class: Plain, Tree: "/etc/hostname=a", Evades: true},
		{ID: "C08 xz", What: "xz", Input: func() Input { return C08("\xfd7zXZ\x00") }, Class: Partial, Want: "layer 1 | xz | gzip, zstd or plain"},
		{ID: "C08 bzip2", What: "bzip2", Input: func() Input { return C08("BZh9") }, Class: Partial, Want: "layer 1 | bzip2 | gzip, zstd or plain"},
		{ID: "C08 lz4", What: "lz4", Input: func() Input { return C08("\x04\x22\x4d\x18") }, Class: Partial, Want: "layer 1 | lz4 | gzip, zstd or plain"},
		{ID: "C09", What: "gzip with a name of 1 MiB", Input: C09, Class: Partial, Want: "layer 1 | gzip header"},
		{ID: "C10 gzip", What: "gzip cut short", Input: C10, Class: Partial, Want: "layer 1 | unexpected EOF"},
		{ID: "C10 between", What: "plain layer cut between two entries", Input: C10Between, Class: Partial, Want: "layer 1 | is not the layer the image names", Tree: "/a=1"},
		{ID: "C10 unended", What: "archive without the mark at its end", Input: C10Unended, Class: Note, Want: "layer 1 | no mark at its end", Tree: "/a=1 /b=2"},
		{ID: "C11", What: "table of contents that names what the archive lacks", Input: C11, Class: Plain, Tree: "/etc/hostname=a /stargz.index.json={\"entries\":[{\"name\":\"etc/evil\"}]}"},
	}
}

// C01 is a layer that is small as stored only.
func C01() Input {
	lower, big := pack(file("lower", "1")), pack(file("big", strings.Repeat("\x00", 256<<10)))
	return Input{Archive: pack(saved(config(lower, big), gz(lower), gz(big))...)}
}

// zstdFrame is a frame of raw bytes and then blocks of 128 KiB of zeros, which
// take four bytes each (RFC 8878, 3.1.1).
func zstdFrame(header, raw []byte, blocks int) []byte {
	f := append([]byte{0x28, 0xb5, 0x2f, 0xfd}, header...)
	block := func(kind, size int) { f = append(f, byte(kind<<1|size<<3), byte(size>>5), byte(size>>13)) }
	block(0, len(raw))
	f = append(f, raw...)
	for range blocks {
		block(1, 128<<10)
		f = append(f, 0)
	}
	return append(f, 1, 0, 0) // the last block, which is empty
}

// C02 is C01 at a rate that gzip can't reach.
func C02() Input {
	const blocks = 8
	plain := pack(file("big", strings.Repeat("\x00", blocks*128<<10-len(end))))
	return stored(plain, zstdFrame([]byte{0, 10 << 3}, plain[:512], blocks))
}

// C03 is a layer that asks its reader for 2^log bytes of memory.
func C03(log int) Input {
	plain := tiny()
	return stored(plain, zstdFrame([]byte{0, byte(log-10) << 3}, plain, 0))
}

// C03Segment asks for the memory of its whole content, which it says is 4 GiB.
func C03Segment() Input {
	return stored(tiny(), zstdFrame(binary.LittleEndian.AppendUint64([]byte{3<<6 | 1<<5}, 4<<30), tiny(), 0))
}

// C04 is gzip that many readers of one member take for empty.
func C04() Input { return stored(tiny(), append(bytes.Repeat(gz(nil), 5000), gz(tiny())...)) }

// C05 is gzip with something behind it.
func C05() Input { return stored(tiny(), append(gz(tiny()), "garbage"...)) }

// C06 has a second archive behind the first, which no runtime unpacks.
func C06(store func([]byte) []byte) Input {
	a, b := tiny(), pack(file("etc/evil", "evil"))
	return stored(append(bytes.Clone(a), b...), append(store(a), store(b)...))
}

// C07 is compressed more than once.
func C07() Input { return stored(tiny(), gz(gz(gz(tiny())))) }

// C08Skippable starts with a frame that decoders pass over (RFC 8878, 3.1.2).
func C08Skippable() Input {
	return stored(tiny(), append([]byte("\x50\x2a\x4d\x18\x04\x00\x00\x00skip"), zst(tiny())...))
}

// C08 has the magic bytes of a compression that not all runtimes read.
func C08(magic string) Input { return stored(tiny(), []byte(magic+strings.Repeat("\x00\xff", 500))) }

// C09 has a header that is larger than what it is for.
func C09() Input {
	z := gz(tiny())
	z[3] |= 1 << 3 // FNAME (RFC 1952, 2.3.1)
	head := append(bytes.Clone(z[:10]), strings.Repeat("n", 1<<20)+"\x00"...)
	return stored(tiny(), append(head, z[10:]...))
}

// C10 is cut within the compressed data.
func C10() Input { return stored(tiny(), gz(tiny())[:40]) }

// C10Between is cut where a reader can't tell the end of an entry from that of the
// archive.
func C10Between() Input {
	return stored(pack(file("a", "1"), file("b", "2")), pack(file("a", "1"))[:1024])
}

// C10Unended is whole but for the mark at its end.
func C10Unended() Input { return save(unended(file("a", "1"), file("b", "2"))) }

// C11 has a table of contents that can't be trusted.
func C11() Input {
	return save(pack(file("etc/hostname", "a"), file("stargz.index.json", `{"entries":[{"name":"etc/evil"}]}`)))
}
