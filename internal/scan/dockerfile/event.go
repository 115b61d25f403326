package dockerfile

import (
	"io"
	"io/fs"
)

// A PredictedLayer is what one step of a build does to the files of the image.
type PredictedLayer struct {
	Step   *Step
	Events []Event // to be applied in order; removals concern lower layers only
}

// An Event is an Add, Remove, Perhaps or UnknownUnder.
type Event interface{ event() }

// Add says that the layer stores a file, directory or symbolic link at a path,
// over what was there.
type Add struct {
	Path     string      // absolute and clean
	Mode     fs.FileMode // type, permissions, setuid, setgid and sticky bits
	UID, GID int
	// User and Group are names that only the image's accounts can resolve; they
	// take the place of UID and GID if not empty.
	User, Group string
	Size        int64  // bytes
	Link        string // target of a symbolic link
	// Open returns the content of a regular file; nil if it is not known.
	Open func() (io.ReadCloser, error)

	// Base is what the reader of a base image knows a file of it by. Its content
	// is the base's as long as its path is. Nil for other files.
	Base any

	text *string // the content, where the Dockerfile itself gives it
}

// Remove says that the layer removes what lower layers have at a path and below.
type Remove struct{ Path string }

// Perhaps says that what is at a path and below may have been removed or changed.
type Perhaps struct{ Path, Why string }

// UnknownUnder says that the layer may store further files at a path and below.
type UnknownUnder struct {
	Path, Why string
	Packages  bool // all of them come from packages of a distribution or an index
}

func (Add) event()          {}
func (Remove) event()       {}
func (Perhaps) event()      {}
func (UnknownUnder) event() {}
