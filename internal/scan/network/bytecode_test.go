package network

import (
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// A file may load constants and their names over and over; how many of these are looked
// at is bounded.
func TestNamesOfConstants(t *testing.T) {
	names := make(pyc.Tuple, 1000)
	for i := range names {
		names[i] = pyc.Text("n")
	}
	names[0] = pyc.Text("API_URL")
	for loads, want := range map[int]int{1: 1, 10 * maxAsked / len(names): 0} {
		l := loaded{code: &pyc.Code{Constants: []pyc.Constant{names, pyc.Text("http://api.corp.net")}}}
		for range len(names) {
			l.load(pyc.Text("x"))
		}
		for range loads - 1 {
			l.keywords(names)
		}
		l.run[0] = pyc.Text("http://api.corp.net")
		if l.keywords(names); len(l.out) != want {
			t.Errorf("loaded %d times: got %v, want %d", loads, l.out, want)
		}
	}
}
