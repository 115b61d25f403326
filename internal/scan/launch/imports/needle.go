package imports

import (
	"bytes"
	"encoding/binary"
)

// words finds whether a text holds one of several words, in one pass that looks at
// about every fourth byte (Wu and Manber, "A fast algorithm for multi-pattern
// searching", 1994, with blocks of two bytes).
type words struct {
	all      [][]byte
	shortest int
	shift    [1 << 16]uint8 // how far the window may move, by its last two bytes
}

// newWords prepares the search for words of two bytes at least.
func newWords(all ...string) *words {
	w := &words{shortest: len(all[0])}
	for _, s := range all {
		w.all = append(w.all, []byte(s))
		w.shortest = min(w.shortest, len(s))
	}
	for i := range w.shift {
		w.shift[i] = uint8(w.shortest - 1)
	}
	for _, s := range w.all {
		for end := 2; end <= w.shortest; end++ {
			b := block(s, end)
			w.shift[b] = min(w.shift[b], uint8(w.shortest-end))
		}
	}
	return w
}

func block(b []byte, end int) uint16 { return binary.LittleEndian.Uint16(b[end-2:]) }

// in reports whether b holds one of the words.
func (w *words) in(b []byte) bool {
	for end := w.shortest; end <= len(b); {
		if n := w.shift[block(b, end)]; n > 0 {
			end += int(n)
			continue
		}
		for _, s := range w.all {
			if bytes.HasPrefix(b[end-w.shortest:], s) {
				return true
			}
		}
		end++
	}
	return false
}
