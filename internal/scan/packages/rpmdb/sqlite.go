package rpmdb

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A sqlite is a database of SQLite (sqlite.org, "Database File Format"). Of its
// tables only the one of headers is read, and by its order only.
type sqlite struct {
	file
	page   int // bytes of a page
	usable int // bytes of a page that are used
	reads  int // pages that may still be read; in a sound database none is read twice
}

// openSQLite returns nil if f is none.
func openSQLite(f file) reader {
	const magic = "SQLite format 3\x00"
	if len(f.b) < 100 || string(f.b[:len(magic)]) != magic {
		return nil
	}
	db := &sqlite{file: f, page: int(binary.BigEndian.Uint16(f.b[16:]))}
	if db.page == 1 {
		db.page = 1 << 16
	}
	if db.usable = db.page - int(f.b[20]); db.page < 512 || db.usable < 480 {
		return nil
	}
	db.reads = 2 * (len(f.b)/db.page + 1) // the schema and the table each at most once
	return db
}

func (db *sqlite) headers(yield func([]byte, error) bool) {
	root := 0
	db.table(1, 0, func(row []byte, err error) bool {
		if err != nil {
			return yield(nil, err)
		}
		// type, name, tbl_name, rootpage, sql (sqlite.org, "The Schema Table").
		if v, ok := columns(row, 4); ok && string(v[0]) == "table" && string(v[1]) == "Packages" {
			for _, c := range v[3] {
				root = root<<8 | int(c)
			}
		}
		return root == 0
	})
	if root == 0 {
		yield(nil, errors.New("reading an rpm database: it has no table of packages"))
		return
	}
	db.table(root, 0, func(row []byte, err error) bool {
		if err != nil {
			return yield(nil, err)
		}
		v, ok := columns(row, 2) // hnum, blob
		if !ok {
			return yield(nil, errors.New("reading an rpm database: a row of its table of packages is cut short"))
		}
		return yield(v[1], nil)
	})
}

// pageAt returns page n, the first being 1.
func (db *sqlite) pageAt(n int) ([]byte, error) {
	if db.reads--; db.reads < 0 {
		return nil, errBudget
	}
	if n < 1 {
		return nil, fmt.Errorf("reading an rpm database: page %d is not there", n)
	}
	return db.at((n-1)*db.page, db.usable)
}

// Types of a page.
const (
	interiorTable = 5
	leafTable     = 13
)

// maxDepth is more than any tree of a table has.
const maxDepth = 20

// table yields the rows of the table whose tree starts at page n.
func (db *sqlite) table(n, depth int, yield func(row []byte, err error) bool) bool {
	p, err := db.pageAt(n)
	if err == nil && depth > maxDepth {
		err = errBudget
	}
	if err != nil {
		return yield(nil, err) && !errors.Is(err, errBudget)
	}
	head := 0
	if n == 1 {
		head = 100
	}
	start := head + 8
	if p[head] == interiorTable {
		start += 4
	} else if p[head] != leafTable {
		return yield(nil, fmt.Errorf("reading an rpm database: page %d is not of a table", n))
	}
	cells := int(binary.BigEndian.Uint16(p[head+3:]))
	for i := range min(cells, (len(p)-start)/2) {
		at := int(binary.BigEndian.Uint16(p[start+2*i:]))
		if at > len(p)-4 {
			continue
		}
		if p[head] == interiorTable {
			if !db.table(int(binary.BigEndian.Uint32(p[at:])), depth+1, yield) {
				return false
			}
		} else if !yield(db.row(p, at)) {
			return false
		}
	}
	if p[head] == interiorTable {
		return db.table(int(binary.BigEndian.Uint32(p[head+8:])), depth+1, yield)
	}
	return true
}

// row returns the record of a cell of a leaf, put together from the pages that
// follow if it is longer than a page.
func (db *sqlite) row(p []byte, at int) ([]byte, error) {
	size, n := varint(p[at:])
	_, m := varint(p[at+n:]) // the row's id
	at += n + m
	if n == 0 || m == 0 || size > uint64(len(db.b)) {
		return nil, errors.New("reading an rpm database: a row is longer than the file")
	}
	if err := db.spend(int(size)); err != nil {
		return nil, err
	}
	local := db.local(int(size))
	if at+local > len(p) {
		return nil, errors.New("reading an rpm database: a row leaves its page")
	}
	if local == int(size) {
		return p[at : at+local], nil
	}
	if at+local+4 > len(p) {
		return nil, errors.New("reading an rpm database: a row leaves its page")
	}
	out := append(make([]byte, 0, size), p[at:at+local]...)
	next := int(binary.BigEndian.Uint32(p[at+local:]))
	for len(out) < int(size) {
		p, err := db.pageAt(next)
		if err != nil {
			return nil, err
		}
		next = int(binary.BigEndian.Uint32(p))
		out = append(out, p[4:min(len(p), 4+int(size)-len(out))]...)
	}
	return out, nil
}

// local is how many bytes of a record of that size its own page has ("Cell Payload
// Overflow Pages").
func (db *sqlite) local(size int) int {
	most, least := db.usable-35, (db.usable-12)*32/255-23
	if size <= most {
		return size
	}
	if n := least + (size-least)%(db.usable-4); n <= most {
		return n
	}
	return least
}

// columns returns the values of the first n columns of a record ("Record Format").
func columns(row []byte, n int) ([][]byte, bool) {
	size, used := varint(row)
	if used == 0 || size > uint64(len(row)) || size < uint64(used) {
		return nil, false
	}
	head, body := row[used:size], row[size:]
	var out [][]byte
	for range n {
		kind, used := varint(head)
		length := serialSize(kind)
		if used == 0 || length > uint64(len(body)) {
			return nil, false
		}
		out = append(out, body[:length])
		head, body = head[used:], body[length:]
	}
	return out, true
}

// serialSize is how many bytes a value of a serial type has.
func serialSize(kind uint64) uint64 {
	if kind < 12 {
		return [12]uint64{0, 1, 2, 3, 4, 6, 8, 8}[kind]
	}
	return (kind - 12) / 2
}

// varint reads a number of one to nine bytes, and says how many; none if b ends
// before it does.
func varint(b []byte) (v uint64, n int) {
	for n < min(len(b), 9) {
		c := b[n]
		if n++; n == 9 {
			return v<<8 | uint64(c), n
		}
		v = v<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return v, n
		}
	}
	return 0, 0
}
