package source

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is what a stream seems to hold.
type Kind uint8

// The kinds of stream.
const (
	Unknown Kind = iota
	Text         // a Dockerfile or a manifest; also an empty stream
	Tar
	Gzip
	Zstd
)

// HeadBytes is how many bytes from the start of a stream Looks can use.
const HeadBytes = 512

// Looks tells an image archive from text by the first bytes of a stream, up to
// HeadBytes.
func Looks(head []byte) Kind {
	head = head[:min(len(head), HeadBytes)]
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b, 0x08}): // RFC 1952
		return Gzip
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}), // RFC 8878
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}):
		return Zstd
	case isTar(head):
		return Tar
	case isText(head):
		return Text
	}
	return Unknown
}

// isTar reports whether head is a tar header, or the zeros that end an archive
// (POSIX.1-2024, pax, "ustar Interchange Format"). The checksum also knows
// archives older than the magic word.
func isTar(head []byte) bool {
	if len(head) < HeadBytes {
		return false
	}
	sum := 8 * int64(' ') // the checksum counts as spaces
	for i, c := range head {
		if i < 148 || i >= 156 {
			sum += int64(c)
		}
	}
	if sum == 8*int64(' ') {
		return head[148] == 0
	}
	field := strings.Trim(string(head[148:156]), " \x00")
	want, err := strconv.ParseInt(field, 8, 64)
	return err == nil && sum == want
}

// isText reports whether head holds text; it may end within a character.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == 0 || r == utf8.RuneError && n == 1 && len(head) >= utf8.UTFMax {
			return false
		}
		head = head[n:]
	}
	return true
}
