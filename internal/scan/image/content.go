package image

import "slices"

// Content is what one layer yields: a pure function of its bytes and of the
// probes that looked at them.
type Content struct {
	DiffID       string // computed over the whole uncompressed stream
	Digest       string // computed over the whole stored stream
	Stored       int64  // bytes
	Uncompressed int64  // bytes
	Compression  string // "gzip", "zstd" or "none", sniffed
	Problems     []Problem

	unseen    []Unseen
	installed []Unseen
	events    []event // files, whiteouts and opaque markers, in archive order
	claimed   bool    // an image holds the files of events
}

// whole reports whether the layer was read to its end.
func (c *Content) whole() bool {
	return c.DiffID != "" && !slices.ContainsFunc(c.Problems, func(p Problem) bool { return p.Kind == NotAudited })
}

// An event is what one archive entry does to the tree.
type event struct {
	kind eventKind
	file *File  // for add
	path string // of the archive, cleaned; symbolic links of parents not followed
}

type eventKind uint8

const (
	add eventKind = iota
	whiteout
	opaque
	perhaps // predicted layers: path and all below it may have been removed or changed
)
