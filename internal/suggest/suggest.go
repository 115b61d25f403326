// Package suggest guesses what a mistyped word was meant to be.
package suggest

import "strings"

// Nearest returns the option closest to word, and "" if none is close: at most
// one edit for every three letters, so none for a word of two. Case does not count.
func Nearest(word string, options []string) string {
	best, least := "", len(word)/3+1
	for _, o := range options {
		if d := distance(strings.ToLower(word), strings.ToLower(o)); d < least {
			best, least = o, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes, with a swap of neighbours
// counted as one edit.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
