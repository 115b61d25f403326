package hostile

import (
	"archive/tar"
	"fmt"
	"strings"
)

// entries are the rows on single entries: names, links, devices, attributes.
func entries() []Case {
	capability := func(n int) func() Input { return func() Input { return T19(strings.Repeat("\x02", n)) } }
	return []Case{
		{ID: "T09", What: "path that climbs", Input: func() Input { return T09("../../etc/evil") }, Class: Finding, Want: "SBX004 | layer 1 | leaves the image root", Tree: "/etc/evil=1"},
		{ID: "T09 inner", What: "path that climbs in its middle", Input: func() Input { return T09("a/../../etc/evil") }, Class: Finding, Want: "SBX004 | layer 1 | leaves the image root", Tree: "/etc/evil=1"},
		{ID: "T09 absolute", What: "absolute path", Input: func() Input { return T09("/etc/evil") }, Class: Plain, Tree: "/etc/evil=1"},
		{ID: "T11", What: "names with line breaks, escapes and bytes that are no text", Input: T11, Class: Finding, Want: "SBX101 | evil.py"},
		{ID: "T12", What: "one path twice in a layer", Input: T12, Class: Finding, Want: "SBX004 | layer 1 | /etc/passwd | stands twice in this layer", Tree: "/etc/passwd=EVIL", Evades: true},
		{ID: "T13", What: "one path, written in several ways", Input: T13, Class: Finding, Want: "SBX004 | layer 1 | /a/b | stands twice in this layer", Tree: "/a/b=4", Evades: true},
		{ID: "T14", What: "names that mean something elsewhere", Input: T14, Class: Plain, Tree: `/\x=1 /a\b=2 /c:x=3 /etc/evil=evil`, Evades: true},
		{ID: "T15 lower", What: "hard link to a lower layer's file, which is then deleted", Input: T15, Class: Plain, Tree: "/b=secret"},
		{ID: "T15 missing", What: "hard link to nothing", Input: func() Input { return T15To("nothing") }, Class: Finding, Want: "SBX004 | layer 1 | hard link to nothing | does not exist"},
		{ID: "T15 self", What: "hard link to itself", Input: func() Input { return T15To("a") }, Class: Finding, Want: "SBX004 | layer 1 | hard link to a | does not exist"},
		{ID: "T15 out", What: "hard link that climbs", Input: func() Input { return T15To("../../etc/hostname") }, Class: Finding, Want: "SBX004 | layer 1 | leaves the image root", Tree: "/a=h /etc/hostname=h"},
		{ID: "T15 chain", What: "hard link to a hard link", Input: T15Chain, Class: Plain, Tree: "/a=1 /b=1 /c=1"},
		{ID: "T15 replaced", What: "hard link to a file that a higher layer replaces", Input: T15Replaced, Class: Plain, Tree: "/a=new /b=old"},
		{ID: "T16", What: "file below a symbolic link of the same layer", Input: T16, Class: Plain, Tree: "/a->etc /etc/shadow=EVIL", Evades: true},
		{ID: "T16 lower", What: "file below a symbolic link of a lower layer", Input: T16Lower, Class: Plain, Tree: "/a->etc /etc/shadow=EVIL", Evades: true},
		{ID: "T16 folder", What: "folder over a symbolic link", Input: T16Folder, Class: Plain, Tree: "/a/shadow=new /etc/shadow=old", Evades: true},
		{ID: "T17", What: "links in a circle", Input: T17, Class: Plain, Tree: "/a->b /b->a"},
		{ID: "T17 through", What: "file below links in a circle", Input: T17Through, Class: Finding, Want: "SBX004 | layer 1 | loop of symbolic links"},
		{ID: "T17 chain", What: "file below a chain of 50 links", Input: T17Chain, Class: Finding, Want: "SBX004 | layer 1 | symbolic links"},
		{ID: "T18 block", What: "disk outside of /dev", Input: func() Input { return T18(tar.TypeBlock, "opt/disk") }, Class: Finding, Want: "SBX004 | layer 1 | /opt/disk | device", Tree: "/opt/disk"},
		{ID: "T18 character", What: "device outside of /dev", Input: func() Input { return T18(tar.TypeChar, "opt/mem") }, Class: Finding, Want: "SBX004 | layer 1 | /opt/mem | device", Tree: "/opt/mem"},
		{ID: "T18 usual", What: "device in /dev", Input: func() Input { return T18(tar.TypeChar, "dev/null") }, Class: Plain, Tree: "/dev/null"},
		{ID: "T18 pipe", What: "named pipe", Input: func() Input { return T18(tar.TypeFifo, "run/pipe") }, Class: Plain, Tree: "/run/pipe"},
		{ID: "T19 capability", What: "capabilities of no known length", Input: capability(7), Class: Finding, Want: "SBX004 | layer 1 | /bin/a | capabilities of 7 bytes", Tree: "/bin/a=1"},
		{ID: "T19 empty", What: "capabilities of no length", Input: capability(0), Class: Finding, Want: "SBX004 | layer 1 | /bin/a | capabilities of 0 bytes", Tree: "/bin/a=1"},
		{ID: "T19 names", What: "attributes with odd names", Input: T19Names, Class: Plain, Tree: "/bin/a=1"},
		{ID: "T19 large", What: "attribute over the limit", Input: T19Large, Class: Note, Want: "layer 1 | bin/a | extended attributes", Tree: "/bin/a=1"},
		{ID: "T20", What: "entry of an unknown type", Input: T20, Class: Finding, Want: "SBX004 | layer 1 | unknown entry type", Tree: "/z=1"},
	}
}

// T09 names a path that readers must not follow out of the image.
func T09(name string) Input { return save(pack(file(name, "1"))) }

// T11 has names that do something to whoever prints them.
func T11() Input {
	var es []entry
	for _, name := range Names() {
		es = append(es, dir(name), file(name+"/evil.py", "import os"))
	}
	return save(pack(es...))
}

// T12 shows the first of two files to some readers and the last to runtimes.
func T12() Input { return save(pack(file("etc/passwd", "benign"), file("etc/passwd", "EVIL"))) }

// T13 writes one path in several ways.
func T13() Input {
	return save(pack(file("a/./b", "1"), file("a//b", "2"), file("./a/b", "3"), file("/a/b", "4")))
}

// T14 has names that are paths or drives on other systems only.
func T14() Input {
	return save(pack(file("c:x", "3"), file(`\x`, "1"), file(`a\b`, "2"), file("etc/evil", "evil")))
}

// T15 keeps what a whiteout seems to take away.
func T15() Input {
	return save(pack(file("a", "secret")), pack(hardlink("b", "a")), pack(file(".wh.a", "")))
}

// T15To is a hard link to target.
func T15To(target string) Input {
	return save(pack(file("etc/hostname", "h"), hardlink("a", target)))
}

// T15Chain is one file with three names.
func T15Chain() Input {
	return save(pack(file("a", "1"), hardlink("b", "a"), hardlink("c", "b")))
}

// T15Replaced keeps the old content under the other name.
func T15Replaced() Input {
	return save(pack(file("a", "old"), hardlink("b", "a")), pack(file("a", "new")))
}

// T16 writes to a path that its name does not show.
func T16() Input {
	return save(pack(dir("etc"), file("etc/shadow", "benign")), pack(symlink("a", "etc"), file("a/shadow", "EVIL")))
}

// T16Lower writes through a link of the layer below.
func T16Lower() Input {
	return save(pack(dir("etc"), file("etc/shadow", "benign"), symlink("a", "etc")), pack(file("a/shadow", "EVIL")))
}

// T16Folder looks like T16Lower, but the folder takes the link's place.
func T16Folder() Input {
	return save(pack(dir("etc"), file("etc/shadow", "old"), symlink("a", "etc")), pack(dir("a"), file("a/shadow", "new")))
}

// T17 has links that lead nowhere.
func T17() Input { return save(pack(symlink("a", "b"), symlink("b", "a"))) }

// T17Through writes below links that lead nowhere.
func T17Through() Input {
	return save(pack(symlink("a", "b"), symlink("b", "a"), file("a/x", "1")))
}

// T17Chain writes below more links than a kernel follows.
func T17Chain() Input {
	var es []entry
	for i := range 50 {
		es = append(es, symlink(fmt.Sprintf("l%d", i), fmt.Sprintf("l%d", i+1)))
	}
	return save(pack(append(es, dir("l50"), file("l0/x", "1"))...))
}

// T18 is something that must never be opened.
func T18(kind byte, name string) Input { return save(pack(entry{name: name, kind: kind})) }

// T19 is a program with the given file capabilities.
func T19(value string) Input {
	return save(pack(entry{name: "bin/a", body: "1", pax: []string{"SCHILY.xattr.security.capability=" + value}}))
}

// T19Names has attributes whose names are no names.
func T19Names() Input {
	return save(pack(entry{name: "bin/a", body: "1", pax: []string{"SCHILY.xattr.=x", "SCHILY.xattr.user.a\nb=x", "SCHILY.xattr.user.\x1b[2J=x"}}))
}

// T19Large has an attribute larger than Linux takes.
func T19Large() Input {
	return save(pack(entry{name: "bin/a", body: "1", pax: []string{"SCHILY.xattr.user.a=" + strings.Repeat("x", 65<<10)}}))
}

// T20 has a type that no standard knows.
func T20() Input { return save(pack(entry{name: "a", kind: 'Z', body: "x"}, file("z", "1"))) }
