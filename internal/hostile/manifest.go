package hostile

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// manifests are the rows on manifests and indexes.
func manifests() []Case {
	artifact := func(cfg, layer string) func() Input { return func() Input { return M09(cfg, layer) } }
	layer := func(t string) func() Input { return func() Input { return M10(t, tiny()) } }
	sized := func(n int) func() Input { return func() Input { return M11(n) } }
	return []Case{
		{ID: "M01", What: "manifest over the limit", Input: func() Input { return M01(`"x":"` + strings.Repeat("x", 1000) + `"`) }, Limits: func(l *limits.Limits) { l.ManifestBytes = 1000 }, Class: Refuse, Want: "limit of 1000 bytes | --max-manifest-bytes"},
		{ID: "M02", What: "thousands of empty values", Input: func() Input { return M02(1000) }, Limits: func(l *limits.Limits) { l.JSONElements = 500 }, Class: Refuse, Want: "limit of 500 values | --max-json-elements"},
		{ID: "M03 depth", What: "JSON of a great depth", Input: func() Input { return M01(`"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000)) }, Class: Refuse, Want: "limit of 64 levels | --max-json-depth"},
		{ID: "M03 text", What: "JSON with bytes that are no text", Input: func() Input { return M01(`"annotations":{"x":"` + "\xff\xfe" + `"}`) }, Class: Plain, Tree: "/etc/hostname=a"},
		{ID: "M03 keys", What: "key of a manifest twice", Input: func() Input { return M01(`"mediaType":"` + manifestType + `"`) }, Class: Finding, Want: "SBX004 | mediaType | stands more than once", Tree: "/etc/hostname=a", Evades: true},
		{ID: "M03 more", What: "data behind a manifest", Input: M03More, Class: Refuse, Want: "after top-level value"},
		{ID: "M04", What: "manifest and index at once", Input: func() Input { return M01(`"manifests":[]`) }, Class: Refuse, Want: "a manifest and an index at once", Evades: true},
		{ID: "M04 type", What: "manifest that is called an index", Input: M04Type, Class: Refuse, Want: "media type", Evades: true},
		{ID: "M05", What: "entry that is called text/html", Input: M05, Class: Refuse, Want: "no container image | text/html"},
		{ID: "M06", What: "manifest of Docker's schema 1", Input: M06, Class: Refuse, Want: "schema 1 | push the image again"},
		{ID: "M07 none", What: "index without entries", Input: func() Input { return newLayout().index().input() }, Class: Refuse, Want: "its index is empty"},
		{ID: "M07 others", What: "index without the host's platform", Input: M07, Class: Refuse, Want: "linux/s390x | windows/amd64 | --platform"},
		{ID: "M07 unknown", What: "index of attestations only", Input: M07Unknown, Class: Refuse, Want: "no container image, only an attestation"},
		{ID: "M08", What: "image with an attestation", Input: M08, Class: Note, Want: "an attestation", Tree: "/etc/hostname=a"},
		{ID: "M08 type", What: "image that is annotated as an attestation", Input: M08Image, Class: Plain, Tree: "/etc/hostname=a", Evades: true},
		{ID: "M09 chart", What: "Helm chart", Input: artifact("application/vnd.cncf.helm.config.v1+json", "application/vnd.cncf.helm.chart.content.v1.tar+gzip"), Class: Refuse, Want: "a Helm chart"},
		{ID: "M09 signature", What: "signature", Input: artifact("application/vnd.oci.image.config.v1+json", "application/vnd.dev.cosign.simplesigning.v1+json"), Class: Refuse, Want: "a signature"},
		{ID: "M09 empty", What: "artifact without a config", Input: artifact("application/vnd.oci.empty.v1+json", layerType), Class: Refuse, Want: "an artifact"},
		{ID: "M09 beside", What: "layer of an artifact in an image", Input: M09Beside, Class: Partial, Want: "layer 2 | in-toto", Tree: "/etc/hostname=a"},
		{ID: "M10 encrypted", What: "encrypted layer", Input: layer(layerType + "+gzip+encrypted"), Class: Partial, Want: "layer 1 | is encrypted"},
		{ID: "M10 unknown", What: "layer of an unknown type", Input: layer("application/x-layer"), Class: Refuse, Want: "an artifact of type | application/x-layer"},
		{ID: "M10 foreign", What: "layer that is not distributed", Input: M10Foreign, Class: Partial, Want: "layer 1 | not distributed with the image"},
		{ID: "M10 wrong", What: "gzip layer that is in zstd", Input: func() Input { return M10(layerType+"+gzip", zst(tiny())) }, Class: Note, Want: "layer 1 | says gzip | zstd", Tree: "/etc/hostname=a"},
		{ID: "M10 plain", What: "plain layer that is in gzip", Input: func() Input { return M10(layerType, gz(tiny())) }, Class: Finding, Want: "SBX004 | layer 1 | not compressed", Tree: "/etc/hostname=a", Evades: true},
		{ID: "M11 unknown", What: "size of -1", Input: sized(-1), Class: Refuse, Want: "layer 1 | size -1"},
		{ID: "M11 negative", What: "size of -5", Input: sized(-5), Class: Refuse, Want: "layer 1 | size -5"},
		{ID: "M11 zero", What: "size of 0", Input: sized(0), Class: Partial, Want: "layer 1 | its size is"},
		{ID: "M11 over", What: "size that is too large by 1", Input: sized(len(tiny()) + 1), Class: Partial, Want: "layer 1 | its size is"},
		{ID: "M11 config", What: "config of size -1", Input: M11Config, Class: Refuse, Want: "config | size -1"},
		{ID: "M11 twice", What: "manifest listed again with another size", Input: M11Twice, Class: Refuse, Want: "listed with the sizes", Evades: true},
		{ID: "M12", What: "more layers than the limit", Input: func() Input { return M12(10) }, Limits: func(l *limits.Limits) { l.Layers = 5 }, Class: Refuse, Want: "limit of 5 layers | --max-layers"},
		{ID: "M12 same", What: "one layer five hundred times", Input: func() Input { return M12(500) }, Class: Plain, Tree: "/etc/hostname=a"},
	}
}

// M01 is a layout whose manifest has more text, which may be a member of it.
func M01(more string) Input {
	l := newLayout()
	b := encode(l.manifest(config(tiny()), tiny()))
	if more != "" {
		b = append(b[:len(b)-1], ","+more+"}"...)
	}
	return l.index(l.blob(manifestType, b)).input()
}

// M02 takes many bytes of memory for each of its own.
func M02(n int) Input {
	return M01(`"x":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]")
}

// M03More shows a second document to readers that go on.
func M03More() Input {
	l := newLayout()
	b := encode(l.manifest(config(tiny()), tiny()))
	return l.index(l.blob(manifestType, append(b, b...))).input()
}

// M04Type is a manifest that its index calls an index.
func M04Type() Input {
	l := newLayout()
	return l.index(l.image(tiny()).with("mediaType", indexType)).input()
}

// M05 is an image of a type that is none of an image.
func M05() Input {
	l := newLayout()
	return l.index(l.image(tiny()).with("mediaType", "text/html")).input()
}

// M06 is a manifest that nothing verifies.
func M06() Input {
	l := newLayout()
	return l.index(l.blob(manifestType, doc{"schemaVersion": 1, "name": "x", "fsLayers": []doc{{"blobSum": digest(nil)}}})).input()
}

// on gives a descriptor a platform.
func (d doc) on(os, arch string) doc { return d.with("platform", doc{"os": os, "architecture": arch}) }

// M07 has images for other hosts.
func M07() Input {
	l := newLayout()
	other := pack(file("a", "1"))
	return l.index(l.image(tiny()).on("linux", "s390x"), l.image(other).on("windows", "amd64")).input()
}

// M07Unknown has no image.
func M07Unknown() Input {
	l := newLayout()
	return l.index(l.image(tiny()).on("unknown", "unknown")).input()
}

// M08 is what BuildKit pushes.
func M08() Input {
	l := newLayout()
	return l.index(l.image(tiny()).on("linux", "amd64"), attestation(l.image(pack(file("a", "1"))).on("unknown", "unknown"))).input()
}

// M08Image hides from those who go by the annotation; runtimes go by the platform.
func M08Image() Input {
	l := newLayout()
	return l.index(attestation(l.image(tiny()).on("linux", "amd64"))).input()
}

func attestation(d doc) doc {
	return d.with("annotations", doc{"vnd.docker.reference.type": "attestation-manifest"})
}

// M09 is an artifact of the given types.
func M09(configType, layer string) Input {
	l := newLayout()
	m := l.manifest(config(tiny()), tiny())
	m["config"] = m["config"].(doc).with("mediaType", configType)
	m["layers"] = []doc{l.blob(layer, tiny())}
	return l.index(l.blob(manifestType, m)).input()
}

// M09Beside is an image with a layer that is none.
func M09Beside() Input {
	l := newLayout()
	m := l.manifest(config(tiny(), []byte("{}")), tiny())
	m["layers"] = []doc{l.blob(layerType, tiny()), l.blob("application/vnd.in-toto+json", []byte("{}"))}
	return l.index(l.blob(manifestType, m)).input()
}

// M10 is an image of one layer of the given type.
func M10(t string, stored []byte) Input {
	l := newLayout()
	m := l.manifest(config(tiny()))
	m["layers"] = []doc{l.blob(t, stored)}
	return l.index(l.blob(manifestType, m)).input()
}

// M10Foreign is an image whose layer is elsewhere.
func M10Foreign() Input {
	l := newLayout()
	m := l.manifest(config(tiny()))
	m["layers"] = []doc{{"mediaType": "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip", "digest": digest(tiny()), "size": len(tiny()), "urls": []string{"http://localhost/"}}}
	return l.index(l.blob(manifestType, m)).input()
}

// M11 gives its layer a size.
func M11(n int) Input {
	l := newLayout()
	m := l.manifest(config(tiny()))
	m["layers"] = []doc{l.blob(layerType, tiny()).with("size", n)}
	return l.index(l.blob(manifestType, m)).input()
}

// M11Config does not say how large its config is.
func M11Config() Input {
	l := newLayout()
	m := l.manifest(config(tiny()), tiny())
	m["config"] = m["config"].(doc).with("size", -1)
	return l.index(l.blob(manifestType, m)).input()
}

// M11Twice is an image by one entry of its index, and none by the other.
func M11Twice() Input {
	l := newLayout()
	d := l.image(tiny()).on("linux", "amd64")
	return l.index(d, d.with("size", 1)).input()
}

// M12 is one layer n times.
func M12(n int) Input {
	layers := make([][]byte, n)
	for i := range layers {
		layers[i] = tiny()
	}
	l := newLayout()
	return l.index(l.image(layers...)).input()
}
