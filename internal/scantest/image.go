package scantest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// An Image is a container image in memory, to be written in the forms that
// images come in.
type Image struct {
	Config []byte   // OCI image config; rootfs.diff_ids agrees with Layers
	Layers [][]byte // uncompressed archives, oldest first
}

// NewImage returns an image of the layers. config is an OCI image config
// without rootfs; nil for an empty one.
func NewImage(config map[string]any, layers ...[]byte) (*Image, error) {
	doc := map[string]any{"architecture": "amd64", "os": "linux"}
	for k, v := range config {
		doc[k] = v
	}
	ids := []string{}
	for _, l := range layers {
		ids = append(ids, digest(l))
	}
	doc["rootfs"] = map[string]any{"type": "layers", "diff_ids": ids}
	b, err := json.Marshal(doc)
	return &Image{Config: b, Layers: layers}, err
}

// Compression is how layers are stored.
type Compression string

// The compressions that runtimes agree to read.
const (
	Plain Compression = ""
	Gzip  Compression = "gzip"
	Zstd  Compression = "zstd"
)

func (c Compression) apply(b []byte) ([]byte, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	switch c {
	case Gzip:
		w = gzip.NewWriter(&out)
	case Zstd:
		z, err := zstd.NewWriter(&out)
		if err != nil {
			return nil, err
		}
		w = z
	default:
		return b, nil
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

func (c Compression) mediaType() string {
	const layer = "application/vnd.oci.image.layer.v1.tar"
	if c == Plain {
		return layer
	}
	return layer + "+" + string(c)
}

// Media types (OCI image-spec, media-types.md).
const (
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
)

// A member is one file of an archive or layout.
type member struct {
	name string
	body []byte
}

// DockerSave writes the archive that engines with their own image store save:
// manifest.json, a config and one folder per layer.
func (img *Image) DockerSave(w io.Writer, tag string) error {
	config := hex(img.Config) + ".json"
	names, members := []string{}, []member{}
	for _, l := range img.Layers {
		n := hex(l) + "/layer.tar"
		names = append(names, n)
		members = append(members, member{n, l})
	}
	manifest, err := json.Marshal([]any{map[string]any{"Config": config, "RepoTags": tags(tag), "Layers": names}})
	if err != nil {
		return err
	}
	members = append(members, member{config, img.Config}, member{"manifest.json", manifest})
	return writeTar(w, members)
}

func tags(tag string) []string {
	if tag == "" {
		return nil
	}
	return []string{tag}
}

// OCIArchive writes an OCI layout as one archive. With docker, manifest.json
// stands beside index.json, as engines with an OCI store save it.
func (img *Image) OCIArchive(w io.Writer, tag string, c Compression, docker bool) error {
	members, err := img.layout(tag, c, docker)
	if err != nil {
		return err
	}
	return writeTar(w, members)
}

// OCILayout writes an OCI layout into dir.
func (img *Image) OCILayout(dir, tag string, c Compression) error {
	members, err := img.layout(tag, c, false)
	if err != nil {
		return err
	}
	for _, m := range members {
		p := filepath.Join(dir, filepath.FromSlash(m.name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, m.body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (img *Image) layout(tag string, c Compression, docker bool) ([]member, error) {
	members := []member{{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)}}
	blob := func(mediaType string, b []byte) map[string]any {
		members = append(members, member{"blobs/sha256/" + hex(b), b})
		return map[string]any{"mediaType": mediaType, "digest": digest(b), "size": len(b)}
	}
	layers, paths := []any{}, []string{}
	for _, l := range img.Layers {
		stored, err := c.apply(l)
		if err != nil {
			return nil, err
		}
		layers = append(layers, blob(c.mediaType(), stored))
		paths = append(paths, "blobs/sha256/"+hex(stored))
	}
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": manifestType,
		"config": blob(configType, img.Config), "layers": layers,
	})
	if err != nil {
		return nil, err
	}
	entry := blob(manifestType, manifest)
	if tag != "" {
		entry["annotations"] = map[string]string{"org.opencontainers.image.ref.name": tag}
	}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "manifests": []any{entry}})
	if err != nil {
		return nil, err
	}
	members = append(members, member{"index.json", index})
	if docker {
		m, err := json.Marshal([]any{map[string]any{"Config": "blobs/sha256/" + hex(img.Config), "RepoTags": tags(tag), "Layers": paths}})
		if err != nil {
			return nil, err
		}
		members = append(members, member{"manifest.json", m})
	}
	return members, nil
}

// Push stores the image in the registry at base ("http://127.0.0.1:5000") as
// repo:tag, by the calls of the OCI distribution specification ("Pushing blobs",
// "Pushing manifests").
func (img *Image) Push(base, repo, tag string) error {
	members, err := img.layout("", Gzip, false)
	if err != nil {
		return err
	}
	var manifest []byte
	for _, m := range members {
		hexName, ok := strings.CutPrefix(m.name, "blobs/sha256/")
		if !ok {
			continue
		}
		if err := upload(http.MethodPost, base+"/v2/"+repo+"/blobs/uploads/?digest=sha256:"+hexName, "application/octet-stream", m.body); err != nil {
			return err
		}
		manifest = m.body // the last blob of a layout is its manifest
	}
	return upload(http.MethodPut, base+"/v2/"+repo+"/manifests/"+tag, manifestType, manifest)
}

func upload(method, url, contentType string, body []byte) error {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s %s: %s", method, url, resp.Status)
	}
	return nil
}

func writeTar(w io.Writer, members []member) error {
	tw := tar.NewWriter(w)
	for _, m := range members {
		if err := tw.WriteHeader(&tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.body))}); err != nil {
			return err
		}
		if _, err := tw.Write(m.body); err != nil {
			return err
		}
	}
	return tw.Close()
}

func hex(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

func digest(b []byte) string { return "sha256:" + hex(b) }
