package hostile

// overlays are the rows on what a container sees of several layers. The truth is
// what runtimes unpack.
func overlays() []Case {
	invalid := func(name string) func() Input { return func() Input { return O07(name) } }
	const noName = "SBX004 | layer 1 | whiteout of no name"
	return []Case{
		{ID: "O01", What: "whiteout, then the file", Input: O01, Class: Plain, Tree: "/etc/x=EVIL", Evades: true},
		{ID: "O02", What: "file, then its whiteout", Input: O02, Class: Finding, Want: "SBX004 | layer 1 | /etc/x | both stored and removed", Tree: "/etc/x=EVIL", Evades: true},
		{ID: "O03", What: "whiteout of a folder that is made anew", Input: O03, Class: Plain, Tree: "/d/new=1", Evades: true},
		{ID: "O04 before", What: "opaque marker before the content", Input: func() Input { return O04(true) }, Class: Plain, Tree: "/d/new=1"},
		{ID: "O04 after", What: "opaque marker behind the content", Input: func() Input { return O04(false) }, Class: Plain, Tree: "/d/new=1"},
		{ID: "O05", What: "opaque marker behind content in a folder that is not listed", Input: O05, Class: Finding, Want: "SBX004 | layer 2 | /d | opaque", Tree: "/d/s/new=1", Evades: true},
		{ID: "O06", What: "opaque root", Input: O06, Class: Plain, Tree: "/new=1"},
		{ID: "O07", What: "whiteout of nothing", Input: invalid(".wh."), Class: Finding, Want: noName, Tree: "/z=1"},
		{ID: "O07 one", What: "whiteout of .", Input: invalid(".wh.."), Class: Finding, Want: noName, Tree: "/z=1"},
		{ID: "O07 two", What: "whiteout of ..", Input: invalid(".wh..."), Class: Finding, Want: noName, Tree: "/z=1"},
		{ID: "O07 deep", What: "whiteout of .. in a folder", Input: invalid("d/.wh..."), Class: Finding, Want: noName, Tree: "/z=1"},
		{ID: "O08", What: "whiteout with content", Input: func() Input { return O08(file(".wh.x", "content")) }, Class: Note, Want: "layer 2 | /.wh.x | whiteout", Tree: "/z=1"},
		{ID: "O08 folder", What: "whiteout that is a folder", Input: func() Input { return O08(dir(".wh.x")) }, Class: Note, Want: "layer 2 | /.wh.x | whiteout", Tree: "/z=1"},
		{ID: "O09", What: "file below a whiteout's name", Input: O09, Class: Finding, Want: "SBX004 | layer 1 | lies below a whiteout name", Tree: "/.wh.d/evil=EVIL", Evades: true},
		{ID: "O10", What: "whiteout through a symbolic link", Input: O10, Class: Plain, Tree: "/a->etc"},
		{ID: "O11", What: "leading slashes in one of two layers", Input: O11, Class: Plain, Tree: "/etc/x=new", Evades: true},
		{ID: "O11 whiteout", What: "leading slash of a whiteout", Input: O11Whiteout, Class: Plain, Tree: "/z=1", Evades: true},
		{ID: "O12", What: "file over a folder", Input: O12, Class: Plain, Tree: "/d=1"},
		{ID: "O12 below", What: "file below a file", Input: O12Below, Class: Finding, Want: "SBX004 | layer 2 | /d | is no directory", Tree: "/d/x=2"},
		{ID: "O13", What: "hard link into a reserved folder", Input: O13, Class: Finding, Want: "SBX004 | layer 1 | below a whiteout name", Tree: "/.wh..wh.plnk/1.2=EVIL /etc/y=EVIL", Evades: true},
		{ID: "O13 file", What: "file with a reserved name", Input: func() Input { return O13File(".wh..wh.aufs") }, Class: Finding, Want: "SBX004 | layer 1 | reserved whiteout name", Tree: "/.wh..wh.aufs=1"},
		{ID: "O13 folder", What: "file in a reserved folder", Input: func() Input { return O13File(".wh..wh.orph/x") }, Class: Finding, Want: "SBX004 | layer 1 | below a whiteout name", Tree: "/.wh..wh.orph/x=1"},
		{ID: "O14", What: "symbolic link that climbs", Input: O14, Class: Plain, Tree: "/a->../../../etc /b->..data"},
		{ID: "O14 through", What: "file below a symbolic link that climbs", Input: O14Through, Class: Finding, Want: "SBX004 | layer 1 | climbs over the image root", Tree: "/a->../../../etc /etc/x=1", Evades: true},
	}
}

// O01 hides the lower file only.
func O01() Input {
	return save(pack(file("etc/x", "old")), pack(file("etc/.wh.x", ""), file("etc/x", "EVIL")))
}

// O02 is O01 in the other order: runtimes remove the file, the specification
// keeps it, and so do other readers.
func O02() Input { return save(pack(file("etc/x", "EVIL"), file("etc/.wh.x", ""))) }

// O03 empties a folder.
func O03() Input {
	return save(pack(dir("d"), file("d/old", "0")), pack(file(".wh.d", ""), dir("d"), file("d/new", "1")))
}

// O04 hides what lower layers have in a folder.
func O04(first bool) Input {
	es := []entry{dir("d"), file("d/new", "1"), file("d/.wh..wh..opq", "")}
	if first {
		es[1], es[2] = es[2], es[1]
	}
	return save(pack(dir("d"), file("d/old", "0")), pack(es...))
}

// O05 hides its own file from runtimes that go by what they have listed.
func O05() Input {
	return save(pack(dir("d"), file("d/old", "0")), pack(file("d/s/new", "1"), file("d/.wh..wh..opq", "")))
}

// O06 hides all.
func O06() Input {
	return save(pack(file("old", "0")), pack(file(".wh..wh..opq", ""), file("new", "1")))
}

// O07 is a whiteout that names nothing a layer can hold.
func O07(name string) Input { return save(pack(file(name, ""), file("z", "1"))) }

// O08 is a whiteout that is not an empty file.
func O08(e entry) Input { return save(pack(file("x", "0"), file("z", "1")), pack(e)) }

// O09 hides a file from those who take the folder for a whiteout.
func O09() Input { return save(pack(dir(".wh.d"), file(".wh.d/evil", "EVIL"))) }

// O10 removes a file at a path that its name does not show.
func O10() Input {
	return save(pack(dir("etc"), file("etc/x", "0"), symlink("a", "etc")), pack(file("a/.wh.x", "")))
}

// O11 is one file for runtimes and two for those who compare names.
func O11() Input { return save(pack(file("etc/x", "old")), pack(file("/etc/x", "new"))) }

// O11Whiteout hides a file in the other spelling.
func O11Whiteout() Input {
	return save(pack(file("etc/x", "old"), file("z", "1")), pack(file("/etc/.wh.x", "")))
}

// O12 ends all below a folder.
func O12() Input { return save(pack(dir("d"), file("d/old", "0")), pack(file("d", "1"))) }

// O12Below can't be unpacked.
func O12Below() Input { return save(pack(file("d", "1")), pack(file("d/x", "2"))) }

// O13 hides content where the first union file system kept its links.
func O13() Input {
	return save(pack(file(".wh..wh.plnk/1.2", "EVIL"), hardlink("etc/y", ".wh..wh.plnk/1.2")))
}

// O13File has a name that some runtimes drop and others unpack.
func O13File(name string) Input { return save(pack(file(name, "1"))) }

// O14 has links that kernels keep within the root.
func O14() Input { return save(pack(symlink("a", "../../../etc"), symlink("b", "..data"))) }

// O14Through writes through a link that climbs.
func O14Through() Input {
	return save(pack(dir("etc"), symlink("a", "../../../etc"), file("a/x", "1")))
}
