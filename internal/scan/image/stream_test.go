package image

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// noise is n bytes that no compression makes smaller, always the same.
func noise(n int) string {
	b := make([]byte, n)
	rand.New(rand.NewSource(1)).Read(b)
	return string(b)
}

// A layer yields the same on one core and on several, whole or broken anywhere.
func TestLayerApart(t *testing.T) {
	plain := tarOf(t, "a", noise(3*chunkBytes), "b", "text", "c", noise(chunkBytes/2), "d", "")
	for name, stored := range map[string][]byte{"plain": plain, "gzip": gz(plain), "zstd": zst(t, plain)} {
		for at := 0; at <= len(stored); at += 30011 {
			broken := bytes.Clone(stored)
			if at < len(stored) {
				broken[at] ^= 0x40
			}
			for what, in := range map[string]func() io.Reader{
				"flipped": func() io.Reader { return bytes.NewReader(broken) },
				"cut":     func() io.Reader { return bytes.NewReader(stored[:at]) },
				"failing": func() io.Reader {
					return io.MultiReader(bytes.NewReader(stored[:at]), iotest.ErrReader(errors.New("connection reset")))
				},
			} {
				one := NewScanner(nil, limits.Default()).layer(t.Context(), "test", in(), false)
				several := NewScanner(nil, limits.Default()).layer(t.Context(), "test", in(), true)
				if !reflect.DeepEqual(one, several) {
					t.Fatalf("%s %s at %d:\n%+v\n%+v", name, what, at, one, several)
				}
			}
		}
	}
}

// A body that nobody reads and that ends early is not taken for the archive's end.
func TestSkippedBodyEndsEarly(t *testing.T) {
	plain := tarOf(t, "a", noise(3*chunkBytes))
	for _, n := range []int{512, 513, 600, chunkBytes, chunkBytes + 1, 3*chunkBytes + 511} {
		c := scan(t, limits.Default(), bytes.NewReader(plain[:n]))
		if len(c.Problems) != 1 || c.Problems[0].Kind != NotAudited || len(c.events) != 1 {
			t.Errorf("cut at %d: %d entries, %v", n, len(c.events), c.Problems)
		}
	}
}

// What goes wrong in a reader's own goroutine comes out where it is read.
func TestReadAhead(t *testing.T) {
	text := noise(10*chunkBytes + 17)
	end := errors.New("the end")
	a := newReadAhead(io.MultiReader(iotest.HalfReader(strings.NewReader(text)), iotest.ErrReader(end)))
	got, err := io.ReadAll(a)
	if string(got) != text || !errors.Is(err, end) {
		t.Errorf("read %d bytes of %d, %v", len(got), len(text), err)
	}
	if _, err := a.Read(make([]byte, 1)); !errors.Is(err, end) {
		t.Errorf("reading on: %v", err)
	}
	a.Close()

	a = newReadAhead(iotest.DataErrReader(strings.NewReader(strings.Repeat("x", 100*chunkBytes))))
	if _, err := io.ReadFull(a, make([]byte, 5)); err != nil {
		t.Error(err)
	}
	a.Close() // ends the reading although most was not read
}

func TestReadAheadPanics(t *testing.T) {
	defer func() {
		if v := fmt.Sprint(recover()); v != "a defect" {
			t.Errorf("panic: %v", v)
		}
	}()
	a := newReadAhead(panicking{})
	defer a.Close()
	_, _ = a.Read(make([]byte, 1)) // panics
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("a defect") }
