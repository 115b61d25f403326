package rpmdb

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A bdb is a hash of Berkeley DB, whose values are headers (Berkeley DB,
// "src/dbinc/db_page.h"). Which key a value belongs to does not matter here, so its
// pages are read as they come.
type bdb struct {
	file
	order binary.ByteOrder
	page  int // bytes
}

// What pages are, and what the items of a page of a hash are.
const (
	bdbUnsorted = 2
	bdbOverflow = 7
	bdbMeta     = 8
	bdbHash     = 13

	bdbInline   = 1
	bdbOffPage  = 3
	bdbPageHead = 26 // bytes
)

// openBDB returns nil if f is none.
func openBDB(f file) reader {
	const magic = 0x061561
	if len(f.b) < 512 || f.b[25] != bdbMeta {
		return nil
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint32(f.b[12:]) != magic {
			continue
		}
		if page := order.Uint32(f.b[20:]); page >= 512 && page <= 1<<16 {
			return &bdb{f, order, int(page)}
		}
	}
	return nil
}

func (db *bdb) headers(yield func([]byte, error) bool) {
	for off := db.page; off+db.page <= len(db.b); off += db.page {
		p := db.b[off : off+db.page]
		if p[25] != bdbHash && p[25] != bdbUnsorted {
			continue
		}
		for i := 1; i < int(db.order.Uint16(p[20:])); i += 2 { // keys and values take turns
			item := db.item(p, i)
			if len(item) < 8 {
				continue // the number that the next package gets
			}
			blob, err := db.value(item)
			if !yield(blob, err) || errors.Is(err, errBudget) {
				return
			}
		}
	}
}

// item returns item i of a page; items stand from its end, the first one last.
func (db *bdb) item(p []byte, i int) []byte {
	at := bdbPageHead + 2*i
	if at+2 > len(p) {
		return nil
	}
	from, to := int(db.order.Uint16(p[at:])), int(db.order.Uint16(p[at-2:]))
	if from >= to || to > len(p) {
		return nil
	}
	return p[from:to]
}

// value returns the bytes of an item: those in it, or those of the pages it leads to.
func (db *bdb) value(item []byte) ([]byte, error) {
	switch {
	case item[0] == bdbInline:
		return item[1:], db.spend(len(item))
	case item[0] != bdbOffPage || len(item) < 12:
		return nil, errors.New("reading an rpm database: a value is of no kind that is known")
	}
	size := int(db.order.Uint32(item[8:]))
	if err := db.spend(size); err != nil {
		return nil, err
	}
	out := make([]byte, 0, size)
	for next := int(db.order.Uint32(item[4:])); next != 0 && len(out) < size; {
		p, err := db.at(next*db.page, db.page)
		if err != nil {
			return nil, err
		}
		n := int(db.order.Uint16(p[22:]))
		if p[25] != bdbOverflow || n == 0 || n > db.page-bdbPageHead {
			return nil, fmt.Errorf("reading an rpm database: page %d is no part of a header", next)
		}
		out = append(out, p[bdbPageHead:bdbPageHead+n]...)
		next = int(db.order.Uint32(p[16:]))
	}
	return out, nil
}
