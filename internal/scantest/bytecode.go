package scantest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
)

// Bytecode is a bytecode file that begins with a magic number of CPython 3.8 to
// 3.14 and holds a module that does nothing. file is the path of its source as the
// compiler was told; an optional docstring follows.
func Bytecode(magic uint16, file string, docstring ...string) string {
	const first311, none = 3450, "N"
	text := func(s string) string { return "u" + word(len(s)) + s }
	octets := func(s string) string { return "s" + word(len(s)) + s }
	list := func(items ...string) string {
		b := ")" + string([]byte{byte(len(items))})
		for _, s := range items {
			b += s
		}
		return b
	}
	constants, names := list(none), list()
	if len(docstring) > 0 {
		constants, names = list(text(docstring[0]), none), list(text("__doc__"))
	}
	head := string(binary.LittleEndian.AppendUint16(nil, magic)) + "\r\n" + word(0) + word(0) + word(0)
	if magic < first311 {
		return head + "c" + word(0) + word(0) + word(0) + word(0) + word(1) + word(0x40) +
			octets("d\x00S\x00") + constants + names + list() + list() + list() + text(file) + text("<module>") + word(1) + octets("")
	}
	return head + "c" + word(0) + word(0) + word(0) + word(1) + word(0) +
		octets("\x97\x00d\x00S\x00") + constants + names + list() + octets("") +
		text(file) + text("<module>") + text("<module>") + word(1) + octets("") + octets("")
}

// word is a number as marshal stores it.
func word(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }

// Zip is a zip file of members that are given as name and content in turn.
func Zip(members ...string) (string, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i+1 < len(members); i += 2 {
		f, err := w.Create(members[i])
		if err != nil {
			return "", fmt.Errorf("making %s: %w", members[i], err)
		}
		if _, err := f.Write([]byte(members[i+1])); err != nil {
			return "", fmt.Errorf("making %s: %w", members[i], err)
		}
	}
	err := w.Close()
	return b.String(), err
}

// Tarball is the same as a compressed tar file.
func Tarball(members ...string) (string, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i+1 < len(members); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: members[i], Mode: 0o644, Size: int64(len(members[i+1]))}); err != nil {
			return "", fmt.Errorf("making %s: %w", members[i], err)
		}
		if _, err := w.Write([]byte(members[i+1])); err != nil {
			return "", fmt.Errorf("making %s: %w", members[i], err)
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	err := z.Close()
	return b.String(), err
}
