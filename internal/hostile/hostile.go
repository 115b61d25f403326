// Package hostile is a corpus of inputs that are made to blind, mislead or exhaust
// whoever reads them, and of odd ones that are not meant so. It is used by tests
// only. Each function is one row of the corpus and makes the smallest input that
// shows its point; limits are lowered where a real one would be large.
//
// The rows are named by what they attack: C compression, T entries of an archive,
// O the overlay of layers, D what stands around an image, M manifests and
// configs, F Dockerfiles, I the output.
package hostile

import (
	"archive/tar"
	"bytes"
	"io"
	"maps"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// An Input is what to audit; one of Archive, Layout and Dockerfile is set.
type Input struct {
	Archive    []byte            // an image archive, to be read from a file and through a pipe
	Layout     map[string][]byte // the files of an OCI layout in a directory
	Links      map[string]string // symbolic links in the layout, name to target
	Pipes      []string          // named pipes in the layout
	Dockerfile []byte
}

// A Class is what an audit owes an input.
type Class uint8

// The classes.
const (
	Refuse  Class = iota + 1 // no image that could be vouched for; nothing is judged
	Partial                  // what was read is judged, and what was not is told
	Finding                  // all was read, and the oddity itself is reported
	Note                     // all was read, with a remark
	Plain                    // nothing to tell: runtimes read it in the same way
)

func (c Class) String() string {
	return [...]string{"none", "refuse", "partial", "finding", "note", "plain"}[c]
}

// Exit is the exit code of an audit that stops warnings.
func (c Class) Exit() int {
	switch c {
	case Refuse, Partial:
		return 3
	case Finding:
		return 1
	}
	return 0
}

// A Case is one row of the corpus.
type Case struct {
	ID     string // the row, and its variant behind a space
	What   string
	Input  func() Input
	Limits func(*limits.Limits) // lowers them; nil for the default ones
	Class  Class
	// Want are the parts that what the user is told must have, with " | " between
	// them.
	Want string
	// Tree is what a container of the image sees: "path=content", "path->target"
	// for a symbolic link, or "path" for content that is not text of a few bytes.
	// Directories are left out. Empty if that is not the point.
	Tree string
	// Evades marks an input that some reader takes for another image than runtimes
	// do: what they would run must be told, or the image refused.
	Evades bool
	// Known says why the audit does not do as it should yet; empty if it does.
	Known string
}

// Cases returns every row, in order.
func Cases() []Case {
	return slices.Concat(compression(), headers(), entries(), overlays(), archives(), members(), layouts(), manifests(), configs(),
		dockerfiles(), instructions(), output())
}

// Elsewhere are the rows that other tests cover, and where.
func Elsewhere() map[string]string {
	return map[string]string{
		"E1-E3":  "internal/scan/image/source: engines",
		"M5":     "internal/scan/image/source: what a registry calls a document",
		"R1-R11": "internal/scan/image/source: registries",
		"F19":    "cmd/sandbox-audit: how a Dockerfile is opened",
		"Y1-Y9":  "internal/scan/python/pyc: what bytecode may cost, and what it may hold",
	}
}

// Files are the parts of an image: the members of its archive up to the first that
// can't be read, or the files of its layout. They start fuzzing.
func (in Input) Files() [][]byte {
	var out [][]byte
	for _, name := range slices.Sorted(maps.Keys(in.Layout)) {
		out = append(out, in.Layout[name])
	}
	for tr := tar.NewReader(bytes.NewReader(in.Archive)); in.Archive != nil; {
		h, err := tr.Next()
		if err != nil {
			break
		}
		if h.Size > int64(len(in.Archive)) {
			continue // a sparse file
		}
		b, err := io.ReadAll(tr)
		if err != nil {
			break
		}
		out = append(out, b)
	}
	return out
}
