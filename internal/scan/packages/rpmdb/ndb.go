package rpmdb

import (
	"encoding/binary"
	"errors"
)

// An ndb is a database of rpm's own format: pages of slots, each of which says in
// which blocks a package's header lies (rpm, "lib/backend/ndb/rpmpkg.c").
type ndb struct {
	file
	slots []byte
}

const (
	ndbPage  = 4096
	ndbSlot  = 16
	ndbBlock = 16
	ndbHead  = 32 // bytes of the file's own header, where two slots would be
)

// openNDB returns nil if f is none.
func openNDB(f file) reader {
	if len(f.b) < ndbHead || string(f.b[:4]) != "RpmP" || binary.LittleEndian.Uint32(f.b[4:]) != 0 {
		return nil
	}
	end := min(uint64(binary.LittleEndian.Uint32(f.b[12:]))*ndbPage, uint64(len(f.b)))
	return &ndb{f, f.b[ndbHead:max(end, ndbHead)]}
}

func (db *ndb) headers(yield func([]byte, error) bool) {
	for s := db.slots; len(s) >= ndbSlot; s = s[ndbSlot:] {
		if string(s[:4]) != "Slot" || binary.LittleEndian.Uint32(s[4:]) == 0 {
			continue // free
		}
		blob, err := db.blob(int(binary.LittleEndian.Uint32(s[8:])) * ndbBlock)
		if !yield(blob, err) || errors.Is(err, errBudget) {
			return
		}
	}
}

// blob returns what is stored at off: magic, number, generation, length, then the
// bytes.
func (db *ndb) blob(off int) ([]byte, error) {
	head, err := db.at(off, ndbBlock)
	if err != nil {
		return nil, err
	}
	if string(head[:4]) != "BlbS" {
		return nil, errors.New("reading an rpm database: a slot leads to no header")
	}
	n := int(binary.LittleEndian.Uint32(head[12:]))
	if err := db.spend(n); err != nil {
		return nil, err
	}
	return db.at(off+ndbBlock, n)
}
