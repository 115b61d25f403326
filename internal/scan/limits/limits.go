// Package limits holds the numbers that bound what reading a hostile input may
// cost. They are injected everywhere, so tests can make them tiny.
package limits

import "time"

// Limits bound one audit. A limit that is reached makes the audit incomplete and
// is reported with its name; it never shortens a result silently.
type Limits struct {
	// Documents around the image.
	ManifestBytes int64 // a manifest, index, manifest.json, index.json or oci-layout
	ConfigBytes   int64 // an image config
	Layers        int   // layers of one image
	IndexEntries  int   // entries of one index
	IndexDepth    int   // indexes inside indexes
	JSONDepth     int   // nesting of one document
	JSONElements  int   // values in one document
	Members       int   // members of an outer archive

	// Layers.
	LayerBytes int64 // uncompressed bytes of one layer
	ImageBytes int64 // uncompressed bytes of all layers of one target
	Ratio      int64 // uncompressed bytes per compressed byte, once RatioAfter bytes came out
	RatioAfter int64
	ZstdWindow uint64 // bytes
	Entries    int    // entries of one layer
	PathBytes  int    // a path or link target
	NameBytes  int64  // all paths of one layer together
	PAXRecords int    // kept extended header records of one entry
	XattrBytes int    // one extended attribute's value
	Hops       int    // symbolic links followed while resolving one path

	// Content offered to probes.
	FileBytes int64 // of one file; a probe that wants more gets this much and the file is noted
	InFlight  int64 // bytes of file content in memory at once, over all layers
	KeptBytes int64 // bytes of text that probes keep, packed, over all layers of one target

	// Dockerfiles and build contexts.
	DockerfileBytes   int64 // the whole file
	LineBytes         int   // one line
	InstructionBytes  int   // one instruction, continuation lines joined
	Instructions      int
	Stages            int
	SubstitutionDepth int // nested ${...}
	InstructionWords  int
	ContextFiles      int
	ContextBytes      int64

	// Compose files and Kubernetes manifests.
	YAMLBytes     int64 // one file
	YAMLDepth     int   // nesting of one document
	YAMLValues    int   // values of one file, with what aliases repeat
	YAMLDocuments int   // of one file
	YAMLFiles     int   // of one project, with what it includes
	YAMLWorkloads int   // of one project or cluster

	// Network.
	Redirects     int
	HeaderTimeout time.Duration // until a response's first header
	StallTimeout  time.Duration // without a byte of a body
	RetryWait     time.Duration // longest wait a registry may ask for
	Retries       int

	// Reports.
	FindingsPerRule int
	TextBytes       int // one foreign string in any output
}

// Default returns the limits that an audit uses unless the user says otherwise.
// They sit well above what well-known images and Dockerfiles need.
func Default() Limits {
	const (
		kib = 1 << 10
		mib = 1 << 20
		gib = 1 << 30
	)
	return Limits{
		ManifestBytes: 4 * mib, ConfigBytes: 8 * mib,
		Layers: 1024, IndexEntries: 4096, IndexDepth: 3,
		JSONDepth: 64, JSONElements: 200_000, Members: 200_000,

		LayerBytes: 16 * gib, ImageBytes: 64 * gib,
		Ratio: 1200, RatioAfter: 64 * mib, ZstdWindow: 32 * mib,
		Entries: 2_000_000, PathBytes: 4096, NameBytes: 256 * mib,
		PAXRecords: 256, XattrBytes: 64 * kib, Hops: 40,

		FileBytes: 8 * mib, InFlight: 64 * mib, KeptBytes: 256 * mib,

		DockerfileBytes: 1 * mib, LineBytes: 65_535, InstructionBytes: 512 * kib,
		Instructions: 50_000, Stages: 2_000, SubstitutionDepth: 32, InstructionWords: 20_000,
		ContextFiles: 200_000, ContextBytes: 4 * gib,

		YAMLBytes: 4 * mib, YAMLDepth: 100, YAMLValues: 500_000, YAMLDocuments: 2_000, YAMLFiles: 200, YAMLWorkloads: 1000,

		Redirects: 5, HeaderTimeout: 30 * time.Second, StallTimeout: 60 * time.Second,
		RetryWait: 60 * time.Second, Retries: 4,

		FindingsPerRule: 1000, TextBytes: 512,
	}
}
