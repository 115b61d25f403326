package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

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
		_ = rep.Close() // err says more
		return nil, err
	}
	return &Opened{Sources: srcs, files: []io.Closer{rep}}, nil
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
	op        *opener
	ref       name.Reference
	route     *route          // nil, as the next, if the caller said what requests go over
	transport *http.Transport // over the route
	guard     *guard
	puller    *remote.Puller
	top       *remote.Descriptor // what ref names
}

func (op *opener) newRepository(ref name.Reference) (*repository, error) {
	rep := &repository{op: op, ref: ref}
	next := op.Transport
	if next == nil {
		registry := url.URL{Host: ref.Context().RegistryStr()}
		rep.route = newRoute(op.network, registry.Hostname(), op.lim)
		rep.transport = rep.route.transport(op.lim)
		next = rep.transport
	}
	rep.guard = newGuard(next, ref.Context(), op.Insecure, op.lim)
	never := func(error) bool { return false } // the guard knows how often to ask
	var err error
	rep.puller, err = remote.NewPuller(remote.WithTransport(rep.guard), remote.WithAuthFromKeychain(op.Keychain),
		remote.WithRetryPredicate(never), remote.WithRetryStatusCodes())
	return rep, err
}

// Close ends the connections that wait for further requests.
func (rep *repository) Close() error {
	if rep.transport != nil {
		rep.transport.CloseIdleConnections()
	}
	return nil
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
	if rep.route != nil {
		problems = append(problems, rep.route.remarks()...)
	}
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
	rep.guard.budget.Add(requestsPerLayer)
	return image.Blob{Name: d.Digest, Addressed: true, Open: func(ctx context.Context) (io.ReadCloser, error) { return rep.open(ctx, d) }}, nil
}

// open starts the download of a blob, which begins again where it breaks off.
func (rep *repository) open(ctx context.Context, d descriptor) (io.ReadCloser, error) {
	now, err := rep.fetch(ctx, d)
	if err != nil {
		return nil, err
	}
	return &retried{ctx: ctx, rep: rep, blob: d, now: now}, nil
}

// fetch starts one download of a blob. What arrives is compared with its digest at
// its end, and ends where it is longer than its descriptor says.
func (rep *repository) fetch(ctx context.Context, d descriptor) (io.ReadCloser, error) {
	l, err := rep.puller.Layer(ctx, rep.at(d))
	if err != nil {
		return nil, rep.explain(ctx, err)
	}
	r, err := l.Compressed()
	if err != nil {
		return nil, rep.explain(ctx, err)
	}
	return &capped{r, &bounded{r: r, max: d.Size, over: fmt.Errorf("it is longer than the %d bytes its descriptor says", d.Size)}}, nil
}

// A capped blob ends with an error where it gets too long.
type capped struct {
	io.Closer
	io.Reader
}
