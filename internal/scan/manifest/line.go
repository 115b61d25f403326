package manifest

import (
	"bytes"
	"encoding/binary"
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// textLines takes a file apart. It may begin with a byte order mark, be in UTF-16 if it
// does (YAML 1.2.2, 5.2), and end its lines as other systems do.
func textLines(text []byte) []string {
	s := string(text)
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		s = fromUTF16(text, binary.LittleEndian)
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		s = fromUTF16(text, binary.BigEndian)
	}
	s = strings.TrimPrefix(s, "\ufeff")
	if !strings.Contains(s, "\n") {
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return strings.Split(s, "\n")
}

func fromUTF16(text []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = order.Uint16(text[2*i:])
	}
	return string(utf16.Decode(units))
}

// unreadable is the line of a document where something stands that is no text, or else
// its first line.
func (p *parser) unreadable(c chunk) int {
	for i, line := range p.lines[c.start:c.end] {
		if !utf8.ValidString(line) || strings.ContainsFunc(strings.TrimRight(line, "\r"), func(r rune) bool { return r != '\t' && r != '\r' && unicode.IsControl(r) }) {
			return c.start + i + 1
		}
	}
	return c.start + 1
}

// tab is the first line from one on that a tab indents, or else that line.
func (p *parser) tab(from int, c chunk) int {
	for i := from - 1; i < c.end; i++ {
		indent := p.lines[i][:len(p.lines[i])-len(strings.TrimLeft(p.lines[i], " \t"))]
		if strings.Contains(indent, "\t") {
			return i + 1
		}
	}
	return from
}

// A line is measured once for all values on it: a whole document may stand in one.
type line struct {
	number int
	text   string
	// Of each character beyond ASCII: the byte behind it, and how many characters and
	// UTF-16 code units there are up to there.
	marks []mark
}

type mark struct{ bytes, chars, units int }

// measure returns a line of the file, which values mostly ask for in order.
func (p *parser) measure(number int) *line {
	if p.line.number == number {
		return &p.line
	}
	p.line = line{number: number, text: strings.TrimRight(p.lines[number-1], "\r")}
	m := mark{}
	for i, r := range p.line.text {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(p.line.text[i:])
		}
		if size == 1 && r < utf8.RuneSelf {
			continue
		}
		m = mark{i + size, m.chars + (i - m.bytes) + 1, m.units + (i - m.bytes) + 1}
		if r > 0xffff {
			m.units++ // a pair of surrogates
		}
		p.line.marks = append(p.line.marks, m)
	}
	return &p.line
}

// offset is the byte at which a character stands, counted from 0.
func (l *line) offset(char int) (int, bool) {
	i := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].chars > char })
	m := mark{}
	if i > 0 {
		m = l.marks[i-1]
	}
	at := m.bytes + char - m.chars
	return at, char >= 0 && at < len(l.text)
}

// units is how many UTF-16 code units stand before a byte.
func (l *line) units(offset int) int {
	i := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].bytes > offset })
	m := mark{}
	if i > 0 {
		m = l.marks[i-1]
	}
	return m.units + offset - m.bytes
}
