package source

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A store holds the files of an archive or a layout by their clean, relative
// names. Nothing it gives out is verified.
type store interface {
	// read returns a document whole. It fails if it is over max.
	read(name string, max size) ([]byte, error)
	// layer returns how to read a file that is a layer.
	layer(name string) (image.Blob, error)
	has(name string) bool
}

// The documents of an OCI layout (OCI image-spec, image-layout.md).
const (
	layoutFile = "oci-layout"
	indexFile  = "index.json"
)

// storeBlobs finds blobs in a store where an OCI layout keeps them.
type storeBlobs struct {
	store
}

func blobName(d descriptor) string {
	return path.Join("blobs", strings.Replace(d.Digest, ":", "/", 1))
}

func (s storeBlobs) manifest(_ context.Context, d descriptor, max size) ([]byte, error) {
	return s.read(blobName(d), max)
}

func (s storeBlobs) config(_ context.Context, d descriptor, max size) ([]byte, error) {
	return s.read(blobName(d), max)
}

func (s storeBlobs) layer(d descriptor) (image.Blob, error) {
	if layerKindOf(d.MediaType) == layerForeign && !s.has(d) {
		return image.Blob{}, errForeign
	}
	return s.store.layer(blobName(d))
}

func (s storeBlobs) has(d descriptor) bool { return s.store.has(blobName(d)) }

var errForeign = errors.New("is not distributed with the image and was not read")

// layoutLeaves returns the images that the index of a layout leads to.
func (r *resolver) layoutLeaves(ctx context.Context, s store) ([]*leaf, []image.Problem, error) {
	problems, err := r.layoutVersion(s)
	if err != nil {
		return nil, nil, err
	}
	b, err := s.read(indexFile, manifestSize(r.lim))
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", indexFile, err)
	}
	doc, more, err := parseDocument(b, "", r.lim)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", indexFile, err)
	}
	if !doc.isIndex() {
		return nil, nil, fmt.Errorf("reading %s: it is no index", indexFile)
	}
	var leaves []*leaf
	for i, d := range doc.Manifests {
		at := leaf{entry: i}
		if n := d.name(); n != "" {
			at.names = []string{n}
		}
		below, err := r.expand(ctx, d, at)
		if err != nil {
			return nil, nil, err
		}
		leaves = append(leaves, below...)
	}
	return leaves, append(problems, more...), nil
}

// layoutVersion checks the version of a layout; runtimes refuse others than
// 1.0.0 and accept a layout that does not say.
func (r *resolver) layoutVersion(s store) ([]image.Problem, error) {
	if !s.has(layoutFile) {
		return []image.Problem{{Kind: image.Remark, Layer: -1, What: "the file oci-layout is missing"}}, nil
	}
	b, err := s.read(layoutFile, manifestSize(r.lim))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", layoutFile, err)
	}
	var doc struct {
		Version string `json:"imageLayoutVersion"`
	}
	repeated, err := image.DecodeJSON(b, r.lim, &doc)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", layoutFile, err)
	}
	if doc.Version != "1.0.0" {
		return nil, fmt.Errorf("reading %s: version %.20q is not supported, only 1.0.0", layoutFile, doc.Version)
	}
	return repeatedKeys(layoutFile, repeated), nil
}
