// Package rpmdb reads the databases in which rpm writes down what it installed, in
// the three formats it has had: SQLite, its own "ndb", and a hash of Berkeley DB. It
// reads them from memory, as the bytes of an image are never written to the host, and
// keeps to what answers the one question asked of them: which package brought which
// file. It never writes, and takes no more time than the size of a database allows,
// whatever it holds.
package rpmdb

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
)

// A Package is what a database holds of one installed package.
type Package struct {
	Name string // without version: "python3-libs"

	files files
}

// A File is a path that a package installs, or declares to be its own.
type File struct {
	Dir  string // absolute, with a slash at its end
	Base string
	Mode fs.FileMode // as the package ships it
}

// Packages yields the packages of the database b, in the order of the file. An error
// says which part could not be read; what is behind it may follow.
func Packages(b []byte) iter.Seq2[Package, error] {
	return func(yield func(Package, error) bool) {
		r, err := open(b)
		if err != nil {
			yield(Package{}, err)
			return
		}
		r.headers(func(blob []byte, err error) bool {
			if err != nil {
				return yield(Package{}, err)
			}
			return yield(parseHeader(blob))
		})
	}
}

// A reader finds the header of each package in one format of database.
type reader interface {
	headers(yield func(blob []byte, err error) bool)
}

func open(b []byte) (reader, error) {
	f := file{b: b, budget: len(b)}
	for _, try := range []func(file) reader{openSQLite, openNDB, openBDB} {
		if r := try(f); r != nil {
			return r, nil
		}
	}
	return nil, errors.New("reading an rpm database: it is in no format that is known")
}

// A file is the bytes of a database.
type file struct {
	b []byte
	// budget is how many bytes headers may still have. In a sound database no two
	// share any, so it ends only where one is made to be read for ever.
	budget int
}

var errBudget = errors.New("reading an rpm database: its parts overlap")

// spend takes n bytes from the budget.
func (f *file) spend(n int) error {
	if n > f.budget {
		return errBudget
	}
	f.budget -= n
	return nil
}

// at returns n bytes of the file.
func (f *file) at(off, n int) ([]byte, error) {
	if off < 0 || n < 0 || off > len(f.b) || n > len(f.b)-off {
		return nil, fmt.Errorf("reading an rpm database: %d bytes at offset %d are not there", n, off)
	}
	return f.b[off : off+n], nil
}
