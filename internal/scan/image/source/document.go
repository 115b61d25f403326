package source

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A descriptor names one document or layer (OCI image-spec, descriptor.md).
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Platform    *platform         `json:"platform"`
	Annotations map[string]string `json:"annotations"`
}

// A document is a manifest or an index, as its fields tell (OCI image-spec,
// manifest.md and image-index.md; Docker's schema 2 has the same fields).
type document struct {
	SchemaVersion int             `json:"schemaVersion"`
	MediaType     string          `json:"mediaType"`
	ArtifactType  string          `json:"artifactType"`
	Config        *descriptor     `json:"config"`
	Layers        []descriptor    `json:"layers"`
	Manifests     []descriptor    `json:"manifests"`
	FSLayers      json.RawMessage `json:"fsLayers"` // Docker's schema 1
}

func (d *document) isIndex() bool { return d.Manifests != nil }

var errSchema1 = hint(errors.New("it is a manifest of Docker's schema 1, which is not supported"),
	"push the image again with a current docker or podman")

// parseDocument reads a manifest or index that was given out as mediaType, which
// may be empty. It refuses what one reader could take for a manifest and another
// for an index.
func parseDocument(b []byte, mediaType string, lim limits.Limits) (*document, []image.Problem, error) {
	var d document
	repeated, err := image.DecodeJSON(b, lim, &d)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case d.SchemaVersion == 1 || d.FSLayers != nil:
		return nil, nil, errSchema1
	case d.isIndex() && (d.Layers != nil || d.Config != nil):
		return nil, nil, errors.New("it is a manifest and an index at once; readers differ on which counts")
	case !d.isIndex() && d.Config == nil:
		return nil, nil, errors.New("it is neither an image manifest nor an index")
	case len(d.Layers) > lim.Layers:
		return nil, nil, overLimit("layers of one image", int64(lim.Layers), "--max-layers")
	case len(d.Manifests) > lim.IndexEntries:
		return nil, nil, overLimit("entries of one index", int64(lim.IndexEntries), "--max-index-entries")
	}
	for _, name := range []string{mediaType, d.MediaType} {
		if isIndexType(name) && !d.isIndex() || isManifestType(name) && d.isIndex() {
			return nil, nil, fmt.Errorf("its media type %s is not that of its content; readers differ on which counts", name)
		}
	}
	return &d, repeatedKeys("manifest", repeated), nil
}

// repeatedKeys tells of keys that stand more than once in a document.
func repeatedKeys(document string, keys []string) []image.Problem {
	var ps []image.Problem
	for _, k := range keys {
		ps = append(ps, image.Problem{Kind: image.Ambiguous, Layer: -1, Hint: "rebuild the image",
			What: fmt.Sprintf("the %s key %s stands more than once; readers differ on which counts", document, k)})
	}
	return ps
}

func overLimit(what string, max int64, flag string) error {
	return hint(fmt.Errorf("over the limit of %d %s", max, what), "raise it with "+flag)
}

// check refuses a descriptor of a document that cannot be verified, or is over
// the size in max.
func (d *descriptor) check(max size) error {
	switch {
	case !image.IsDigest(d.Digest):
		return fmt.Errorf("%.80q is no sha256 digest", d.Digest)
	case d.Size < 0:
		return fmt.Errorf("%s has the size %d", d.Digest, d.Size)
	case d.Size > max.bytes:
		return fmt.Errorf("%s: %w", d.Digest, max.error())
	}
	return nil
}

// verify compares the bytes of a document with what names it.
func (d *descriptor) verify(b []byte) error {
	if int64(len(b)) != d.Size {
		return fmt.Errorf("%s is %d bytes long, not %d as its descriptor says", d.Digest, len(b), d.Size)
	}
	if got := digest(b); got != d.Digest {
		return fmt.Errorf("%s is not what it is named: its content is %s", d.Digest, got)
	}
	return nil
}

func digest(b []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(b)) }

// A size bounds a document.
type size struct {
	bytes int64
	flag  string // raises it
}

func (s size) error() error { return overLimit("bytes of one document", s.bytes, s.flag) }

func manifestSize(lim limits.Limits) size { return size{lim.ManifestBytes, "--max-manifest-bytes"} }

func configSize(lim limits.Limits) size { return size{lim.ConfigBytes, "--max-config-bytes"} }

// Annotations that name an image: by its tag alone (OCI image-spec,
// annotations.md), and in full, as containerd and docker write it.
const (
	nameAnnotation     = "org.opencontainers.image.ref.name"
	fullNameAnnotation = "io.containerd.image.name"
)

// name is what the entry of an index is called; empty if it has no name.
func (d *descriptor) name() string {
	if n := d.Annotations[fullNameAnnotation]; n != "" {
		return n
	}
	return d.Annotations[nameAnnotation]
}

// isAttestation reports an entry that no runtime takes for an image: its
// platform is "unknown/unknown". Annotations alone do not keep a runtime away.
func (p *platform) isAttestation() bool {
	return p != nil && p.OS == "unknown" && p.Architecture == "unknown"
}

// short is a digest for messages.
func short(digest string) string {
	_, hex, _ := strings.Cut(digest, ":")
	return hex[:min(12, len(hex))]
}
