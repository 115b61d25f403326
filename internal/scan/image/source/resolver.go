package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// Blobs is where the documents and layers of OCI images are kept.
type blobs interface {
	// manifest returns a manifest or index as it is stored. It fails if that is
	// over max.
	manifest(ctx context.Context, d descriptor, max size) ([]byte, error)
	// config returns the config of an image likewise.
	config(ctx context.Context, d descriptor, max size) ([]byte, error)
	// layer returns how to read a layer. It fails if that can't be.
	layer(d descriptor) (image.Blob, error)
	// has reports whether d can be read: archives may lack parts of an index.
	has(d descriptor) bool
}

// A resolver follows the documents of OCI images down to Sources. Every document
// is read once and verified.
type resolver struct {
	target, kind string
	blobs        blobs
	lim          limits.Limits
	want         *platform
	host         platform

	entries int                   // of all indexes together
	skipped []string              // what is no image and was not read, in words
	attests map[string]descriptor // the first attestation of each image, by manifest digest
	lacking int                   // manifests that an index names and the archive lacks
	loaded  map[string]*leaf      // by manifest digest
	sizes   map[string]int64      // of what indexes list, by digest
}

func (op *opener) resolver(target, kind string, b blobs) *resolver {
	return &resolver{target: target, kind: kind, blobs: b, lim: op.lim, want: op.want, host: op.host, loaded: map[string]*leaf{}, sizes: map[string]int64{}, attests: map[string]descriptor{}}
}

// A leaf is one image manifest that an index leads to.
type leaf struct {
	desc  descriptor
	entry int      // of the topmost index
	above []string // digests of the indexes on the way

	names    []string // of its entry
	config   string   // digest; known once loaded
	platform platform // as the index says, else as the config says
	source   *image.Source
}

// read returns a manifest or index, verified.
func (r *resolver) read(ctx context.Context, d descriptor) (*document, []image.Problem, error) {
	b, err := verified(ctx, d, manifestSize(r.lim), r.blobs.manifest)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the manifest: %w", err)
	}
	doc, problems, err := parseDocument(b, d.MediaType, r.lim)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the manifest %s: %w", d.Digest, err)
	}
	return doc, problems, nil
}

func verified(ctx context.Context, d descriptor, max size, get func(context.Context, descriptor, size) ([]byte, error)) ([]byte, error) {
	if err := d.check(max); err != nil {
		return nil, err
	}
	b, err := get(ctx, d, max)
	if err != nil {
		return nil, err
	}
	return b, d.verify(b)
}

// expand returns the images that an entry of an index leads to, at being the leaf
// they become but for their own descriptors.
func (r *resolver) expand(ctx context.Context, d descriptor, at leaf) ([]*leaf, error) {
	if r.entries++; r.entries > r.lim.IndexEntries {
		return nil, overLimit("entries of all indexes", int64(r.lim.IndexEntries), "--max-index-entries")
	}
	if err := d.check(manifestSize(r.lim)); err != nil {
		return nil, fmt.Errorf("reading an index: %w", err)
	}
	if n, listed := r.sizes[d.Digest]; listed && n != d.Size {
		return nil, hint(fmt.Errorf("reading an index: %s is listed with the sizes %d and %d", d.Digest, n, d.Size), "rebuild the image")
	}
	r.sizes[d.Digest] = d.Size
	switch {
	case d.Platform.isAttestation():
		r.attestation(d)
		return nil, nil
	case d.MediaType != "" && !isIndexType(d.MediaType) && !isManifestType(d.MediaType):
		r.skipped = append(r.skipped, describeArtifact(d.MediaType))
		return nil, nil
	case !r.blobs.has(d):
		r.lacking++
		return nil, nil
	case isManifestType(d.MediaType):
		at.desc = d
		return []*leaf{&at}, nil
	}
	doc, _, err := r.read(ctx, d)
	if err != nil {
		return nil, err
	}
	if !doc.isIndex() {
		at.desc = d
		return []*leaf{&at}, nil
	}
	return r.below(ctx, d, doc, at)
}

// below expands the entries of an index inside an index.
func (r *resolver) below(ctx context.Context, d descriptor, doc *document, at leaf) ([]*leaf, error) {
	if slices.Contains(at.above, d.Digest) {
		return nil, fmt.Errorf("the index %s is inside itself", d.Digest)
	}
	at.above = append(slices.Clone(at.above), d.Digest)
	if len(at.above) > r.lim.IndexDepth {
		return nil, overLimit("indexes inside indexes", int64(r.lim.IndexDepth), "--max-index-depth")
	}
	var leaves []*leaf
	for _, child := range doc.Manifests {
		more, err := r.expand(ctx, child, at)
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, more...)
	}
	return leaves, nil
}

// settle finds the platform of every leaf, reading the config of those to which
// the index gives none, and drops what turns out to be no image.
func (r *resolver) settle(ctx context.Context, leaves []*leaf) ([]*leaf, error) {
	var kept []*leaf
	for _, l := range leaves {
		if l.desc.Platform != nil {
			l.platform = *l.desc.Platform
			kept = append(kept, l)
			continue
		}
		var none *notImage
		if err := r.load(ctx, l); errors.As(err, &none) {
			r.skipped = append(r.skipped, none.what)
			continue
		} else if err != nil {
			return nil, err
		}
		if l.platform.isAttestation() {
			r.skipped = append(r.skipped, anAttestation)
			continue
		}
		kept = append(kept, l)
	}
	return kept, nil
}

// nothing explains why there is no image at all.
func (r *resolver) nothing() error {
	switch {
	case len(r.skipped) > 0:
		return hint(fmt.Errorf("it holds no container image, only %s", r.passedOver()),
			"give the image that it belongs to")
	case r.lacking > 0:
		return hint(errors.New("it lacks the manifests that its index names"), "save or copy the image again")
	}
	return errors.New("its index is empty")
}

// remarks tells what was passed over.
func (r *resolver) remarks() []image.Problem {
	if len(r.skipped) == 0 {
		return nil
	}
	return []image.Problem{{Kind: image.Remark, Layer: -1,
		What: fmt.Sprintf("entries of the index that are no image were not read: %d, %s", len(r.skipped), r.passedOver())}}
}

// passedOver lists what is no image, each kind once.
func (r *resolver) passedOver() string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(r.skipped))), " and ")
}

// sources chooses among leaves and loads what was chosen.
func (r *resolver) sources(ctx context.Context, leaves []*leaf, pick string) ([]*image.Source, error) {
	leaves, err := r.settle(ctx, leaves)
	if err != nil {
		return nil, err
	}
	if len(leaves) == 0 {
		return nil, r.nothing()
	}
	if leaves, err = pickLeaves(leaves, pick); err != nil {
		return nil, err
	}
	chosen, err := r.choose(leaves)
	if err != nil {
		return nil, err
	}
	var srcs []*image.Source
	for _, c := range chosen {
		if err := r.load(ctx, c.leaf); err != nil {
			return nil, err
		}
		src := *c.leaf.source
		src.Tags, src.Name = c.names, r.target
		if len(chosen) > 1 {
			src.Name += "@" + c.call()
		}
		statements, problems := r.statements(ctx, c.leaf.desc.Digest)
		src.Statements, src.Problems = statements, slices.Concat(src.Problems, c.problems, problems)
		srcs = append(srcs, &src)
	}
	for _, src := range srcs {
		src.Problems = append(src.Problems, r.remarks()...)
	}
	return srcs, nil
}
