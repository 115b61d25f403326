package image_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

// A cache can keep what the probe of any rule finds, and gives out the same.
func TestEveryProbeCanBeKept(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range scan.Probes(rules.All()) {
		if ids[r.ID()] {
			t.Errorf("two probes are called %s", r.ID())
		}
		ids[r.ID()] = true
		if err := image.RoundTrip(r); err != nil {
			t.Errorf("%s: %v", r.ID(), err)
		}
	}
}

// The images of all fixtures are the same when their layers are known from a run
// before: files, fates, problems and all facts.
func TestFixturesFromStore(t *testing.T) {
	root := "../../../testdata/images"
	names, err := filepath.Glob(filepath.Join(root, "*", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d fixtures, %v", len(names), err)
	}
	for _, name := range names {
		if b, err := os.ReadFile(name); err != nil || !strings.Contains(string(b), "-- 1/") {
			continue // it has no layer, or there is none
		}
		f, err := scantest.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Image == nil {
			continue
		}
		store := &image.Memory{}
		load := func() *image.Image {
			s := image.NewScanner(scan.Probes(rules.All()), limits.Default())
			s.Known = &image.Known{Store: store}
			return f.Image.Load(t, s)
		}
		first := load()
		written := store.Len()
		second := load()
		if written == 0 || store.Len() != written {
			t.Errorf("%s: %d layers kept, then %d", name, written, store.Len())
		}
		same(t, name, first, second)
	}
}

func same(t *testing.T, name string, a, b *image.Image) {
	t.Helper()
	if !reflect.DeepEqual(a.Problems, b.Problems) || a.Count() != b.Count() {
		t.Errorf("%s: %d files and %v\nbecame %d and %v", name, a.Count(), a.Problems, b.Count(), b.Problems)
		return
	}
	var others []*image.File
	for f := range b.Files() {
		others = append(others, f)
	}
	i := 0
	for f := range a.Files() {
		o := others[i]
		i++
		if !reflect.DeepEqual(f.Entry, o.Entry) || f.Fate.How != o.Fate.How || f.Layer.Index != o.Layer.Index || !reflect.DeepEqual(f.Facts(), o.Facts()) {
			t.Errorf("%s: %+v %v\nbecame %+v %v", name, f.Entry, f.Facts(), o.Entry, o.Facts())
		}
	}
}
