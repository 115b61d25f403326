package hostile

import (
	"archive/tar"
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// headers are the rows on archives that can't be read, or cost more than they
// hold.
func headers() []Case {
	return []Case{
		{ID: "T01", What: "size of 8 EiB", Input: T01, Class: Partial, Want: "layer 1 | unexpected EOF", Tree: "/a=1 /big"},
		{ID: "T02 octal", What: "negative size", Input: func() Input { return T02("-0000000001") }, Class: Partial, Want: "layer 1 | header of entry 1", Tree: "/a=1"},
		{ID: "T02 binary", What: "negative size", Input: func() Input { return T02("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") }, Class: Partial, Want: "layer 1 | header of entry 1", Tree: "/a=1"},
		{ID: "T02 record", What: "negative size", Input: T02Record, Class: Partial, Want: "layer 1 | header of entry 1", Tree: "/a=1"},
		{ID: "T03", What: "header hidden in the body that one of two sizes gives", Input: T03, Class: Finding, Want: "SBX004 | layer 1 | 512 bytes long by its extended header", Tree: "/a /z=1", Evades: true},
		{ID: "T03 same", What: "size that is in both headers", Input: T03Same, Class: Plain, Tree: "/a=1 /z=1"},
		{ID: "T04", What: "symbolic link with a body", Input: T04, Class: Note, Want: "layer 1", Tree: "/a->b /z=1"},
		{ID: "T05", What: "sparse file of 1 PiB", Input: T05, Class: Finding, Want: "SBX004 | layer 1 | /etc/passwd | 1125899906842624 bytes", Tree: "/etc/passwd /z=1"},
		{ID: "T06", What: "thousands of extended header records", Input: func() Input { return T06(5000, "") }, Class: Plain, Tree: "/a=1"},
		{ID: "T06 attributes", What: "thousands of extended attributes", Input: func() Input { return T06(5000, "SCHILY.xattr.user.") }, Class: Note, Want: "layer 1 | extended attributes", Tree: "/a=1"},
		{ID: "T06 large", What: "extended header over 1 MiB", Input: T06Large, Class: Partial, Want: "layer 1 | header of entry 0"},
		{ID: "T07", What: "path over the limit", Input: T07, Class: Partial, Want: "layer 1 | limit of 4096 bytes | --max-path-bytes", Tree: "/z=1"},
		{ID: "T07 link", What: "link target over the limit", Input: T07Link, Class: Partial, Want: "layer 1 | limit of 4096 bytes | --max-path-bytes", Tree: "/z=1"},
		{ID: "T07 name", What: "name that no Linux file system takes", Input: T07Name, Class: Finding, Want: "SBX004 | layer 1 | 255 bytes", Tree: "/" + strings.Repeat("n", 256) + "=1 /z=1"},
		{ID: "T07 all", What: "names that are too long together", Input: T07All, Limits: func(l *limits.Limits) { l.NameBytes = 1000 }, Class: Partial, Want: "layer 1 | limit of 1000 bytes of names | --max-name-bytes"},
		{ID: "T08", What: "more entries than the limit", Input: T08, Limits: func(l *limits.Limits) { l.Entries = 3 }, Class: Partial, Want: "layer 1 | limit of 3 entries | --max-entries", Tree: "/0=x /1=x /2=x"},
		{ID: "T10 record", What: "NUL in a path of an extended header", Input: T10Record, Class: Partial, Want: "layer 1 | header of entry 0"},
		{ID: "T10 field", What: "NUL in the name field", Input: T10, Class: Plain, Tree: "/etc/a=1"},
		{ID: "T21 checksum", What: "header with a wrong checksum", Input: T21, Class: Partial, Want: "layer 1 | header of entry 1", Tree: "/a=1"},
		{ID: "T21 zeros", What: "one block of zeros, then more entries", Input: T21Zeros, Class: Partial, Want: "layer 1 | header of entry 1", Tree: "/a=1"},
		{ID: "T22 gzip", What: "first file is named like a compression", Input: func() Input { return T22("\x1f\x8b\x08\xff") }, Class: Partial, Want: "layer 1 | gzip", Evades: true},
		{ID: "T22 zstd", What: "first file is named like a compression", Input: func() Input { return T22("\x28\xb5\x2f\xfd") }, Class: Partial, Want: "layer 1 | zstd", Evades: true},
	}
}

// T01 says it is larger than any disk.
func T01() Input {
	return save(pack(file("a", "1"), entry{name: "big", body: "x", size: "\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff"}))
}

// T02 has a size field that makes some readers walk backwards.
func T02(size string) Input { return save(pack(file("a", "1"), entry{name: "b", size: size})) }

// T02Record gives the size in the extended header.
func T02Record() Input {
	return save(pack(file("a", "1"), entry{name: "b", pax: []string{"size=-5"}}))
}

// T03 hides an entry from readers that take the extended header's size, and shows
// it to those that take the field's.
func T03() Input {
	hidden := string(entry{name: "etc/evil"}.header("etc/evil"))
	return save(pack(entry{name: "a", body: hidden, size: "00000000000", pax: []string{"size=512"}}, file("z", "1")))
}

// T03Same gives the same size in both headers, as some writers do.
func T03Same() Input {
	return save(pack(entry{name: "a", body: "1", pax: []string{"size=1"}}, file("z", "1")))
}

// T04 gives a size to what has no body: the next block is a header.
func T04() Input {
	return save(pack(entry{name: "a", kind: tar.TypeSymlink, link: "b", size: "00000001000"}, file("z", "1")))
}

// T05 is 3.5 KiB that stand for 1 PiB.
func T05() Input { return save(pack(sparse("etc/passwd", 1<<50), file("z", "1"))) }

// T06 has n records, whose names start with prefix.
func T06(n int, prefix string) Input {
	e := file("a", "1")
	for i := range n {
		e.pax = append(e.pax, fmt.Sprintf("%sk%d=v", prefix, i))
	}
	return save(pack(e))
}

// T06Large has one record that is too large.
func T06Large() Input {
	return save(pack(entry{name: "a", body: "1", pax: []string{"comment=" + strings.Repeat("x", 1<<20)}}))
}

// T07 has a path that no kernel takes.
func T07() Input { return save(pack(file(strings.Repeat("d/", 3000), "1"), file("z", "1"))) }

// T07Link has a target that no kernel takes.
func T07Link() Input {
	long := strings.Repeat("d/", 3000)
	return save(pack(entry{name: "a", kind: tar.TypeSymlink, pax: []string{"linkpath=" + long}}, file("z", "1")))
}

// T07Name has a name that no file system takes.
func T07Name() Input { return save(pack(file(strings.Repeat("n", 256), "1"), file("z", "1"))) }

// T07All has names that fill memory together.
func T07All() Input {
	var es []entry
	for i := range 10 {
		es = append(es, file(fmt.Sprintf("%d%0200d", i, i), ""))
	}
	return save(pack(es...))
}

// T08 has many entries.
func T08() Input {
	var es []entry
	for i := range 10 {
		es = append(es, file(fmt.Sprint(i), "x"))
	}
	return save(pack(es...))
}

// T10Record ends a path early for readers of C strings.
func T10Record() Input {
	return save(pack(entry{name: "a", body: "1", pax: []string{"path=etc/a\x00.png"}}))
}

// T10 has something behind the end of its name.
func T10() Input { return save(pack(file("etc/a\x00.png", "1"))) }

// T21 has a header that is damaged.
func T21() Input {
	b := pack(file("a", "1"), file("b", "2"))
	b[1024] ^= 1
	return save(b)
}

// T21Zeros looks like it ends.
func T21Zeros() Input {
	return save(pack(file("a", "1"), entry{raw: end[:512]}, file("etc/evil", "evil")))
}

// T22 starts with the magic bytes of a compression, which all readers believe.
func T22(magic string) Input { return save(pack(file(magic+"a", "1"), file("etc/evil", "evil"))) }
