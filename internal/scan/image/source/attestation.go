package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// How an index says which image an attestation is about, and a manifest which
// layer is a statement of what (buildkit, docs/attestations/attestation-storage.md).
const (
	referenceType       = "vnd.docker.reference.type"
	referenceDigest     = "vnd.docker.reference.digest"
	attestationManifest = "attestation-manifest"
	predicateType       = "in-toto.io/predicate-type"
	inTotoStatement     = "application/vnd.in-toto+json"
	slsaProvenance      = "https://slsa.dev/provenance/"
)

const anAttestation = "an attestation"

// maxStatements is how many statements of one attestation are read. Builders
// write one of a kind.
const maxStatements = 4

// attestation files an entry that is no image under the image that it is about.
func (r *resolver) attestation(d descriptor) {
	r.skipped = append(r.skipped, anAttestation)
	about := d.Annotations[referenceDigest]
	if _, again := r.attests[about]; again || about == "" || d.Annotations[referenceType] != attestationManifest {
		return
	}
	r.attests[about] = d
}

// statements reads what the index attaches to an image on where that comes from.
// An image is judged without it as well, so what can't be read is only worth a
// remark.
func (r *resolver) statements(ctx context.Context, about string) ([][]byte, []image.Problem) {
	d, ok := r.attests[about]
	if !ok {
		return nil, nil
	}
	delete(r.attests, about)
	if i := slices.Index(r.skipped, anAttestation); i >= 0 {
		r.skipped = slices.Delete(r.skipped, i, i+1)
	}
	out, err := r.attested(ctx, d)
	if err != nil {
		return nil, []image.Problem{{Kind: image.Remark, Layer: -1, What: fmt.Sprintf("its attestation was not read: %v", err)}}
	}
	return out, nil
}

func (r *resolver) attested(ctx context.Context, d descriptor) ([][]byte, error) {
	if !r.blobs.has(d) {
		return nil, errors.New("it is not there")
	}
	m, _, err := r.read(ctx, d)
	if err != nil {
		return nil, err
	}
	if m.isIndex() {
		return nil, errors.New("it is an index")
	}
	var out [][]byte
	for _, l := range m.Layers {
		if l.MediaType != inTotoStatement || !strings.HasPrefix(l.Annotations[predicateType], slsaProvenance) {
			continue
		}
		if len(out) == maxStatements {
			return nil, fmt.Errorf("it has over %d statements of one kind", maxStatements)
		}
		b, err := verified(ctx, l, configSize(r.lim), r.blobs.config)
		if err != nil {
			return nil, fmt.Errorf("reading a statement: %w", err)
		}
		out = append(out, b)
	}
	return out, nil
}
