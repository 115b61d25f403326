package source_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// doc is a JSON object.
type doc map[string]any

// A member is an entry of a tar archive. A zero kind is a regular file.
type member struct {
	name string
	body []byte
	kind byte
	link string
	pax  map[string]string
}

func file(name string, body any) member {
	return member{name: name, body: marshal(body)}
}

// marshal writes v as JSON; what is text already stays as it is.
func marshal(v any) []byte {
	switch v := v.(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test that can't be written down
	}
	return b
}

func pack(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Typeflag: m.kind, Linkname: m.link, Mode: 0o644, Size: int64(len(m.body)), PAXRecords: m.pax}
		if m.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write(m.body)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// layer is a layer with one file.
func layer(t testing.TB, name string) []byte {
	t.Helper()
	return pack(t, member{name: name, body: []byte("content of " + name)})
}

func gz(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func zst(b []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err) // no options, no error
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

func hex(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

func digest(b []byte) string { return "sha256:" + hex(b) }

// config is an image config for a platform and plain layers.
func config(platform string, layers ...[]byte) []byte {
	os, arch, _ := strings.Cut(platform, "/")
	ids := []string{}
	for _, l := range layers {
		ids = append(ids, digest(l))
	}
	return marshal(doc{"os": os, "architecture": arch, "config": doc{"User": "nobody"}, "rootfs": doc{"type": "layers", "diff_ids": ids}})
}

const (
	ociIndex    = "application/vnd.oci.image.index.v1+json"
	ociManifest = "application/vnd.oci.image.manifest.v1+json"
	ociConfig   = "application/vnd.oci.image.config.v1+json"
	ociLayer    = "application/vnd.oci.image.layer.v1.tar"
)

// A layout collects the files of an OCI layout.
type layout struct{ members []member }

func newLayout() *layout {
	return &layout{[]member{file("oci-layout", doc{"imageLayoutVersion": "1.0.0"})}}
}

// blob adds a blob and returns its descriptor.
func (l *layout) blob(mediaType string, body any) doc {
	m := file("", body)
	m.name = "blobs/sha256/" + hex(m.body)
	if !slices.ContainsFunc(l.members, func(o member) bool { return o.name == m.name }) {
		l.members = append(l.members, m)
	}
	return doc{"mediaType": mediaType, "digest": digest(m.body), "size": len(m.body)}
}

// image adds an image of plain layers, stored as given, and returns the
// descriptor of its manifest.
func (l *layout) image(platform string, layers ...[]byte) doc {
	return l.stored(ociLayer, config(platform, layers...), layers...)
}

func (l *layout) stored(layerType string, config []byte, layers ...[]byte) doc {
	ds := []doc{}
	for _, b := range layers {
		ds = append(ds, l.blob(layerType, b))
	}
	return l.blob(ociManifest, doc{"schemaVersion": 2, "mediaType": ociManifest, "config": l.blob(ociConfig, config), "layers": ds})
}

func (l *layout) index(entries ...doc) doc {
	return l.blob(ociIndex, doc{"schemaVersion": 2, "mediaType": ociIndex, "manifests": entries})
}

// with adds index.json over entries and returns all members.
func (l *layout) with(entries ...doc) []member {
	return append(slices.Clone(l.members), file("index.json", doc{"schemaVersion": 2, "manifests": entries}))
}

// on gives a descriptor a platform.
func on(d doc, platform string) doc {
	parts := strings.Split(platform, "/")
	p := doc{"os": parts[0], "architecture": parts[1]}
	if len(parts) > 2 {
		p["variant"] = parts[2]
	}
	return with(d, "platform", p)
}

func named(d doc, name string) doc {
	return with(d, "annotations", doc{"org.opencontainers.image.ref.name": name})
}

func with(d doc, key string, v any) doc {
	c := doc{key: v}
	for k, v := range d {
		if k != key {
			c[k] = v
		}
	}
	return c
}

// save is the members of a docker-save archive of one image with plain layers.
func save(tags []string, layers ...[]byte) []member {
	cfg := config("linux/amd64", layers...)
	var members []member
	var names []string
	for i, l := range layers {
		n := fmt.Sprintf("%d/layer.tar", i)
		names = append(names, n)
		members = append(members, file(n, l))
	}
	entry := doc{"Config": hex(cfg) + ".json", "RepoTags": tags, "Layers": names}
	return append(members, file(hex(cfg)+".json", cfg), file("manifest.json", []doc{entry}))
}

// store writes an archive into a file.
func store(t testing.TB, name string, b []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// unpack writes members into a directory.
func unpack(t testing.TB, members ...member) string {
	t.Helper()
	dir := t.TempDir()
	for _, m := range members {
		p := filepath.Join(dir, m.name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, m.body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// options are those of a host on which no engine runs.
func options(t testing.TB) source.Options {
	dir := t.TempDir()
	env := map[string]string{"DOCKER_HOST": "unix://" + dir + "/none", "CONTAINER_HOST": "unix://" + dir + "/none"}
	return source.Options{
		Scanner: image.NewScanner(nil, limits.Default()), Host: "linux/amd64", Home: dir,
		Getenv: func(k string) string { return env[k] },
	}
}

func open(t testing.TB, target string, o source.Options) *source.Opened {
	t.Helper()
	opened, err := source.Open(t.Context(), target, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened
}

// describe opens a target and writes down what was found: a line for each image,
// with its files by layer, and a line for each problem.
func describe(t testing.TB, target string, o source.Options) string {
	t.Helper()
	var b strings.Builder
	for _, src := range open(t, target, o).Sources {
		img, err := o.Scanner.Load(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(src.Name, target)
		fmt.Fprintf(&b, "%s%s %s %s:", src.Kind, name, src.Platform, strings.Join(src.Tags, ","))
		for _, l := range img.Layers {
			for _, f := range l.Files {
				fmt.Fprintf(&b, " %d%s", l.Index, f.Path)
			}
		}
		b.WriteByte('\n')
		for _, p := range img.Problems {
			fmt.Fprintf(&b, "  %s: %s\n", [...]string{"unread", "ambiguous", "remark"}[p.Kind], p)
		}
	}
	return b.String()
}

// refused opens a target that must be refused, and returns why.
func refused(t testing.TB, target string, o source.Options) (hint string, err error) {
	t.Helper()
	opened, err := source.Open(t.Context(), target, o)
	if err == nil {
		opened.Close()
		t.Fatalf("%s was opened", target)
	}
	if !strings.HasPrefix(err.Error(), "opening "+target+": ") {
		t.Errorf("the error does not name the target: %v", err)
	}
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		hint = h.Hint()
	}
	return hint, err
}
