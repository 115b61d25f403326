package source

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// manifestFile lists the images of an archive in Docker's own form
// (moby/docker-image-spec, spec.md, "Combined Image JSON + Filesystem Changeset
// Format").
const manifestFile = "manifest.json"

// A savedImage is one entry of manifest.json. LayerSources is not read: it would
// let the archive say which layer a diff ID is, against the order of Layers.
type savedImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// opened makes what is in an archive ready to be read.
func (op *opener) opened(ctx context.Context, target, pick string, a *archive) (*Opened, error) {
	srcs, err := op.archived(ctx, target, pick, a)
	if err != nil {
		return nil, err
	}
	return &Opened{Sources: srcs}, nil
}

// archived interprets an archive once its members are known.
func (op *opener) archived(ctx context.Context, target, pick string, a *archive) ([]*image.Source, error) {
	saved, listed := a.has(manifestFile), a.has(indexFile)
	if !saved && !listed {
		return nil, a.strange()
	}
	var images []*image.Source
	var problems []image.Problem
	if saved {
		var err error
		if images, problems, err = op.saved(a); err != nil {
			return nil, err
		}
		if !listed {
			images, err := op.pickSaved(target, pick, images)
			addProblems(images, problems)
			return images, err
		}
	}
	r := op.resolver(target, "oci-archive", storeBlobs{a})
	leaves, more, err := r.layoutLeaves(ctx, a)
	if err != nil {
		return nil, err
	}
	if saved {
		r.kind = "docker-archive"
		if err := r.agree(ctx, leaves, images); err != nil {
			return nil, err
		}
	}
	srcs, err := r.sources(ctx, leaves, pick)
	addProblems(srcs, append(problems, more...))
	return srcs, err
}

// strange explains why an archive is none of an image.
func (a *archive) strange() error {
	if a.has("repositories") {
		return hint(errors.New("it is of the form that engines before 1.10 saved, which is not supported"), "load it and save it again with a current docker or podman")
	}
	for _, dir := range []string{"etc", "usr", "bin"} {
		if a.has(dir) || a.has(dir+"/passwd") || a.has(dir+"/sh") {
			return hint(errors.New("it holds the files of a root filesystem, not an image"), "save the image with docker save, or unpack the archive and give the directory")
		}
	}
	return hint(errors.New("it is no image: it has neither manifest.json nor index.json"), "make one with docker save or skopeo copy")
}

// saved reads manifest.json and the configs and layers it names.
func (op *opener) saved(a *archive) ([]*image.Source, []image.Problem, error) {
	b, err := a.read(manifestFile, manifestSize(op.lim))
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", manifestFile, err)
	}
	var entries []savedImage
	repeated, err := image.DecodeJSON(b, op.lim, &entries)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", manifestFile, err)
	}
	if len(entries) == 0 {
		return nil, nil, fmt.Errorf("reading %s: it lists no image", manifestFile)
	}
	var srcs []*image.Source
	for i, e := range entries {
		src, err := op.savedImage(a, e)
		if err != nil {
			return nil, nil, fmt.Errorf("reading image %d of %s: %w", i+1, manifestFile, err)
		}
		srcs = append(srcs, src)
	}
	return srcs, repeatedKeys(manifestFile, repeated), nil
}

func (op *opener) savedImage(a *archive, e savedImage) (*image.Source, error) {
	name, err := memberName(e.Config)
	if err != nil {
		return nil, fmt.Errorf("reading the config: %w", err)
	}
	b, err := a.read(name, configSize(op.lim))
	if err != nil {
		return nil, fmt.Errorf("reading the config: %w", err)
	}
	id := digest(b)
	if named := "sha256:" + strings.TrimPrefix(strings.TrimSuffix(path.Base(name), ".json"), "sha256:"); image.IsDigest(named) && named != id {
		return nil, hint(fmt.Errorf("the config %q is not what it is named: its content is %s", name, id), "save the image again")
	}
	cfg, problems, err := image.ParseConfig(b, op.lim)
	if err != nil {
		return nil, err
	}
	if len(e.Layers) != len(cfg.DiffIDs) {
		return nil, hint(fmt.Errorf("the config names %d layers, %s %d", len(cfg.DiffIDs), manifestFile, len(e.Layers)), "save the image again")
	}
	src := &image.Source{
		Kind: "docker-archive", Tags: e.RepoTags, Digest: id, Platform: configPlatform(&cfg).String(),
		Config: cfg, Problems: problems,
	}
	for i, l := range e.Layers {
		name, err := memberName(l)
		if err != nil {
			return nil, fmt.Errorf("reading layer %d: %w", i+1, err)
		}
		blob, err := a.layer(name)
		if err != nil {
			return nil, fmt.Errorf("reading layer %d: %w", i+1, err)
		}
		src.Layers = append(src.Layers, blob)
	}
	return src, nil
}

// memberName cleans a name that manifest.json gives. One that is empty, absolute
// or leads out of the archive is refused.
func memberName(s string) (string, error) {
	c := path.Clean(s)
	if c == "." || c == ".." || path.IsAbs(c) || strings.HasPrefix(c, "../") {
		return "", fmt.Errorf("%.80q names no member of the archive", s)
	}
	return c, nil
}

// pickSaved names the images of manifest.json and keeps those that were asked
// for.
func (op *opener) pickSaved(target, pick string, all []*image.Source) ([]*image.Source, error) {
	var kept []*image.Source
	var there, has []string
	for i, src := range all {
		call := strconv.Itoa(i + 1)
		if len(src.Tags) > 0 {
			call = src.Tags[0]
		}
		src.Name = target
		if len(all) > 1 && pick == "" {
			src.Name += "@" + call
		}
		there = append(there, fmt.Sprintf("%d: %s (%s)", i+1, call, short(src.Digest)))
		has = append(has, src.Platform)
		if pick == "" || pick == call || pick == src.Digest || pick == strconv.Itoa(i+1) ||
			slices.ContainsFunc(src.Tags, func(t string) bool { return sameName(t, pick) }) {
			kept = append(kept, src)
		}
	}
	if len(kept) == 0 {
		return nil, noSuchImage(pick, there)
	}
	if op.want != nil {
		kept = slices.DeleteFunc(kept, func(s *image.Source) bool { return !configPlatform(&s.Config).suits(*op.want) })
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("it is not there for %s, only for %s", op.want, strings.Join(slices.Compact(has), ", "))
	}
	return kept, nil
}

// agree refuses an archive in which manifest.json and index.json list different
// images: engines differ on which they read. Configs tell, as they name the
// layers. The images of the index get the names that manifest.json gives.
func (r *resolver) agree(ctx context.Context, leaves []*leaf, saved []*image.Source) error {
	byConfig := map[string]*image.Source{}
	for _, src := range saved {
		byConfig[src.Digest] = src
	}
	matched := map[string]bool{}
	for _, entry := range groupBy(leaves, func(l *leaf) string { return strconv.Itoa(l.entry) }) {
		found := false
		for _, l := range entry {
			if err := r.load(ctx, l); err != nil {
				return err
			}
			if src := byConfig[l.config]; src != nil {
				found, matched[l.config] = true, true
				if err := l.rename(src.Tags, saved); err != nil {
					return err
				}
			}
		}
		if !found {
			return disagreement("index.json lists an image that manifest.json lacks")
		}
	}
	if len(matched) < len(byConfig) {
		return disagreement("manifest.json lists an image that index.json lacks")
	}
	return nil
}

func disagreement(what string) error {
	return hint(fmt.Errorf("the archive can be read as different images: %s", what), "save the image again")
}

// rename gives the leaf the tags that manifest.json has for it, its own first. A
// name of its own must not be that of another image there.
func (l *leaf) rename(tags []string, saved []*image.Source) error {
	for _, own := range l.names {
		for _, src := range saved {
			same := func(t string) bool { return sameName(own, t) }
			if src.Digest != l.config && slices.ContainsFunc(src.Tags, same) && !slices.ContainsFunc(tags, same) {
				return disagreement(fmt.Sprintf("%.80q is another one in index.json than in manifest.json", own))
			}
		}
	}
	if len(tags) > 0 {
		l.names = tags
	}
	return nil
}
