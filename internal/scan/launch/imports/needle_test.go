package imports

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWords compares the search with one word after the other.
func TestWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = "setuidgropn_"[r.IntN(12)]
		}
		return b
	}
	found := 0
	for range 20_000 {
		b := text(r.IntN(60))
		if r.IntN(3) == 0 {
			at, word := r.IntN(len(b)+1), needles.all[r.IntN(len(needles.all))]
			b = slices.Concat(b[:at], word[:len(word)-r.IntN(2)], b[at:])
		}
		want := slices.ContainsFunc(needles.all, func(word []byte) bool { return bytes.Contains(b, word) })
		if got := needles.in(b); got != want {
			t.Fatalf("%q: %v, want %v", b, got, want)
		}
		if want {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d texts held a word", found)
	}
}
