package image

import (
	"bytes"
	"fmt"
	"iter"
	"reflect"
)

// A Probe reads the bytes of the files it wants while their layer streams by,
// and keeps one small fact of type T per file version. Probes are compared by
// address: whoever shares one shares its work.
type Probe[T any] struct {
	// Name and Version identify what the probe finds; a change of meaning is a
	// new version.
	Name    string
	Version int
	// Want picks files by their header alone. Only regular files are offered.
	Want func(Entry) bool
	// Head, if not 0, is how many bytes from the file's start suffice.
	Head int64
	// Whole is true if a part of the content does not do: files over the limit for one
	// are then read up to the memory that all share.
	Whole bool
	// Needles, if any, are literals of which the content must hold one: the
	// cheap test that keeps Read, and its regular expressions, off most bytes.
	Needles []string
	// Read turns content into a fact; ok is false if there is none. It runs
	// concurrently with other Reads and must not keep or alias b, which ends
	// early if the file is over the limit for content. T is plain data, which a
	// cache can keep: structs, slices and maps of numbers and strings.
	Read func(e Entry, b []byte) (v T, ok bool)
	// Scan, if set, takes the place of Read, Head and Needles: it is given content of
	// any size, window by window, and what it kept so far of the same file (the zero T
	// at first). ok is false while there is no fact. It must not keep or alias w.Bytes.
	Scan func(e Entry, w Window, sofar T) (v T, ok bool)
}

// A Reader is a Probe of any type.
type Reader interface {
	// ID is the probe's name and version: "passwd@1".
	ID() string

	want(*Entry) bool
	head() int64
	whole() bool
	read(Entry, []byte) (any, bool)
	scans() bool
	scan(e Entry, w Window, sofar any) any
	codec() (codec, error)
}

type fact struct {
	by  Reader
	val any
}

// ID is the probe's name and version: "passwd@1".
func (p *Probe[T]) ID() string { return fmt.Sprintf("%s@%d", p.Name, p.Version) }

// Of returns what the probe kept of f. A hard link has the facts of the file
// whose content it shares.
func (p *Probe[T]) Of(f *File) (v T, ok bool) {
	for f != nil && f.Original != nil {
		f = f.Original
	}
	if f == nil {
		return v, false
	}
	for _, x := range f.facts {
		if x.by == Reader(p) {
			return x.val.(T), true
		}
	}
	return v, false
}

// Facts yields the files the probe had something to say about, oldest layer first.
func (p *Probe[T]) Facts(img *Image) iter.Seq2[*File, T] {
	return func(yield func(*File, T) bool) {
		for f := range img.Files() {
			if v, ok := p.Of(f); ok && !yield(f, v) {
				return
			}
		}
	}
}

func (p *Probe[T]) want(e *Entry) bool { return p.Want(*e) }

func (p *Probe[T]) head() int64 { return p.Head }

func (p *Probe[T]) whole() bool { return p.Whole }

func (p *Probe[T]) codec() (codec, error) { return codecOf(reflect.TypeFor[T]()) }

func (p *Probe[T]) read(e Entry, b []byte) (any, bool) {
	if p.Head > 0 && int64(len(b)) > p.Head {
		b = b[:p.Head]
	}
	if len(p.Needles) > 0 && !containsAny(b, p.Needles) {
		return nil, false
	}
	return p.Read(e, b)
}

func (p *Probe[T]) scans() bool { return p.Scan != nil }

// scan returns what is kept after another window; nil if nothing is.
func (p *Probe[T]) scan(e Entry, w Window, sofar any) any {
	before, _ := sofar.(T)
	if v, ok := p.Scan(e, w, before); ok {
		return v
	}
	return nil
}

func containsAny(b []byte, needles []string) bool {
	for _, n := range needles {
		if bytes.Contains(b, []byte(n)) {
			return true
		}
	}
	return false
}
