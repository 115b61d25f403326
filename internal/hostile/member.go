package hostile

import (
	"archive/tar"
)

// members are the rows on the parts of an archive that its manifest names.
func members() []Case {
	typed := func(kind byte) func() Input {
		return func() Input { return D05(entry{name: "0/layer.tar", kind: kind}) }
	}
	named := func(name string) func() Input { return func() Input { return D05Named(name) } }
	return []Case{
		{ID: "D04", What: "layer that is a link to another", Input: D04, Class: Plain, Tree: "/etc/hostname=a"},
		{ID: "D04 hard", What: "layer that is a hard link to another", Input: D04Hard, Class: Plain, Tree: "/etc/hostname=a"},
		{ID: "D04 loop", What: "layer that is a link to itself", Input: func() Input { return D04To("layer.tar") }, Class: Refuse, Want: "layer 2 | link to a link"},
		{ID: "D04 chain", What: "layer that is a link to a link", Input: D04Chain, Class: Refuse, Want: "layer 2 | link to a link"},
		{ID: "D04 out", What: "layer that is a link out of the archive", Input: func() Input { return D04To("../../../etc/passwd") }, Class: Refuse, Want: "layer 2 | link to what is not in the archive"},
		{ID: "D05 folder", What: "layer that is a folder", Input: typed(tar.TypeDir), Class: Refuse, Want: "layer 1 | no regular file", Evades: true},
		{ID: "D05 device", What: "layer that is a device", Input: typed(tar.TypeChar), Class: Refuse, Want: "layer 1 | no regular file"},
		{ID: "D05 pipe", What: "layer that is a named pipe", Input: typed(tar.TypeFifo), Class: Refuse, Want: "layer 1 | no regular file"},
		{ID: "D05 sparse", What: "layer that is a sparse file", Input: func() Input { return D05(sparse("0/layer.tar", 1<<40)) }, Class: Refuse, Want: "layer 1 | sparse file"},
		{ID: "D05 dot", What: "layer named .", Input: named("."), Class: Refuse, Want: "layer 1 | names no member"},
		{ID: "D05 empty", What: "layer without a name", Input: named(""), Class: Refuse, Want: "layer 1 | names no member"},
		{ID: "D05 absolute", What: "layer with an absolute name", Input: named("/etc/passwd"), Class: Refuse, Want: "layer 1 | names no member"},
		{ID: "D05 above", What: "layer with a name that climbs", Input: named("../layer.tar"), Class: Refuse, Want: "layer 1 | names no member"},
		{ID: "D05 missing", What: "layer that is not there", Input: named("9/layer.tar"), Class: Refuse, Want: "layer 1 | is not in the archive"},
		{ID: "D05 link", What: "member below a symbolic link", Input: D05Link, Class: Refuse, Want: "below a symbolic link", Evades: true},
		{ID: "D06 manifest", What: "manifest.json twice", Input: D06, Class: Refuse, Want: "manifest.json | stands more than once", Evades: true},
		{ID: "D06 spelled", What: "manifest.json and ./manifest.json", Input: D06Spelled, Class: Refuse, Want: "manifest.json | stands more than once", Evades: true},
		{ID: "D06 layer", What: "layer twice", Input: D06Layer, Class: Refuse, Want: "0/layer.tar | stands more than once", Evades: true},
		{ID: "D06 config", What: "config twice", Input: D06Config, Class: Refuse, Want: "stands more than once", Evades: true},
		{ID: "L02", What: "LayerSources that gives one layer for two", Input: L02, Class: Plain, Tree: "/etc/evil=evil /etc/hostname=a", Evades: true},
		{ID: "L05", What: "one diff ID for two layers that differ", Input: L05, Class: Partial, Want: "layer 2 | is not the layer the image names: its diff ID is", Tree: "/etc/evil=evil /etc/hostname=a", Evades: true},
		{ID: "L06", What: "plain layer below a compressed one", Input: L06, Class: Plain, Tree: "/etc/evil=evil /etc/hostname=a", Evades: true},
		{ID: "L06 zstd", What: "gzip layer below one in zstd", Input: L06Zstd, Class: Plain, Tree: "/etc/evil=evil /etc/hostname=a", Evades: true},
		{ID: "L08", What: "top layer that starts with a name some readers stop at", Input: T14, Class: Plain, Tree: `/\x=1 /a\b=2 /c:x=3 /etc/evil=evil`, Evades: true},
	}
}

// twice is an archive of the tiny layer twice, the second as told.
func twice(second entry) Input {
	es := saved(config(tiny(), tiny()), tiny(), tiny())
	es[1] = second
	return Input{Archive: pack(es...)}
}

// D04 shares a layer, as engines before 25 do.
func D04() Input { return D04To("../0/layer.tar") }

// D04Hard shares a layer by a hard link.
func D04Hard() Input { return twice(hardlink("1/layer.tar", "0/layer.tar")) }

// D04To is a layer that is a link.
func D04To(target string) Input { return twice(symlink("1/layer.tar", target)) }

// D04Chain is a layer behind two links.
func D04Chain() Input {
	es := saved(config(tiny(), tiny()), tiny(), tiny())
	es[1] = symlink("1/layer.tar", "../2/layer.tar")
	return Input{Archive: pack(append(es, symlink("2/layer.tar", "../0/layer.tar"))...)}
}

// D05 has e as its layer.
func D05(e entry) Input {
	es := saved(config(tiny()), tiny())
	es[0] = e
	return Input{Archive: pack(es...)}
}

// D05Named calls its layer name.
func D05Named(name string) Input {
	es := saved(config(tiny()), tiny())
	es[2] = manifest(doc{"Config": es[1].name, "Layers": []string{name}})
	return Input{Archive: pack(es...)}
}

// D05Link puts a second manifest where only those find it who unpack the archive.
func D05Link() Input {
	return Input{Archive: pack(append(saved(config(tiny()), tiny()), symlink("z", "."), file("z/manifest.json", "[]"))...)}
}

// evilManifest is another image beside that of saved(config(tiny()), tiny()).
func evilManifest(name string) []entry {
	evil := pack(file("etc/evil", "evil"))
	m := manifest(doc{"Config": "evil.json", "Layers": []string{"evil.tar"}})
	m.name = name
	return []entry{file("evil.tar", string(evil)), file("evil.json", string(encode(config(evil)))), m}
}

// D06 shows the first manifest to some and the last to runtimes.
func D06() Input {
	return Input{Archive: pack(append(saved(config(tiny()), tiny()), evilManifest("manifest.json")...)...)}
}

// D06Spelled is D06 for those who compare names.
func D06Spelled() Input {
	return Input{Archive: pack(append(saved(config(tiny()), tiny()), evilManifest("./manifest.json")...)...)}
}

// D06Layer has two layers of one name.
func D06Layer() Input {
	return Input{Archive: pack(append(saved(config(tiny()), tiny()), file("0/layer.tar", string(pack(file("etc/evil", "evil")))))...)}
}

// D06Config has two configs of one name.
func D06Config() Input {
	es := saved(config(tiny()), tiny())
	return Input{Archive: pack(append(es, file(es[1].name, string(encode(config(tiny()).with("os", "plan9")))))...)}
}

// pair is the tiny layer and one with something to find.
func pair() (benign, evil []byte) { return tiny(), pack(file("etc/evil", "evil")) }

// L02 gives both diff IDs one layer in a field that runtimes do not read.
func L02() Input {
	a, b := pair()
	es := saved(config(a, b), a, b)
	es[3] = manifest(doc{"Config": es[2].name, "Layers": []string{"0/layer.tar", "1/layer.tar"}, "LayerSources": doc{
		digest(a): doc{"mediaType": layerType, "size": len(a), "digest": digest(a)},
		digest(b): doc{"mediaType": layerType, "size": len(a), "digest": digest(a)},
	}})
	return Input{Archive: pack(es...)}
}

// L05 shows one layer twice to those who look layers up by their diff IDs.
func L05() Input {
	a, b := pair()
	return Input{Archive: pack(saved(config(a, a), a, b)...)}
}

// L06 hides its second layer from those who look at the first for the compression.
func L06() Input {
	a, b := pair()
	return Input{Archive: pack(saved(config(a, b), a, gz(b))...)}
}

// L06Zstd mixes two compressions.
func L06Zstd() Input {
	a, b := pair()
	return Input{Archive: pack(saved(config(a, b), gz(a), zst(b))...)}
}
