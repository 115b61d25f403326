// Package provenance reads what BuildKit attests of a build: the Dockerfile, how
// it was evaluated, and the lines that made each layer. It believes nothing that
// does not fit the image at hand, and no text of an attestation gets into its
// errors.
package provenance

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A Provenance is what an attestation tells of the Dockerfile behind an image.
type Provenance struct {
	Name       string // of the Dockerfile: a relative path
	Dockerfile []byte
	Target     string            // stage; empty for the last
	Args       map[string]string // build arguments that were given
	Layers     []Lines           // that made each layer of the image, oldest first; zero where unknown
}

// Lines is a range of lines of the Dockerfile, 1-based and inclusive; zero if
// unknown.
type Lines struct{ First, Last int }

// Predicate types of in-toto statements that are provenance.
const (
	slsa02 = "https://slsa.dev/provenance/v0.2"
	slsa1  = "https://slsa.dev/provenance/v1"
)

// Read reads an in-toto statement about the image with the given manifest digest
// and layer digests, oldest first. It returns nil for what is no provenance of
// BuildKit, or has no Dockerfile, as with mode=min (SLSA 0.2 and 1; BuildKit,
// docs/attestations/slsa-definitions.md). It fails for what is over a limit, about
// another image, or contradicts itself.
func Read(statement []byte, manifest string, layers []string, lim limits.Limits) (*Provenance, error) {
	var s document
	if int64(len(statement)) > lim.ConfigBytes {
		return nil, fmt.Errorf("it has over %d bytes", lim.ConfigBytes)
	}
	if _, err := image.DecodeJSON(statement, lim, &s); err != nil {
		return nil, err
	}
	b := s.build()
	if b == nil || len(b.meta.Source.Infos) == 0 {
		return nil, nil
	}
	if !s.isAbout(manifest) {
		return nil, errors.New("it is about another image")
	}
	info := b.meta.Source.Infos[0]
	if info.Language != "" && info.Language != "Dockerfile" || len(info.Data) == 0 {
		return nil, nil
	}
	if int64(len(info.Data)) > lim.DockerfileBytes {
		return nil, fmt.Errorf("its Dockerfile has over %d bytes", lim.DockerfileBytes)
	}
	p := &Provenance{Name: fileName(info.Filename), Dockerfile: info.Data, Args: map[string]string{}}
	for k, v := range b.request.Args {
		if name, ok := strings.CutPrefix(k, "build-arg:"); ok {
			p.Args[name] = v
		}
	}
	p.Target = b.request.Args["target"]
	var err error
	p.Layers, err = b.lines(layers)
	return p, err
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._/-]{0,200}$`)

// fileName is the name of the Dockerfile, if it is one that can be shown as a path
// of a repository.
func fileName(name string) string {
	if !plainName.MatchString(name) || path.Clean("/"+name) != "/"+name {
		return "Dockerfile"
	}
	return name
}

// isAbout reports whether the image is a subject of the statement. BuildKit names
// none for an image without a name; the manifest that the statement came with says
// then what it is about.
func (s *document) isAbout(manifest string) bool {
	for _, sub := range s.Subject {
		if "sha256:"+sub.Digest["sha256"] == manifest {
			return true
		}
	}
	return len(s.Subject) == 0
}
