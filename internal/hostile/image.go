package hostile

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// doc is a JSON object.
type doc map[string]any

// encode writes v as JSON; bytes and strings stay as they are.
func encode(v any) []byte {
	switch v := v.(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a row that can't be written down
	}
	return b
}

func gz(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		panic(err) // a Buffer takes it
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func zst(b []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err) // no options, no error
	}
	return w.EncodeAll(b, nil)
}

func hex(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

func digest(b []byte) string { return "sha256:" + hex(b) }

// run is the part of a config that says how a container starts: as nobody, so
// that no other rule has anything to say.
func run() doc { return doc{"User": "65532:65532"} }

// config is an image config for the given uncompressed layers.
func config(layers ...[]byte) doc {
	ids := []string{}
	for _, l := range layers {
		ids = append(ids, digest(l))
	}
	return doc{"os": "linux", "architecture": "amd64", "config": run(), "rootfs": doc{"type": "layers", "diff_ids": ids}}
}

// with is a copy of d with key set to v, or without it if v is nil.
func (d doc) with(key string, v any) doc {
	d = maps.Clone(d)
	if d[key] = v; v == nil {
		delete(d, key)
	}
	return d
}

// saved are the members of an archive as docker save writes it: layers, config
// and manifest.json, in this order.
func saved(config any, layers ...[]byte) []entry {
	var es []entry
	names := []string{}
	for i, l := range layers {
		names = append(names, fmt.Sprintf("%d/layer.tar", i))
		es = append(es, file(names[i], string(l)))
	}
	cfg := encode(config)
	name := hex(cfg) + ".json"
	return append(es, file(name, string(cfg)), manifest(doc{"Config": name, "Layers": names}))
}

// manifest is manifest.json with the given entries.
func manifest(images ...doc) entry { return file("manifest.json", string(encode(images))) }

// save is an archive of the layers.
func save(layers ...[]byte) Input {
	return Input{Archive: pack(saved(config(layers...), layers...)...)}
}

// stored is an archive of one layer, stored as told.
func stored(plain, stored []byte) Input {
	return Input{Archive: pack(saved(config(plain), stored)...)}
}

// configured is an archive of one small layer with the given config.
func configured(change func(doc) any) Input {
	l := pack(file("etc/hostname", "a"))
	return Input{Archive: pack(saved(change(config(l)), l)...)}
}

// Media types (OCI image-spec, media-types.md).
const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar"
)

// A layout collects the files of an OCI layout.
type layout map[string][]byte

func newLayout() layout { return layout{"oci-layout": encode(doc{"imageLayoutVersion": "1.0.0"})} }

// blob adds a blob and returns its descriptor.
func (l layout) blob(mediaType string, body any) doc {
	b := encode(body)
	l["blobs/sha256/"+hex(b)] = b
	return doc{"mediaType": mediaType, "digest": digest(b), "size": len(b)}
}

// manifest is a manifest of the given parts, not added.
func (l layout) manifest(config any, layers ...[]byte) doc {
	ds := []doc{}
	for _, b := range layers {
		ds = append(ds, l.blob(layerType, b))
	}
	return doc{"schemaVersion": 2, "mediaType": manifestType, "config": l.blob(configType, config), "layers": ds}
}

// image adds an image of plain layers and returns its descriptor.
func (l layout) image(layers ...[]byte) doc {
	return l.blob(manifestType, l.manifest(config(layers...), layers...))
}

// index adds index.json over descriptors and returns the layout.
func (l layout) index(ds ...doc) layout {
	ds = append([]doc{}, ds...) // an empty list, not null
	l["index.json"] = encode(doc{"schemaVersion": 2, "mediaType": indexType, "manifests": ds})
	return l
}

func (l layout) input() Input { return Input{Layout: l} }

// entries are the files of the layout as members of an archive, sorted.
func (l layout) entries() []entry {
	var es []entry
	for _, name := range slices.Sorted(maps.Keys(l)) {
		es = append(es, file(name, string(l[name])))
	}
	return es
}

// tiny is a layer of one file.
func tiny() []byte { return pack(file("etc/hostname", "a")) }
