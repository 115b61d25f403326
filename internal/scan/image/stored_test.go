package image

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// All that a layer yields comes back from a Store.
func TestStoredLayer(t *testing.T) {
	texts := &Probe[string]{Name: "text"}
	lists := &Probe[[]int]{Name: "list"}
	s := NewScanner([]Reader{texts, lists}, limits.Default())
	sc, err := newScheme(s)
	if err != nil {
		t.Fatal(err)
	}
	content := func() *Content {
		var h head
		var e Entry
		fillAll(reflect.ValueOf(&h).Elem(), new(int))
		fillAll(reflect.ValueOf(&e).Elem(), new(int))
		return &Content{DiffID: h.DiffID, Digest: h.Digest, Stored: h.Stored, Uncompressed: h.Uncompressed, Compression: h.Compression, Problems: h.Problems,
			events: []event{
				{kind: add, path: e.Path, file: &File{Entry: e, facts: []fact{{texts, "a"}, {lists, []int{1, 2}}}}},
				{kind: whiteout, path: "/gone"},
				{kind: add, path: "/b", file: &File{Entry: Entry{Path: "/b"}, facts: []fact{{lists, []int(nil)}}}},
				{kind: opaque, path: "/c"},
				{kind: add, path: "/d", file: &File{Entry: Entry{Path: "/d"}}},
			}}
	}
	b := s.encode(sc, content())
	got, ok := s.decode(sc, b)
	if want := content(); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%t)\nwant %+v", got, ok, want)
	}
	for n := range b {
		if _, ok := s.decode(sc, b[:n]); ok {
			t.Errorf("cut at byte %d: not noticed", n)
		}
	}
	if n := reflect.TypeFor[Content]().NumField(); n != 10 {
		t.Errorf("Content has %d fields: does a Store keep the new one?", n)
	}
}

// A stamped blob tells whether its bytes may have changed.
type stamped struct {
	io.Reader
	stamps []string // of each call
}

func (s *stamped) Stamp() string {
	now := s.stamps[0]
	s.stamps = s.stamps[1:]
	return now
}

func (s *stamped) Close() error { return nil }

// onStamp is a blob whose reader gives these stamps before and after.
func onStamp(b Blob, stored []byte, n *int, before, after string) Blob {
	b = counted(b, stored, n)
	open := b.Open
	b.Open = func(ctx context.Context) (io.ReadCloser, error) {
		r, err := open(ctx)
		return &stamped{r, []string{before, after, after}}, err
	}
	return b
}

// A later run knows a layer only by bytes that were hashed: by a digest to which a
// registry is held, by a stamp that changes with the bytes, or by hashing again.
func TestStore(t *testing.T) {
	good, evil := tarOf(t, "etc/motd", "good"), tarOf(t, "etc/motd", "evil")
	stored, other := gz(good), gz(evil)
	digest := digestOf(stored)
	claim := Blob{Digest: digest}
	for _, tt := range []struct {
		name    string
		first   func(*int) Blob
		second  func(*int) Blob
		opened  int // bytes that the second run reads
		probed  int
		text    string
		problem string
	}{
		{"registry",
			func(n *int) Blob { return counted(Blob{Digest: digest, Addressed: true}, stored, n) },
			func(n *int) Blob { return counted(Blob{Digest: digest, Addressed: true}, stored, n) }, 0, 0, "good", ""},
		{"same stamp",
			func(n *int) Blob { return onStamp(claim, stored, n, "1", "1") },
			func(n *int) Blob { return onStamp(claim, stored, n, "1", "1") }, 0, 0, "good", ""},
		{"same stamp, another claim",
			func(n *int) Blob { return onStamp(claim, stored, n, "1", "1") },
			func(n *int) Blob { return onStamp(Blob{Digest: digestOf(other)}, stored, n, "1", "1") }, 0, 0, "good", "its digest is"},
		{"another stamp, same bytes",
			func(n *int) Blob { return onStamp(claim, stored, n, "1", "1") },
			func(n *int) Blob { return onStamp(claim, stored, n, "2", "2") }, len(stored), 0, "good", ""},
		{"another stamp, other bytes",
			func(n *int) Blob { return onStamp(claim, stored, n, "1", "1") },
			func(n *int) Blob { return onStamp(claim, other, n, "2", "2") }, min(len(other), len(stored)+1) + len(other), 1, "evil", "its digest is"},
		{"a lie that was audited before",
			func(n *int) Blob { return onStamp(claim, other, n, "1", "1") },
			func(n *int) Blob { return onStamp(claim, stored, n, "2", "2") }, len(stored), 1, "good", ""},
		{"a lie, again",
			func(n *int) Blob { return onStamp(claim, other, n, "1", "1") },
			func(n *int) Blob { return onStamp(claim, other, n, "1", "1") }, 0, 0, "evil", "its digest is"},
		{"changed while it was read",
			func(n *int) Blob { return onStamp(claim, stored, n, "1", "2") },
			func(n *int) Blob { return onStamp(claim, other, n, "2", "2") }, min(len(other), len(stored)+1) + len(other), 1, "evil", "its digest is"},
		{"no stamp",
			func(n *int) Blob { return onStamp(claim, stored, n, "", "") },
			func(n *int) Blob { return onStamp(claim, stored, n, "", "") }, len(stored), 0, "good", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := &Memory{}
			var n, probed int
			load := func(b Blob) *Image { return loadWith(t, store, b, digestOf(good), &probed, limits.Default()) }
			load(tt.first(new(int)))
			probed = 0
			img := load(tt.second(&n))
			if n != tt.opened || probed != tt.probed {
				t.Errorf("read %d bytes and looked at %d files, want %d and %d", n, probed, tt.opened, tt.probed)
			}
			if text := textOf(img, "/etc/motd"); text != tt.text {
				t.Errorf("text %q, want %q", text, tt.text)
			}
			if told := fmt.Sprint(img.Problems); (tt.problem == "") != (len(img.Problems) == 0) || !strings.Contains(told, tt.problem) {
				t.Errorf("problems: %s, want %q", told, tt.problem)
			}
			fresh := loadWith(t, nil, tt.second(new(int)), digestOf(good), new(int), limits.Default())
			if !reflect.DeepEqual(fresh.Problems, img.Problems) {
				t.Errorf("without a store: %v", fresh.Problems)
			}
		})
	}
}

var texts = &Probe[string]{
	Name: "text", Want: func(Entry) bool { return true },
	Read: func(_ Entry, b []byte) (string, bool) { return string(b), true },
}

func textOf(img *Image, path string) string {
	f := img.Lookup(path)
	if f == nil {
		return ""
	}
	return fmt.Sprint(f.Facts()["text@0"])
}

// loadWith is a run of its own with a store, if it is not nil.
func loadWith(t testing.TB, store Store, b Blob, diffID string, probed *int, lim limits.Limits) *Image {
	t.Helper()
	p := *texts
	p.Read = func(e Entry, b []byte) (string, bool) { *probed++; return texts.Read(e, b) }
	s := NewScanner([]Reader{&p}, lim)
	s.Known = &Known{Store: store}
	img, err := s.Load(t.Context(), &Source{Name: "test", Config: Config{DiffIDs: []string{diffID}}, Layers: []Blob{b}})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// What was learned with other probes or limits, or is damaged, is not used; nor is a
// layer that was not read to its end kept.
func TestStoreMisses(t *testing.T) {
	plain := tarOf(t, "etc/motd", "good")
	stored := gz(plain)
	addressed := func(b []byte) Blob { return counted(Blob{Digest: digestOf(b), Addressed: true}, b, new(int)) }
	for name, tt := range map[string]struct {
		first, second []byte
		limits        func(*limits.Limits)
		damage        func(*Memory)
		complete      bool
	}{
		"lower limit": {stored, stored, func(l *limits.Limits) { l.LayerBytes = 1000 }, nil, false},
		"image limit": {stored, stored, func(l *limits.Limits) { l.ImageBytes = 1000 }, nil, false},
		"damaged": {stored, stored, nil, func(m *Memory) {
			for k := range m.values {
				m.values[k] = m.values[k][:len(m.values[k])/2]
			}
		}, true},
		"empty": {stored, stored, nil, func(m *Memory) {
			for k := range m.values {
				m.values[k] = nil
			}
		}, true},
		"cut the first time": {stored[:40], stored[:40], nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			store, lim := &Memory{}, limits.Default()
			loadWith(t, store, addressed(tt.first), digestOf(plain), new(int), lim)
			if tt.limits != nil {
				tt.limits(&lim)
			}
			if tt.damage != nil {
				tt.damage(store)
			}
			var n int
			b := counted(Blob{Digest: digestOf(tt.second), Addressed: true}, tt.second, &n)
			if img := loadWith(t, store, b, digestOf(plain), new(int), lim); img.Complete() != tt.complete || n == 0 {
				t.Errorf("complete %t after %d bytes: %v", img.Complete(), n, img.Problems)
			}
		})
	}
	store := &Memory{}
	for i, readers := range [][]Reader{{&Probe[string]{Name: "a"}}, {&Probe[string]{Name: "a", Version: 1}}, {&Probe[int]{Name: "a"}}, {&Probe[string]{Name: "b"}}, nil} {
		for _, r := range readers {
			switch p := r.(type) {
			case *Probe[string]:
				p.Want = func(Entry) bool { return false }
			case *Probe[int]:
				p.Want = func(Entry) bool { return false }
			}
		}
		s := NewScanner(readers, limits.Default())
		s.Known = &Known{Store: store}
		if _, err := s.Load(t.Context(), &Source{Name: "test", Layers: []Blob{addressed(stored)}}); err != nil || store.Len() != i+1 {
			t.Errorf("%d layers kept after %d sets of probes, %v", store.Len(), i+1, err)
		}
	}
}

// Facts that can't be written down keep a store from being used, not an audit.
func TestStoreWithoutCodec(t *testing.T) {
	store := &Memory{}
	s := NewScanner([]Reader{&Probe[any]{Name: "any", Want: func(Entry) bool { return true }, Read: func(_ Entry, b []byte) (any, bool) { return len(b), true }}}, limits.Default())
	s.Known = &Known{Store: store}
	b := counted(Blob{}, tarOf(t, "a", "1"), new(int))
	if img, err := s.Load(t.Context(), &Source{Name: "test", Layers: []Blob{b}}); err != nil || !img.Complete() || store.Len() != 0 {
		t.Errorf("%v, %v, %d entries", img.Problems, err, store.Len())
	}
}

// The content of a layer that two images of a run share does not depend on which
// comes first: a hard link has the size of its target only in an image with that.
func TestKnownHardLink(t *testing.T) {
	target, link := tarOf(t, "a", strings.Repeat("x", 600)), pack(t, "b => a")
	var known Known
	load := func(layers ...[]byte) *Image {
		s := NewScanner(nil, limits.Default())
		s.Known = &known
		src := &Source{Name: "test"}
		for _, l := range layers {
			src.Layers = append(src.Layers, Blob{Digest: digestOf(l), Size: int64(len(l)), Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(l)), nil }})
		}
		img, err := s.Load(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	if f := load(target, link).Lookup("/b"); f.Size != 600 {
		t.Errorf("with its target: %+v", f)
	}
	if f := load(tarOf(t, "z", ""), link).Lookup("/b"); f.Size != 0 {
		t.Errorf("without: %+v", f)
	}
}

// Layers that are too large together are so when each is known already.
func TestStoreImageLimit(t *testing.T) {
	a, b := tarOf(t, "a", strings.Repeat("a", 4000)), tarOf(t, "b", strings.Repeat("b", 4000))
	store, lim := &Memory{}, limits.Default()
	lim.ImageBytes = int64(len(a)+len(b)) - 1
	load := func(layers ...[]byte) *Image {
		s := NewScanner(nil, lim)
		s.Known = &Known{Store: store}
		src := &Source{Name: "test"}
		for _, l := range layers {
			src.Layers = append(src.Layers, counted(Blob{Digest: digestOf(l), Addressed: true}, l, new(int)))
		}
		img, err := s.Load(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	if !load(a).Complete() || !load(b).Complete() || store.Len() != 2 {
		t.Fatalf("%d layers kept", store.Len())
	}
	if img := load(a, b); img.Complete() {
		t.Error("both are complete together")
	}
}
