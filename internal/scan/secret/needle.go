package secret

import "sync"

// An index finds needles in short texts: one look at each byte and the two behind it
// says whether any needle can begin there.
type index struct {
	heads   [1 << 16 / 64]uint64 // a set of fingerprints
	needles map[uint32][]needle  // by their first three bytes
}

type needle struct {
	text    string
	pattern *Pattern
}

var values = sync.OnceValue(func() *index {
	x := &index{needles: map[uint32][]needle{}}
	for _, p := range patterns() {
		if p.Generic {
			continue // of a value, the name is known, and of a text, InText finds names
		}
		for _, text := range p.Needles {
			h := head(text, 0)
			x.needles[h] = append(x.needles[h], needle{text, p})
			x.heads[slot(h)/64] |= 1 << (slot(h) % 64)
		}
	}
	return x
})

// head is the three bytes at i, in lower case.
func head(s string, i int) uint32 {
	return uint32(s[i]|0x20)<<16 | uint32(s[i+1]|0x20)<<8 | uint32(s[i+2]|0x20)
}

func slot(head uint32) uint32 { return head * 0x9E3779B1 >> 16 }

// each calls f for each needle in text, in their order.
func (x *index) each(text string, f func(p *Pattern, at int)) {
	for i := range max(0, len(text)-2) {
		h := head(text, i)
		if x.heads[slot(h)/64]&(1<<(slot(h)%64)) == 0 {
			continue
		}
		for _, n := range x.needles[h] {
			if has(text[i:], n.text, n.pattern.Fold) {
				f(n.pattern, i)
			}
		}
	}
}

// has reports whether text begins with needle, which is in lower case if fold.
func has(text, needle string, fold bool) bool {
	if len(text) < len(needle) {
		return false
	}
	for i := range len(needle) {
		c := text[i]
		if fold && upper(c) {
			c |= 0x20
		}
		if c != needle[i] {
			return false
		}
	}
	return true
}
