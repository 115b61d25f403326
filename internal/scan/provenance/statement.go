package provenance

import "strings"

// A document is an in-toto statement with the parts of both predicates that
// matter (in-toto attestation, statement; SLSA 0.2 and 1; buildkit,
// solver/llbsolver/provenance/types).
type document struct {
	Type          string `json:"_type"`
	PredicateType string `json:"predicateType"`
	Subject       []struct {
		Digest map[string]string `json:"digest"`
	} `json:"subject"`
	Predicate struct {
		BuildType  string `json:"buildType"` // up to RunDetails: SLSA 0.2
		Invocation struct {
			Parameters request `json:"parameters"`
		} `json:"invocation"`
		BuildConfig graph `json:"buildConfig"`
		Metadata    struct {
			BuildKit metadata `json:"https://mobyproject.org/buildkit@v1#metadata"`
		} `json:"metadata"`

		BuildDefinition struct { // from here on: SLSA 1
			BuildType          string `json:"buildType"`
			ExternalParameters struct {
				Request request `json:"request"`
			} `json:"externalParameters"`
			InternalParameters struct {
				BuildConfig graph `json:"buildConfig"`
			} `json:"internalParameters"`
		} `json:"buildDefinition"`
		RunDetails struct {
			Metadata struct {
				BuildKit metadata `json:"buildkit_metadata"`
			} `json:"metadata"`
		} `json:"runDetails"`
	} `json:"predicate"`
}

type request struct {
	Args map[string]string `json:"args"`
}

// A graph is the steps of a build.
type graph struct {
	Steps []struct {
		ID     string   `json:"id"`     // "step3"
		Inputs []string `json:"inputs"` // "step2:0": a step and which of its results
	} `json:"llbDefinition"`
}

// Metadata is what BuildKit adds to SLSA.
type metadata struct {
	Source struct {
		Locations map[string]struct { // by step
			Locations []location `json:"locations"`
		} `json:"locations"`
		Infos []struct {
			Filename string `json:"filename"`
			Language string `json:"language"`
			Data     []byte `json:"data"`
		} `json:"infos"`
	} `json:"source"`
	// Layers are the layers of results, as one chain for each compression.
	Layers map[string][][]struct {
		Digest string `json:"digest"`
	} `json:"layers"`
}

type location struct {
	SourceIndex int `json:"sourceIndex"`
	Ranges      []struct {
		Start position `json:"start"`
		End   position `json:"end"`
	} `json:"ranges"`
}

type position struct {
	Line int `json:"line"`
}

// A build is what both predicates tell alike.
type build struct {
	request request
	graph   graph
	meta    metadata
}

// Build types of BuildKit.
const (
	buildType02 = "https://mobyproject.org/buildkit@v1"
	buildType1  = "https://github.com/moby/buildkit/blob/master/docs/attestations/slsa-definitions.md"
)

// build returns the build that a statement is about; nil if BuildKit did not write
// it.
func (s *document) build() *build {
	p := &s.Predicate
	switch {
	case !strings.HasPrefix(s.Type, "https://in-toto.io/Statement/v"):
	case s.PredicateType == slsa02 && p.BuildType == buildType02:
		return &build{p.Invocation.Parameters, p.BuildConfig, p.Metadata.BuildKit}
	case s.PredicateType == slsa1 && p.BuildDefinition.BuildType == buildType1:
		d := &p.BuildDefinition
		return &build{d.ExternalParameters.Request, d.InternalParameters.BuildConfig, p.RunDetails.Metadata.BuildKit}
	}
	return nil
}
