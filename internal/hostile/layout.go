package hostile

import (
	"encoding/json"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// layouts are the rows on OCI layouts in directories.
func layouts() []Case {
	version := func(text string) func() Input { return func() Input { return D12(text) } }
	return []Case{
		{ID: "D11 manifest", What: "manifest that is not its digest", Input: func() Input { return D11("manifest") }, Class: Refuse, Want: "is not what it is named", Evades: true},
		{ID: "D11 config", What: "config that is not its digest", Input: func() Input { return D11("config") }, Class: Refuse, Want: "is not what it is named", Evades: true},
		{ID: "D11 layer", What: "layer that is not its digest", Input: func() Input { return D11("layer") }, Class: Partial, Want: "layer 1 | is not the layer the image names", Evades: true},
		{ID: "D11 size", What: "layer of another size", Input: D11Size, Class: Partial, Want: "layer 1 | is not the layer the image names: its size is", Tree: "/etc/hostname=a"},
		{ID: "D11 no layer", What: "layer that is not there", Input: func() Input { return D11Missing("layer") }, Class: Partial, Want: "layer 1 | no such file"},
		{ID: "D11 no config", What: "config that is not there", Input: func() Input { return D11Missing("config") }, Class: Refuse, Want: "config | no such file"},
		{ID: "D11 no manifest", What: "manifest that is not there", Input: func() Input { return D11Missing("manifest") }, Class: Refuse, Want: "lacks the manifests"},
		{ID: "D11 link", What: "layer that is a symbolic link", Input: D11Link, Class: Partial, Want: "layer 1 | is no regular file"},
		{ID: "D11 sha512", What: "manifest named by sha512", Input: func() Input { return D11Digest("sha512:" + strings.Repeat("0", 128)) }, Class: Refuse, Want: "is no sha256 digest"},
		{ID: "D11 path", What: "digest that is a path", Input: func() Input { return D11Digest("sha256:../../../etc/passwd") }, Class: Refuse, Want: "is no sha256 digest"},
		{ID: "D12 version", What: "layout of another version", Input: version(`{"imageLayoutVersion":"2.0.0"}`), Class: Refuse, Want: "oci-layout | 2.0.0 | is not supported"},
		{ID: "D12 noise", What: "oci-layout that is no document", Input: version("noise"), Class: Refuse, Want: "oci-layout"},
		{ID: "D12 missing", What: "layout without oci-layout", Input: version(""), Class: Note, Want: "oci-layout is missing", Tree: "/etc/hostname=a"},
		{ID: "D13 loop", What: "index that lists itself", Input: D13Loop, Class: Refuse, Want: "is not what it is named"},
		{ID: "D13 deep", What: "index in an index in an index ...", Input: func() Input { return D13(6) }, Class: Refuse, Want: "limit of 3 indexes inside indexes | --max-index-depth"},
		{ID: "D13 nested", What: "index in an index", Input: func() Input { return D13(1) }, Class: Plain, Tree: "/etc/hostname=a"},
		{ID: "D13 wide", What: "index with more entries than the limit", Input: D13Wide, Limits: func(l *limits.Limits) { l.IndexEntries = 10 }, Class: Refuse, Want: "limit of 10 entries | --max-index-entries"},
		{ID: "D14 pipe", What: "index.json that is a named pipe", Input: D14Pipe, Class: Refuse, Want: "index.json is no regular file"},
		{ID: "D14 device", What: "index.json that is a link to a device without end", Input: func() Input { return D14("/dev/zero") }, Class: Refuse, Want: "index.json is no regular file"},
		{ID: "D14 out", What: "index.json that is a link out of the layout", Input: func() Input { return D14("../../etc/passwd") }, Class: Refuse, Want: "index.json is no regular file"},
	}
}

// parts is a layout of one image and the names of its blobs.
func parts() (l layout, names map[string]string) {
	l = newLayout()
	cfg := config(tiny())
	m := l.manifest(cfg, tiny())
	l.index(l.blob(manifestType, m))
	return l, map[string]string{
		"manifest": "blobs/sha256/" + hex(encode(m)), "config": "blobs/sha256/" + hex(encode(cfg)), "layer": "blobs/sha256/" + hex(tiny()),
	}
}

// D11 has other bytes in a blob than its digest says.
func D11(part string) Input {
	l, names := parts()
	b := l[names[part]]
	if part == "layer" {
		b = pack(file("etc/hostname", "b"))
	} else {
		b = []byte(strings.Replace(string(b), "a", "A", 1))
	}
	l[names[part]] = b
	return l.input()
}

// D11Size has a descriptor with a size that is not the blob's.
func D11Size() Input {
	l := newLayout()
	m := l.manifest(config(tiny()), tiny())
	m["layers"] = []doc{{"mediaType": layerType, "digest": digest(tiny()), "size": 7}}
	return l.index(l.blob(manifestType, m)).input()
}

// D11Missing lacks a blob.
func D11Missing(part string) Input {
	l, names := parts()
	delete(l, names[part])
	return l.input()
}

// D11Link has a blob outside of the layout.
func D11Link() Input {
	l, names := parts()
	delete(l, names["layer"])
	return Input{Layout: l, Links: map[string]string{names["layer"]: "../../../layer.tar"}}
}

// D11Digest has a manifest of the given digest.
func D11Digest(d string) Input {
	return newLayout().index(doc{"mediaType": manifestType, "digest": d, "size": 2}).input()
}

// D12 has the given text for its version; none if it is empty.
func D12(text string) Input {
	l, _ := parts()
	if l["oci-layout"] = []byte(text); text == "" {
		delete(l, "oci-layout")
	}
	return l.input()
}

// D13 has the image below a number of indexes.
func D13(depth int) Input {
	l := newLayout()
	d := l.image(tiny())
	for range depth {
		d = l.blob(indexType, doc{"schemaVersion": 2, "mediaType": indexType, "manifests": []doc{d}})
	}
	return l.index(d).input()
}

// D13Loop has an index under a digest that it lists itself.
func D13Loop() Input {
	l := newLayout()
	name := hex([]byte("loop"))
	d := doc{"mediaType": indexType, "digest": "sha256:" + name, "size": 500}
	b := encode(doc{"schemaVersion": 2, "manifests": []doc{d}})
	l["blobs/sha256/"+name] = append(b, strings.Repeat(" ", 500-len(b))...)
	return l.index(d).input()
}

// D13Wide lists many images.
func D13Wide() Input {
	l := newLayout()
	ds := make([]doc, 20)
	for i := range ds {
		ds[i] = l.image(tiny())
	}
	return l.index(ds...).input()
}

// D14 has index.json somewhere else.
func D14(target string) Input {
	l, _ := parts()
	delete(l, "index.json")
	return Input{Layout: l, Links: map[string]string{"index.json": target}}
}

// D14Pipe blocks who opens it.
func D14Pipe() Input {
	l, _ := parts()
	delete(l, "index.json")
	return Input{Layout: l, Pipes: []string{"index.json"}}
}

// raw is v as JSON that is not to be written again.
func raw(s string) json.RawMessage { return json.RawMessage(s) }
