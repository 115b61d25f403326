package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A notImage error names a manifest that is none of a container image.
type notImage struct{ what string }

func (n *notImage) Error() string { return "it is " + n.what + ", not a container image" }

// load reads a leaf's manifest and config and finds its layers. It sets the
// leaf's config and source, and its platform if the index gave none.
func (r *resolver) load(ctx context.Context, l *leaf) error {
	if l.source == nil {
		if known := r.loaded[l.desc.Digest]; known != nil {
			l.source, l.config = known.source, known.config
			r.comparePlatforms(l)
		} else if err := r.loadNew(ctx, l); err != nil {
			return err
		}
	}
	if l.desc.Platform == nil {
		l.platform = configPlatform(&l.source.Config)
	}
	return nil
}

func (r *resolver) loadNew(ctx context.Context, l *leaf) error {
	m, problems, err := r.read(ctx, l.desc)
	if err != nil {
		return err
	}
	if m.isIndex() {
		return fmt.Errorf("reading the manifest %s: it is an index", l.desc.Digest)
	}
	if what := m.artifact(); what != "" {
		return hint(&notImage{what}, "give the image that it belongs to")
	}
	b, err := verified(ctx, *m.Config, configSize(r.lim), r.blobs.config)
	if err != nil {
		return fmt.Errorf("reading the config of %s: %w", l.desc.Digest, err)
	}
	cfg, more, err := image.ParseConfig(b, r.lim)
	if err != nil {
		return fmt.Errorf("reading the config of %s: %w", l.desc.Digest, err)
	}
	if len(cfg.DiffIDs) != len(m.Layers) {
		return hint(fmt.Errorf("the config of %s names %d layers, the manifest %d", l.desc.Digest, len(cfg.DiffIDs), len(m.Layers)), "rebuild the image")
	}
	src := &image.Source{Kind: r.kind, Digest: l.desc.Digest, Config: cfg, Platform: configPlatform(&cfg).String()}
	src.Problems = slices.Concat(problems, more)
	if err := r.layers(src, m.Layers); err != nil {
		return fmt.Errorf("reading the manifest %s: %w", l.desc.Digest, err)
	}
	l.source, l.config = src, m.Config.Digest
	r.loaded[l.desc.Digest] = l
	r.comparePlatforms(l)
	return nil
}

// layers sets how the layers are read. One that can't be is a problem; one that
// nothing could verify is an error.
func (r *resolver) layers(src *image.Source, ds []descriptor) error {
	for i, d := range ds {
		if !image.IsDigest(d.Digest) || d.Size < 0 {
			return fmt.Errorf("layer %d has the digest %.80q and the size %d", i+1, d.Digest, d.Size)
		}
		b := image.Blob{}
		unread := unreadable(d.MediaType)
		if unread == "" {
			var err error
			if b, err = r.blobs.layer(d); err != nil {
				unread = err.Error()
			}
		}
		if unread != "" {
			src.Problems = append(src.Problems, image.Problem{Kind: image.NotAudited, Layer: i, What: unread, Hint: "give an image that holds all its layers as plain, gzip or zstd archives"})
		}
		b.Digest, b.Size, b.MediaType = d.Digest, d.Size, d.MediaType
		src.Layers = append(src.Layers, b)
	}
	return nil
}

// unreadable says why a layer of this media type is not read; empty if it is.
func unreadable(mediaType string) string {
	switch layerKindOf(mediaType) {
	case layerEncrypted:
		return fmt.Sprintf("is encrypted (%.80s) and was not read", mediaType)
	case layerUnknown:
		return fmt.Sprintf("has the unknown media type %.80q and was not read", mediaType)
	}
	return ""
}

// comparePlatforms tells if index and config disagree.
func (r *resolver) comparePlatforms(l *leaf) {
	says := l.desc.Platform
	if says == nil {
		return
	}
	is := configPlatform(&l.source.Config)
	if is.OS == says.OS && is.Architecture == says.Architecture {
		return
	}
	differs := image.Problem{Kind: image.Ambiguous, Layer: -1, Hint: "rebuild the image",
		What: fmt.Sprintf("the index says it is for %s, the config for %s", says, is)}
	if !slices.Contains(l.source.Problems, differs) {
		l.source.Problems = append(l.source.Problems, differs)
	}
}

func configPlatform(c *image.Config) platform {
	return platform{OS: c.OS, Architecture: c.Architecture, Variant: c.Variant}
}
