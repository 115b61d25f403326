// Package image reads a container image as a history: which layer put which
// bytes at which path, and what later layers did to them. It reads every layer
// once at most and writes nothing to the host; a Store may keep what it learned.
package image

import (
	"io/fs"
	"iter"
)

// An Image is a container image after its layers have streamed by.
type Image struct {
	Config Config
	// NoConfig is true for a bare root file system: Config is empty, and what it
	// would say is unknown.
	NoConfig bool
	Steps    []Step   // one per history entry, oldest first; empty if the image carries none
	Layers   []*Layer // oldest first

	// Predicted is true if the image was foretold from a Dockerfile. Facts may
	// then be unknown: see UnreadBase and Step.Opaque.
	Predicted bool
	// UnreadBase names the external base image that a predicted image stands on
	// and that was not read: its user, environment and files are unknown.
	// Empty for a real image and for FROM scratch.
	UnreadBase string
	// BaseSteps is how many of the first Steps of a predicted image are those of
	// the base image that it stands on and that was read; 0 without one.
	BaseSteps int

	Unseen    []Unseen // predicted images only: where files may be that nobody foretold
	Installed []Unseen // the same for files that packages of a distribution or an index bring

	Problems []Problem // what was not read, or can be read in more than one way

	root *node
}

// Unseen says that a predicted layer may store files at a path and below that are
// not known.
type Unseen struct {
	Layer *Layer
	Path  string
	Why   string // half a sentence
}

// A Step is one history entry: the build command that produced a layer, or that
// changed only the config (OCI image-spec, config.md, "history").
type Step struct {
	CreatedBy string // as recorded; free text
	Layer     *Layer // nil if the step made no layer, or history does not say which
}

// A Layer is one filesystem layer.
type Layer struct {
	Index  int    // 0 is the oldest
	DiffID string // "sha256:..." of the uncompressed archive, as the config gives it; empty if predicted
	Digest string // "sha256:..." of the stored blob; empty if unknown
	Step   int    // index into Image.Steps, or -1 if history does not say
	Files  []*File
}

// A File is one version of one path: what a single layer stored there. A path
// that three layers wrote has three Files.
type File struct {
	Entry
	Layer *Layer
	Fate  Fate
	// Original is the file whose content a hard link shares, or that a predicted
	// file has from its base image; nil if there is none or it is missing.
	Original *File

	facts []fact
	again *File // a directory that lower layers had just like this: the first of them
}

// Since returns the file that made its path what it is: for a directory that a layer
// only lists again, as builders do for the parents of what they store, the version of
// the first layer that had it so.
func (f *File) Since() *File {
	if f.again != nil {
		return f.again
	}
	return f
}

// An Entry is what a header says about a file, before its bytes.
type Entry struct {
	Path     string      // absolute and clean in the image: "/etc/shadow"
	Mode     fs.FileMode // type, permissions, setuid, setgid and sticky bits
	HardLink bool        // Link is the path of an earlier file with the same content
	UID, GID int         // -1 if a predicted file belongs to a name that is not resolved
	Size     int64       // bytes, logical
	Sparse   bool        // it has holes: fewer bytes are stored than Size says
	Link     string      // target of a symbolic or hard link, as written
	Xattrs   map[string]string
}

// A Fate says how a later layer ended a file. The zero Fate means the file is
// live: a container started from the image sees it.
type Fate struct {
	How How
	By  *Layer // nil if live
}

// How is the manner in which a file ended.
type How uint8

// The manners, from the container's point of view.
const (
	Live     How = iota
	Replaced     // another file took the path
	Deleted      // a whiteout, or a parent that stopped being a directory
	Perhaps      // predicted images only: a command that could not be understood may have removed or changed it
)

// Buried reports whether the file is gone from the container's view but can
// still be extracted from the image.
func (f *File) Buried() bool { return f.Fate.How == Replaced || f.Fate.How == Deleted }

// Live reports whether a container started from the image certainly sees the file.
func (f *File) Live() bool { return f.Fate.How == Live }

// Count returns how many versions of paths Files yields.
func (img *Image) Count() int {
	n := 0
	if img != nil {
		for _, l := range img.Layers {
			n += len(l.Files)
		}
	}
	return n
}

// Files yields every version of every path, oldest layer first, in the order of
// each layer's archive. A nil Image has none.
func (img *Image) Files() iter.Seq[*File] {
	return func(yield func(*File) bool) {
		if img == nil {
			return
		}
		for _, l := range img.Layers {
			for _, f := range l.Files {
				if !yield(f) {
					return
				}
			}
		}
	}
}
