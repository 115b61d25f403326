package image

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A counted blob tells how many of its bytes were read.
func counted(blob Blob, stored []byte, n *int) Blob {
	blob.Size = int64(len(stored))
	blob.Open = func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(io.TeeReader(bytes.NewReader(stored), counter{n})), nil
	}
	return blob
}

type counter struct{ n *int }

func (c counter) Write(p []byte) (int, error) {
	*c.n += len(p)
	return len(p), nil
}

// What another image of the run had as a layer is not decoded again, and a registry
// is not asked for it; but stored bytes that only claim to be it are read.
func TestKnown(t *testing.T) {
	base, other := tarOf(t, "etc/motd", "base"), tarOf(t, "etc/motd", "other")
	stored := gz(base)
	digest := digestOf(stored)
	for _, tt := range []struct {
		name    string
		blob    Blob
		diffID  string
		stored  []byte
		opened  int    // bytes that the second image reads
		probed  int    // files whose content it looks at
		text    string // that it then has
		problem string // part of one; none if empty
	}{
		{"registry", Blob{Digest: digest, Addressed: true}, digestOf(base), stored, 0, 0, "base", ""},
		{"archive", Blob{Digest: digest}, digestOf(base), stored, len(stored), 0, "base", ""},
		{"archive, other bytes under the digest", Blob{Digest: digest}, digestOf(base), gz(other), min(len(gz(other)), len(stored)+1) + len(gz(other)), 1, "other", "not the layer the image names"},
		{"archive, more bytes behind", Blob{Digest: digest}, digestOf(base), append(bytes.Clone(stored), "more"...), 2*len(stored) + 1 + len("more"), 1, "base", "could not be read to its end"},
		{"old archive that names no digest", Blob{}, digestOf(base), base, len(base), 0, "base", ""},
		{"another diff ID", Blob{Digest: digest, Addressed: true}, digestOf(other), stored, 0, 0, "base", "not the layer the image names"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var known Known
			var n, probed int
			texts := &Probe[string]{
				Want: func(Entry) bool { return true },
				Read: func(_ Entry, b []byte) (string, bool) { probed++; return string(b), true },
			}
			load := func(b Blob, diffID string) *Image {
				s := NewScanner([]Reader{texts}, limits.Default())
				s.Known = &known
				img, err := s.Load(t.Context(), &Source{Name: "test", Config: Config{DiffIDs: []string{diffID}}, Layers: []Blob{b}})
				if err != nil {
					t.Fatal(err)
				}
				return img
			}
			load(counted(Blob{}, base, &n), digestOf(base))
			first := load(counted(Blob{Digest: digest}, stored, &n), digestOf(base))
			n, probed = 0, 0
			second := load(counted(tt.blob, tt.stored, &n), tt.diffID)
			if n != tt.opened || probed != tt.probed {
				t.Errorf("read %d bytes and looked at %d files, want %d and %d", n, probed, tt.opened, tt.probed)
			}
			f := second.Lookup("/etc/motd")
			if f == nil || f == first.Lookup("/etc/motd") {
				t.Fatalf("the file of the second image is %v", f)
			}
			if text, _ := texts.Of(f); text != tt.text {
				t.Errorf("text %q, want %q", text, tt.text)
			}
			told := tt.problem == "" && len(second.Problems) == 0
			for _, p := range second.Problems {
				told = told || tt.problem != "" && strings.Contains(p.What, tt.problem)
			}
			if !told {
				t.Errorf("problems: %v, want %q", second.Problems, tt.problem)
			}
		})
	}
}

// A layer that was not read to its end is not taken for another's.
func TestKnownBrokenLayer(t *testing.T) {
	stored := gz(tarOf(t, "a", "text"))
	var known Known
	for range 2 {
		s := NewScanner(nil, limits.Default())
		s.Known = &known
		cut := stored[:len(stored)-4]
		var n int
		b := counted(Blob{Digest: digestOf(cut)}, cut, &n)
		img, err := s.Load(t.Context(), &Source{Name: "test", Layers: []Blob{b}})
		if err != nil || img.Complete() || n != len(cut) {
			t.Errorf("read %d bytes, %v, %v", n, img.Problems, err)
		}
	}
}
