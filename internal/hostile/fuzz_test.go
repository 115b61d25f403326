package hostile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A choice makes decisions of the bytes of a fuzz input.
type choice []byte

// of returns a number below n, 0 once the bytes are used up.
func (c *choice) of(n int) int {
	if len(*c) == 0 {
		return 0
	}
	v := int((*c)[0]) % n
	*c = (*c)[1:]
	return v
}

// parcels are layers whose files tell them apart.
var parcels = [][]byte{pack(file("a", "benign")), pack(file("b", "evil")), pack(file("c", "other"), file("d/e", "1"))}

// archiveOf makes an archive with layers, configs and manifests of a few names, so
// that they meet, in an order of its own.
func archiveOf(b []byte) []byte {
	c := choice(b)
	layers := []string{"0.tar", "1.tar", "./0.tar", "x/0.tar"}
	configs := []string{"c.json", "d.json"}
	var es []entry
	for len(c) > 0 && len(es) < 16 {
		switch c.of(8) {
		case 0, 1:
			stored := []func([]byte) []byte{bytes.Clone, gz, zst}[c.of(3)](parcels[c.of(3)])
			es = append(es, file(layers[c.of(4)], string(stored)))
		case 2:
			es = append(es, symlink(layers[c.of(4)], layers[c.of(4)]))
		case 3:
			es = append(es, hardlink(layers[c.of(4)], layers[c.of(4)]))
		case 4, 5:
			es = append(es, file(configs[c.of(2)], string(encode(config(parcels[c.of(3)], parcels[c.of(3)])))))
		case 6:
			m := manifest(doc{"Config": configs[c.of(2)], "Layers": []string{layers[c.of(4)], layers[c.of(4)]}})
			m.name = []string{"manifest.json", "manifest.json", "./manifest.json", "index.json"}[c.of(4)]
			es = append(es, m)
		case 7:
			es = append(es, entry{name: layers[c.of(4)], kind: "5346"[c.of(4)]})
		}
	}
	return pack(es...)
}

// FuzzDockerSave compares what an audit that calls itself complete saw with what an
// engine would unpack that writes all members to a disk and goes by manifest.json.
func FuzzDockerSave(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1, 1, 4, 0, 0, 1, 6, 0, 0, 1, 0})
	f.Add([]byte{0, 0, 0, 0, 2, 1, 0, 4, 0, 0, 0, 6, 0, 0, 1, 0})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1, 1, 4, 0, 0, 1, 4, 1, 1, 0, 6, 0, 0, 1, 0, 6, 1, 1, 0, 2})
	f.Fuzz(func(t *testing.T, b []byte) {
		archive := archiveOf(b)
		p := filepath.Join(t.TempDir(), "x.tar")
		if err := os.WriteFile(p, archive, 0o600); err != nil {
			t.Fatal(err)
		}
		stored, piped := auditFile(t.Context(), p, limits.Default()), auditPipe(t.Context(), bytes.NewReader(archive), limits.Default())
		if stored.complete() != piped.complete() {
			t.Fatalf("file: %s\npipe: %s", stored.brief(), piped.brief())
		}
		if !stored.complete() {
			return
		}
		want, err := engine(archive)
		if err != nil {
			t.Fatalf("called complete, but an engine fails: %v", err)
		}
		if stored.tree != want || piped.tree != want {
			t.Errorf("got\n%s from the file and\n%s from the pipe, want\n%s", stored.tree, piped.tree, want)
		}
	})
}

// layoutOf makes a layout of up to two images and then changes it.
func layoutOf(b []byte) layout {
	c := choice(b)
	l := newLayout()
	var ds []doc
	for range 1 + c.of(2) {
		d := l.image(parcels[c.of(3)], parcels[c.of(3)])
		for range c.of(6) {
			d = l.blob(indexType, doc{"schemaVersion": 2, "manifests": []doc{d}})
		}
		switch c.of(6) {
		case 1:
			d = d.with("size", d["size"].(int)+1-c.of(3))
		case 2:
			d = d.with("mediaType", []string{indexType, manifestType, "", "text/html"}[c.of(4)])
		case 3:
			d = d.on([]string{"linux", "unknown", "windows"}[c.of(3)], []string{"amd64", "unknown"}[c.of(2)])
		}
		ds = append(ds, d)
	}
	l.index(ds...)
	names := slices.Sorted(maps.Keys(l))
	for range c.of(3) {
		name, other := names[c.of(len(names))], names[c.of(len(names))]
		switch body := bytes.Clone(l[name]); {
		case len(body) == 0:
		case c.of(3) == 0:
			delete(l, name)
		case c.of(2) == 0:
			l[name] = l[other]
		default:
			body[(c.of(256)*256+c.of(256))%len(body)] ^= 1 << c.of(8)
			l[name] = body
		}
	}
	return l
}

// FuzzOCILayout asks that every blob an audit calls complete rests on is what its
// digest says, and that no index is deeper than the limit.
func FuzzOCILayout(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 0, 0})
	f.Add([]byte("100200001"))
	f.Add([]byte{1, 0, 1, 2, 0, 1, 2, 1, 3, 0, 0, 1, 3, 4, 1, 1, 9, 9, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		l := layoutOf(b)
		o := auditFile(t.Context(), write(t, l.input()), limits.Default())
		if !o.complete() {
			return
		}
		var index struct{ Manifests []descriptor }
		if err := json.Unmarshal(l["index.json"], &index); err != nil {
			t.Fatal(err)
		}
		for _, r := range o.results {
			var wrong error
			led := slices.ContainsFunc(index.Manifests, func(d descriptor) bool {
				ok, err := d.leadsTo(l, r.Target.Digest, 0)
				wrong = errors.Join(wrong, err)
				return ok && err == nil
			})
			if !led {
				t.Errorf("called complete, but no entry of the index leads to %s: %v", r.Target.Digest, wrong)
			}
		}
	})
}

// A descriptor is what a document says of another.
type descriptor struct {
	Digest string
	Size   int
}

// leadsTo reports whether the manifest of the given digest is at d or below. It
// fails if something on the way, or of the image, is not what its digest says.
func (d descriptor) leadsTo(l layout, manifest string, depth int) (bool, error) {
	b := l["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
	var doc struct {
		Config            *descriptor
		Layers, Manifests []descriptor
	}
	if json.Unmarshal(b, &doc) != nil || depth > limits.Default().IndexDepth {
		return false, nil // an index can name itself
	}
	if d.Digest != manifest {
		for _, m := range doc.Manifests {
			if ok, err := m.leadsTo(l, manifest, depth+1); ok || err != nil {
				return ok, errors.Join(err, d.check(l))
			}
		}
		return false, nil
	}
	err := errors.Join(d.check(l), doc.Config.check(l))
	for _, layer := range doc.Layers {
		err = errors.Join(err, layer.check(l))
	}
	return true, err
}

func (d descriptor) check(l layout) error {
	if b := l["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]; digest(b) != d.Digest || len(b) != d.Size {
		return fmt.Errorf("%s is another", d.Digest)
	}
	return nil
}

// FuzzManifestJSON reads manifests that are stored as their digest says. What is
// accepted leads to the one config and layers that the standard library reads.
func FuzzManifestJSON(f *testing.F) {
	l := newLayout()
	good := encode(l.manifest(config(parcels[0]), parcels[0]))
	f.Add(good)
	for _, c := range manifests() {
		for _, b := range c.Input().Files() {
			if len(b) < 4096 && bytes.Contains(b, []byte("layers")) {
				f.Add(b)
			}
		}
	}
	blobs := maps.Clone(l)
	f.Fuzz(func(t *testing.T, b []byte) {
		l := maps.Clone(blobs)
		o := auditFile(t.Context(), write(t, l.index(l.blob(manifestType, b)).input()), limits.Default())
		if !o.complete() {
			return
		}
		var m struct {
			Config    *descriptor
			Layers    []descriptor
			Manifests json.RawMessage
		}
		if err := json.Unmarshal(b, &m); err != nil || m.Config == nil {
			t.Fatalf("accepted, but %v", err)
		}
		if err := m.Config.check(l); err != nil || len(m.Layers) != len(o.results[0].Target.Image.Layers) {
			t.Errorf("got %d layers, want %d: %v", len(o.results[0].Target.Image.Layers), len(m.Layers), err)
		}
	})
}
