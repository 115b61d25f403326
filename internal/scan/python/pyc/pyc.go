// Package pyc decodes the bytecode files of CPython 3.6 to 3.15: the header, the
// code objects that marshal stored behind it, and their instructions, lines and
// exception tables as the dis module of that version shows them. It gives no
// instruction a meaning.
//
// It promises to end on any input, in time and memory in proportion to the input,
// without a panic. References make a graph of what looks like a tree: who walks
// constants must bound the walk (see Constant).
package pyc

import (
	"errors"
	"fmt"
)

// A File is a decoded bytecode file.
type File struct {
	Header  Header
	Version Version // that wrote it
	Code    *Code   // of the module
}

// Limits bound what is decoded of one file.
type Limits struct {
	Nesting int // of objects in one another
	Objects int // counted as stored
}

// DefaultLimits are well above what any compiler writes. CPython itself refuses
// objects that nest deeper than 2000 (Python/marshal.c, MAX_MARSHAL_STACK_DEPTH).
func DefaultLimits() Limits { return Limits{Nesting: 500, Objects: 1_000_000} }

// ErrLimit is the error of what is over a limit. It says nothing about what CPython
// makes of the file.
var ErrLimit = errors.New("it is nested too deeply or holds too many objects to be read")

// ErrVersion is the error of what no known release of CPython wrote.
var ErrVersion = errors.New("its version of Python is not understood")

// Read decodes a bytecode file. What stands behind the code is ignored, as CPython
// does. The error is ErrVersion, ErrLimit, or what keeps CPython from loading the
// file. b is not kept.
func Read(b []byte, l Limits) (*File, error) {
	h := ReadHeader(b)
	v := h.Version()
	if v == 0 {
		return nil, fmt.Errorf("reading %s: %w", h, ErrVersion)
	}
	r := &reader{rest: string(b[h.size():]), version: v, limits: l}
	c, ok := r.object().(*Code)
	if r.err == nil && !ok {
		r.err = errNotCode
	}
	if r.err != nil {
		return nil, r.err
	}
	return &File{Header: h, Version: v, Code: c}, nil
}
