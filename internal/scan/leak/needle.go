package leak

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

// A filter finds where in content a pattern's needle stands, at a few bytes a
// nanosecond, by three facts: credentials are runs of letters, digits and a few signs
// longer than most words; so every so many bytes one look tells that there is none;
// and in what is left few places begin like a needle.
type filter struct {
	prints   [1 << printBits / 64]uint64 // of the first three bytes of needles
	needles  map[uint32][]needle         // by their heads
	literals []needle                    // of several words, which no run is: looked for one by one
}

type needle struct {
	text    []byte // lower case if the pattern folds
	pattern *secret.Pattern
}

// A place is a needle's, in content.
type place struct {
	at      int
	pattern *secret.Pattern
}

const (
	printBits = 16
	// shortest is the length of the shortest run that a filter finds for sure: that of
	// the shortest credential with a form of its own.
	shortest = 16
	word     = 8
	stride   = shortest - word + 1
	// lookBack is how far before a value the name that makes it a credential may begin.
	lookBack = 64
)

func newFilter(patterns []*secret.Pattern) *filter {
	f := &filter{needles: map[uint32][]needle{}}
	for _, p := range patterns {
		for _, text := range p.Needles {
			n := needle{[]byte(text), p}
			if strings.Contains(text, " ") {
				f.literals = append(f.literals, n)
				continue
			}
			h := head(n.text, 0)
			f.needles[h] = append(f.needles[h], n)
			f.mark([3]byte(n.text[:3]), p.Fold)
		}
	}
	return f
}

// head is the first three bytes of a needle, or of what may be one, in lower case.
func head(b []byte, i int) uint32 {
	return uint32(b[i]|' ')<<16 | uint32(b[i+1]|' ')<<8 | uint32(b[i+2]|' ')
}

// mark sets the fingerprint of a needle's beginning, in each case of its letters if
// fold.
func (f *filter) mark(h [3]byte, fold bool) {
	for bits := range 8 {
		h := h
		for i := range h {
			if bits>>i&1 != 0 && 'a' <= h[i] && h[i] <= 'z' {
				h[i] -= 'a' - 'A'
			}
		}
		if p := fingerprint(h[:], 0); fold || bits == 0 {
			f.prints[p/64] |= 1 << (p % 64)
		}
	}
}

func fingerprint(b []byte, i int) uint32 {
	return (uint32(b[i])*0x9E5 ^ uint32(b[i+1])<<7 ^ uint32(b[i+2])) & (1<<printBits - 1)
}

// inRun are the characters of runs: those of Base64, of words, and of URLs with a
// password as far as they are common there.
var inRun = table("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:=@%~?&$")

func table(chars string) (t [256]bool) {
	for i := range len(chars) {
		t[chars[i]] = true
	}
	return t
}

// Bytes in parallel: seven bits of each, and the eighth to borrow from (H. S. Warren,
// "Hacker's Delight", 6-1).
const (
	ones   = 0x0101010101010101
	tops   = 0x8080808080808080
	lowest = '$' // of all inRun
)

// find returns the places of needles in b[from:to], in no order. Outside of text only
// what has a form of its own counts, not what a name before it tells.
func (f *filter) find(b []byte, from, to int, text bool) []place {
	var out []place
	for _, n := range f.literals {
		out = n.index(b[:min(len(b), to+len(n.text))], from, out)
	}
	done := from
	end := min(len(b), to+lookBack+shortest) - word
	for i := max(0, from-shortest); i <= end; {
		w := binary.LittleEndian.Uint64(b[i:])
		if ((w-ones*lowest)&^w|w)&tops != 0 { // one of them is below lowest, or no ASCII
			i += stride
			continue
		}
		l, r, digits := around(b, i)
		if r-l >= shortest {
			if text && (digits > 1 || r-l >= 2*shortest) {
				l = max(0, l-lookBack)
			}
			out = f.verify(b, max(l, done), min(r, to), out)
			done = max(done, min(r, to))
		}
		i = max(r, i+1)
	}
	return out
}

// around returns the run that b[i] is in, and how many digits are in it.
func around(b []byte, i int) (l, r, digits int) {
	l, r = i, i
	for ; l > 0 && i-l < lookBack && inRun[b[l-1]]; l-- {
		digits += isDigit(b[l-1])
	}
	for ; r < len(b) && inRun[b[r]]; r++ {
		digits += isDigit(b[r])
	}
	return l, r, digits
}

func isDigit(c byte) int {
	if c-'0' < 10 {
		return 1
	}
	return 0
}

// verify adds the needles that begin in b[from:to].
func (f *filter) verify(b []byte, from, to int, out []place) []place {
	to = min(to, len(b)-2)
	for i := from; i < to; i++ {
		if p := fingerprint(b, i); f.prints[p/64]&(1<<(p%64)) != 0 {
			out = f.at(b, i, out)
		}
	}
	return out
}

func (f *filter) at(b []byte, i int, out []place) []place {
	for _, n := range f.needles[head(b, i)] {
		if len(b)-i < len(n.text) {
			continue
		}
		if have := b[i : i+len(n.text)]; bytes.Equal(have, n.text) || n.pattern.Fold && bytes.EqualFold(have, n.text) {
			out = append(out, place{i, n.pattern})
		}
	}
	return out
}

// index adds the places of a literal that begins at from or behind. It goes by the
// letter that content has least of.
func (n needle) index(b []byte, from int, out []place) []place {
	k := rarest(n.text)
	for i := from + k; i < len(b); i++ {
		j := bytes.IndexByte(b[i:], n.text[k])
		if j < 0 {
			break
		}
		i += j
		if bytes.HasPrefix(b[i-k:], n.text) {
			out = append(out, place{i - k, n.pattern})
		}
	}
	return out
}

// rarest is where the character of text stands that is least common in programs and
// prose.
func rarest(text []byte) int {
	for _, c := range "QZJXKVWYHqzjxkvwy" {
		if i := bytes.IndexRune(text, c); i >= 0 {
			return i
		}
	}
	return 0
}
