package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// registry opens an image in its registry.
func (op *opener) registry(ctx context.Context, target string) (*Opened, error) {
	ref, err := op.parseReference(target)
	if err != nil {
		return nil, err
	}
	rep, err := op.newRepository(ref)
	if err != nil {
		return nil, err
	}
	srcs, err := rep.sources(ctx, target)
	if err != nil {
		return nil, err
	}
	return &Opened{Sources: srcs}, nil
}

func (op *opener) parseReference(target string) (name.Reference, error) {
	var opts []name.Option
	if op.Insecure {
		opts = append(opts, name.Insecure)
	}
	ref, err := name.ParseReference(target, opts...)
	if err != nil || path.Clean("/"+target) != "/"+target {
		return nil, hint(errors.New("it is no image reference"), "write it as name:tag, registry.example/name:tag or name@sha256:...")
	}
	return ref, nil
}

// A repository is one of a registry, in which one image is looked up.
type repository struct {
	op     *opener
	ref    name.Reference
	puller *remote.Puller
	top    *remote.Descriptor // what ref names
}

func (op *opener) newRepository(ref name.Reference) (*repository, error) {
	next := op.Transport
	if next == nil {
		next = newTransport(op.lim)
	}
	registry := url.URL{Host: ref.Context().RegistryStr()}
	g := &guard{next: next, lim: op.lim, insecure: op.Insecure, loopback: isLoopback(registry.Hostname())}
	puller, err := remote.NewPuller(remote.WithTransport(g), remote.WithAuthFromKeychain(op.Keychain))
	return &repository{op: op, ref: ref, puller: puller}, err
}

func (rep *repository) sources(ctx context.Context, target string) ([]*image.Source, error) {
	var err error
	if rep.top, err = rep.puller.Get(ctx, rep.ref); err != nil {
		return nil, rep.explain(ctx, err)
	}
	mediaType, _, _ := strings.Cut(string(rep.top.MediaType), ";")
	doc, problems, err := parseDocument(rep.top.Manifest, mediaType, rep.op.lim)
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	for _, t := range []string{mediaType, doc.MediaType} {
		if t != "" && !isIndexType(t) && !isManifestType(t) && !isPlainJSON(t) {
			return nil, fmt.Errorf("reading the manifest: it is %s, not a container image", describeArtifact(t))
		}
	}
	d := descriptor{MediaType: doc.MediaType, Digest: digest(rep.top.Manifest), Size: int64(len(rep.top.Manifest))}
	r := rep.op.resolver(target, "registry", rep)
	leaves := []*leaf{{desc: d}}
	if doc.isIndex() {
		if leaves, err = r.below(ctx, d, doc, leaf{}); err != nil {
			return nil, err
		}
	}
	srcs, err := r.sources(ctx, leaves, "")
	addProblems(srcs, problems)
	return srcs, err
}

// isPlainJSON reports the types under which simple servers give out manifests.
func isPlainJSON(t string) bool {
	return t == "application/json" || t == "text/plain" || t == "application/octet-stream"
}

func (rep *repository) at(d descriptor) name.Digest { return rep.ref.Context().Digest(d.Digest) }

func (rep *repository) has(descriptor) bool { return true }

func (rep *repository) manifest(ctx context.Context, d descriptor, _ size) ([]byte, error) {
	if d.Digest == digest(rep.top.Manifest) {
		return rep.top.Manifest, nil
	}
	got, err := rep.puller.Get(ctx, rep.at(d)) // the guard bounds it
	if err != nil {
		return nil, rep.explain(ctx, err)
	}
	return got.Manifest, nil
}

func (rep *repository) config(ctx context.Context, d descriptor, max size) ([]byte, error) {
	r, err := rep.open(ctx, d)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readAll(r, max)
}

func (rep *repository) layer(d descriptor) (image.Blob, error) {
	if layerKindOf(d.MediaType) == layerForeign {
		return image.Blob{}, errForeign
	}
	return image.Blob{Name: d.Digest, Open: func(ctx context.Context) (io.ReadCloser, error) { return rep.open(ctx, d) }}, nil
}

// open starts the download of a blob. What arrives is compared with its digest
// at its end.
func (rep *repository) open(ctx context.Context, d descriptor) (io.ReadCloser, error) {
	l, err := rep.puller.Layer(ctx, rep.at(d))
	if err != nil {
		return nil, rep.explain(ctx, err)
	}
	r, err := l.Compressed()
	if err != nil {
		return nil, rep.explain(ctx, err)
	}
	return r, nil
}

// explain puts an answer of the registry in words.
func (rep *repository) explain(ctx context.Context, err error) error {
	var answer *transport.Error
	if !errors.As(err, &answer) {
		return err
	}
	host := rep.ref.Context().RegistryStr()
	login := "docker login " + host
	if host == name.DefaultRegistry {
		host, login = "docker.io", "docker login"
	}
	says := func(what string) error { return fmt.Errorf("%d from %s: %s", answer.StatusCode, host, what) }
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		if rep.anonymous(ctx) {
			return hint(says("no credentials for it in "+rep.op.credentialsFile()), login)
		}
		return hint(says("it refuses the credentials in "+rep.op.credentialsFile()), login)
	case http.StatusNotFound:
		return hint(says("it has no such image"), "check the name and the tag")
	}
	if len(answer.Errors) > 0 {
		return says(fmt.Sprintf("%.80q, %.200q", answer.Errors[0].Code, answer.Errors[0].Message))
	}
	return says(http.StatusText(answer.StatusCode))
}

func (rep *repository) anonymous(ctx context.Context) bool {
	auth, err := authn.Resolve(ctx, rep.op.Keychain, rep.ref.Context())
	return err == nil && auth == authn.Anonymous
}

// credentialsFile names docker's config file for messages.
func (op *opener) credentialsFile() string {
	if dir := op.Getenv("DOCKER_CONFIG"); dir != "" {
		return filepath.Join(dir, "config.json")
	}
	return "~/.docker/config.json"
}
