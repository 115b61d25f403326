package hostile

import (
	"archive/tar"
	"bytes"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// archives are the rows on archives around images.
func archives() []Case {
	list := func(text string) func() Input { return func() Input { return D07(text) } }
	return []Case{
		{ID: "D01", What: "form of engines before 1.10", Input: D01, Class: Refuse, Want: "engines before 1.10 | save it again"},
		{ID: "D02", What: "manifest.json and index.json of one image", Input: D02, Class: Plain, Tree: "/etc/hostname=a"},
		{ID: "D02 differ", What: "manifest.json and index.json of two images", Input: D02Differ, Class: Refuse, Want: "can be read as different images", Evades: true},
		{ID: "D03", What: "several images", Input: D03, Class: Plain, Tree: "/etc/hostname=a /etc/hostname=b"},
		{ID: "D07 null", What: "manifest.json is null", Input: list("null"), Class: Refuse, Want: "manifest.json"},
		{ID: "D07 none", What: "manifest.json is empty", Input: list("[]"), Class: Refuse, Want: "lists no image"},
		{ID: "D07 object", What: "manifest.json is no list", Input: list("{}"), Class: Refuse, Want: "manifest.json"},
		{ID: "D07 types", What: "manifest.json with values of other types", Input: list(`[{"Config":1,"Layers":"x"}]`), Class: Refuse, Want: "manifest.json | does not belong there"},
		{ID: "D07 more", What: "data behind manifest.json", Input: D07More, Class: Refuse, Want: "manifest.json | after top-level value", Evades: true},
		{ID: "D07 case", What: "keys of manifest.json in other case", Input: D07Case, Class: Plain, Tree: "/etc/hostname=a"},
		{ID: "D08 sparse", What: "config that is a sparse file of 100 GiB", Input: D08, Class: Refuse, Want: "is a sparse file"},
		{ID: "D08 compressed", What: "compressed manifest.json", Input: D08Compressed, Class: Refuse, Want: "manifest.json"},
		{ID: "D08 large", What: "manifest.json over the limit", Input: tinyArchive, Limits: func(l *limits.Limits) { l.ManifestBytes = 50 }, Class: Refuse, Want: "limit of 50 bytes | --max-manifest-bytes"},
		{ID: "D08 config", What: "config over the limit", Input: tinyArchive, Limits: func(l *limits.Limits) { l.ConfigBytes = 100 }, Class: Refuse, Want: "limit of 100 bytes | --max-config-bytes"},
		{ID: "D08 members", What: "members over the limit", Input: D08Members, Limits: func(l *limits.Limits) { l.Members = 10 }, Class: Refuse, Want: "limit of 10 members | --max-members"},
		{ID: "D09 gzip", What: "archive in gzip", Input: func() Input { return D09(gz) }, Class: Plain, Tree: "/etc/hostname=a"},
		{ID: "D09 zstd", What: "archive in zstd", Input: func() Input { return D09(zst) }, Class: Plain, Tree: "/etc/hostname=a"},
		{ID: "D09 layout", What: "OCI layout in an archive", Input: D09Layout, Class: Plain, Tree: "/etc/hostname=a"},
		{ID: "D09 files", What: "root file system in an archive", Input: D09Files, Class: Refuse, Want: "root filesystem, not an image | save the image"},
		{ID: "D09 noise", What: "bytes of no meaning", Input: D09Noise, Class: Refuse, Want: "neither a tar archive nor"},
		{ID: "D10", What: "config that is not its name", Input: D10, Class: Refuse, Want: "is not what it is named"},
		{ID: "D10 free", What: "config with a name of its own", Input: D10Free, Class: Plain, Tree: "/etc/hostname=a"},
	}
}

func tinyArchive() Input { return save(tiny()) }

// D01 has no manifest.
func D01() Input {
	return Input{Archive: pack(file("repositories", "{}"), file("0/json", "{}"), file("0/layer.tar", string(tiny())))}
}

// D02 is what engines with an OCI store save.
func D02() Input { return both(tiny(), tiny()) }

// D02Differ shows one image to readers of manifest.json, and another to those of
// index.json.
func D02Differ() Input { return both(tiny(), pack(file("etc/evil", "evil"))) }

// both has one image in manifest.json and one in index.json.
func both(saves, lists []byte) Input {
	l := newLayout()
	return Input{Archive: pack(append(saved(config(saves), saves), l.index(l.image(lists)).entries()...)...)}
}

// D03 has two images.
func D03() Input {
	a, b := saved(config(tiny()), tiny()), pack(file("etc/hostname", "b"))
	other := encode(config(b))
	return Input{Archive: pack(a[0], a[1], file("b.tar", string(b)), file("b.json", string(other)), manifest(
		doc{"Config": a[1].name, "Layers": []string{a[0].name}}, doc{"Config": "b.json", "Layers": []string{"b.tar"}}))}
}

// D07 has the given manifest.json.
func D07(text string) Input { return Input{Archive: pack(file("manifest.json", text))} }

// D07More shows another manifest to readers that go on.
func D07More() Input {
	es := saved(config(tiny()), tiny())
	es[2].body += `[{"Config":"evil.json"}]`
	return Input{Archive: pack(es...)}
}

// D07Case is read by runtimes, whose keys have no case.
func D07Case() Input {
	es := saved(config(tiny()), tiny())
	es[2].body = strings.NewReplacer("Config", "config", "Layers", "LAYERS").Replace(es[2].body)
	return Input{Archive: pack(es...)}
}

// D08 is small, and its config fills memory.
func D08() Input {
	es := saved(config(tiny()), tiny())
	es[1] = sparse(es[1].name, 100<<30)
	return Input{Archive: pack(es...)}
}

// D08Compressed has a manifest that only some readers open.
func D08Compressed() Input {
	es := saved(config(tiny()), tiny())
	es[2].body = string(gz([]byte(es[2].body)))
	return Input{Archive: pack(es...)}
}

// D08Members is full of what is no part of an image.
func D08Members() Input {
	es := saved(config(tiny()), tiny())
	for range 20 {
		es = append(es, dir("junk"))
	}
	return Input{Archive: pack(es...)}
}

// D09 is compressed as a whole.
func D09(compress func([]byte) []byte) Input { return Input{Archive: compress(save(tiny()).Archive)} }

// D09Layout is a layout as skopeo and BuildKit write it.
func D09Layout() Input {
	l := newLayout()
	return Input{Archive: pack(l.index(l.image(tiny())).entries()...)}
}

// D09Files is what docker export writes.
func D09Files() Input {
	return Input{Archive: pack(dir("etc"), file("etc/passwd", "root:x:0:0::/:/bin/sh\n"), entry{name: "bin/sh", kind: tar.TypeReg, body: "x"})}
}

// D09Noise is no archive.
func D09Noise() Input { return Input{Archive: bytes.Repeat([]byte{0x7f, 0, 0xff}, 500)} }

// D10 has another config than its name promises.
func D10() Input {
	es := saved(config(tiny()), tiny())
	es[1].body = string(encode(config(tiny()).with("architecture", "arm64")))
	return Input{Archive: pack(es...)}
}

// D10Free has a config whose name promises nothing.
func D10Free() Input {
	es := saved(config(tiny()), tiny())
	es[1].name = "config.json"
	es[2] = manifest(doc{"Config": "config.json", "Layers": []string{es[0].name}})
	return Input{Archive: pack(es...)}
}
