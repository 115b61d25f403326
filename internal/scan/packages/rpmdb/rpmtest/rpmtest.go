// Package rpmtest writes databases of rpm for tests, in each format that rpm has had.
package rpmtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Database is a database of rpm in one of its formats: "sqlite", "ndb" or "bdb". What it
// holds is given as lines of a letter, a colon and a value: P names a package, F a
// directory, R a file in it, and a the owner, group and octal mode of that file.
func Database(format, records string) (string, error) {
	headers, err := rpmHeaders(records)
	if err != nil {
		return "", err
	}
	switch format {
	case "sqlite":
		return rpmSQLite(headers), nil
	case "ndb":
		return rpmNDB(headers), nil
	case "bdb":
		return rpmBDB(headers), nil
	}
	return "", fmt.Errorf("%s: no format of rpm", format)
}

// rpmHeaders makes the header of each package.
func rpmHeaders(records string) ([]string, error) {
	var all []*rpmHeader
	for line := range strings.Lines(records) {
		field, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if field == "P" {
			all = append(all, &rpmHeader{name: value})
			continue
		}
		if !ok || len(all) == 0 {
			return nil, fmt.Errorf("rpm record %q: no package before it", line)
		}
		h := all[len(all)-1]
		switch field {
		case "F":
			h.dirs = append(h.dirs, "/"+strings.Trim(value, "/")+"/")
		case "R":
			h.bases, h.indexes, h.modes = append(h.bases, value), append(h.indexes, uint32(len(h.dirs)-1)), append(h.modes, 0o100644)
		case "a":
			mode, err := strconv.ParseUint(value[strings.LastIndexByte(value, ':')+1:], 8, 16)
			if err != nil || len(h.modes) == 0 {
				return nil, fmt.Errorf("rpm record %q: no mode of a file", line)
			}
			h.modes[len(h.modes)-1] = 0o100000 | uint16(mode)
		}
	}
	var out []string
	for _, h := range all {
		out = append(out, h.encode())
	}
	return out, nil
}

type rpmHeader struct {
	name        string
	dirs, bases []string
	indexes     []uint32
	modes       []uint16
}

// encode writes a header as databases have it (rpm, "docs/manual/format_header.md").
func (h *rpmHeader) encode() string {
	var index, data bytes.Buffer
	add := func(tag, kind uint32, count int, b []byte) {
		_ = binary.Write(&index, binary.BigEndian, []uint32{tag, kind, uint32(data.Len()), uint32(count)}) // to memory
		data.Write(b)
		data.Write(make([]byte, -data.Len()&3))
	}
	texts := func(list []string) []byte { return []byte(strings.Join(list, "\x00") + "\x00") }
	add(1000, 6, 1, texts([]string{h.name}))
	if len(h.bases) > 0 {
		modes, _ := binary.Append(nil, binary.BigEndian, h.modes)
		indexes, _ := binary.Append(nil, binary.BigEndian, h.indexes)
		add(1030, 3, len(h.modes), modes)
		add(1116, 4, len(h.indexes), indexes)
		add(1117, 8, len(h.bases), texts(h.bases))
		add(1118, 8, len(h.dirs), texts(h.dirs))
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(index.Len()/16))
	return string(binary.BigEndian.AppendUint32(head, uint32(data.Len()))) + index.String() + data.String()
}

// rpmSQLite makes pages of 512 bytes (sqlite.org, "Database File Format"): the
// schema, a root with a leaf for each package, and what does not fit into a leaf.
func rpmSQLite(headers []string) string {
	const size = 512
	varint := func(n int) string {
		return string([]byte{byte(n>>21&127 | 128), byte(n>>14&127 | 128), byte(n>>7&127 | 128), byte(n & 127)})
	}
	text := func(s string) int { return 13 + 2*len(s) }
	const sql = "CREATE TABLE 'Packages' (hnum INTEGER PRIMARY KEY, blob BLOB NOT NULL)"
	row := string([]byte{7, byte(text("table")), byte(text("Packages")), byte(text("Packages")), 1}) + varint(text(sql))[2:] + "tablePackagesPackages\x02" + sql
	row = string([]byte{byte(len(row)), 1}) + row

	pages := []string{"", ""} // the schema and the root, made last
	var leaves []uint32
	for i, h := range headers {
		record := string([]byte{6, 0}) + varint(12+2*len(h)) + h
		leaves = append(leaves, uint32(len(pages)+1))
		local := len(record)
		if local > size-35 {
			if local = 39 + (local-39)%(size-4); local > size-35 { // (512-12)*32/255-23
				local = 39
			}
		}
		cell := varint(len(record)) + string([]byte{byte(i + 1)}) + record[:local]
		if rest := record[local:]; rest != "" {
			cell += string(binary.BigEndian.AppendUint32(nil, uint32(len(pages)+2)))
			pages = append(pages, sqlitePage(0, 13, 0, cell))
			for rest != "" {
				n := min(len(rest), size-4)
				next := uint32(len(pages) + 2)
				if n == len(rest) {
					next = 0
				}
				pages = append(pages, string(binary.BigEndian.AppendUint32(nil, next))+rest[:n]+strings.Repeat("\x00", size-4-n))
				rest = rest[n:]
			}
			continue
		}
		pages = append(pages, sqlitePage(0, 13, 0, cell))
	}
	if len(leaves) == 0 {
		pages[1] = sqlitePage(0, 13, 0)
	} else {
		var cells []string
		for i, p := range leaves[:len(leaves)-1] {
			cells = append(cells, string(binary.BigEndian.AppendUint32(nil, p))+string([]byte{byte(i + 1)}))
		}
		pages[1] = sqlitePage(0, 5, leaves[len(leaves)-1], cells...)
	}
	magic := "SQLite format 3\x00\x02\x00\x01\x01\x00\x40\x20\x20"
	pages[0] = magic + sqlitePage(100, 13, 0, row)[len(magic):]
	return strings.Join(pages, "")
}

// sqlitePage makes a page of a table's tree: cells stand at its end.
func sqlitePage(head int, kind byte, right uint32, cells ...string) string {
	p := make([]byte, 512)
	p[head] = kind
	binary.BigEndian.PutUint16(p[head+3:], uint16(len(cells)))
	at, to := head+8, len(p)
	if kind == 5 {
		binary.BigEndian.PutUint32(p[head+8:], right)
		at += 4
	}
	for i, c := range cells {
		to -= len(c)
		copy(p[to:], c)
		binary.BigEndian.PutUint16(p[at+2*i:], uint16(to))
	}
	return string(p)
}

// rpmNDB makes a page of slots, then the headers (rpm, "lib/backend/ndb/rpmpkg.c").
func rpmNDB(headers []string) string {
	word := func(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
	slots := "RpmP" + word(0) + word(1) + word(1) + word(len(headers)+1) + strings.Repeat("\x00", 12)
	blobs := ""
	for i, h := range headers {
		blob := "BlbS" + word(i+1) + word(1) + word(len(h)) + h
		blob += strings.Repeat("\x00", -(len(blob)+12)&15) + word(0) + word(len(h)) + "BlbE"
		slots += "Slot" + word(i+1) + word((4096+len(blobs))/16) + word(len(blob)/16)
		blobs += blob
	}
	for len(slots) < 4096 {
		slots += "Slot" + strings.Repeat("\x00", 12)
	}
	return slots + blobs
}

// rpmBDB makes pages of 512 bytes: one that describes the file, and for each package
// one of a hash and those that hold its header (Berkeley DB, "src/dbinc/db_page.h").
func rpmBDB(headers []string) string {
	const size, head = 512, 26
	le := binary.LittleEndian
	page := func(kind byte) []byte {
		p := make([]byte, size)
		p[25] = kind
		return p
	}
	meta := page(8)
	le.PutUint32(meta[12:], 0x061561)
	le.PutUint32(meta[20:], size)
	out := meta
	for i, h := range headers {
		key, value := append([]byte{1}, le.AppendUint32(nil, uint32(i+1))...), append([]byte{1}, h...)
		if len(value) > size/4 {
			value = le.AppendUint32(le.AppendUint32([]byte{3, 0, 0, 0}, uint32(len(out)/size+1)), uint32(len(h)))
		}
		p := page(13)
		le.PutUint16(p[20:], 2)
		from := size - len(key)
		copy(p[from:], key)
		le.PutUint16(p[head:], uint16(from))
		from -= len(value)
		copy(p[from:], value)
		le.PutUint16(p[head+2:], uint16(from))
		out = append(out, p...)
		for rest := h; value[0] == 3 && rest != ""; {
			p, n := page(7), min(len(rest), size-head)
			if n < len(rest) {
				le.PutUint32(p[16:], uint32(len(out)/size+1))
			}
			le.PutUint16(p[22:], uint16(n))
			copy(p[head:], rest[:n])
			out, rest = append(out, p...), rest[n:]
		}
	}
	return string(out)
}
