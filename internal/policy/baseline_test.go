package policy

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

func itself(p string) string { return p }

func places(paths ...string) *scan.Finding {
	f := &scan.Finding{Rule: &scan.Rule{ID: "SBX101"}, Level: scan.LevelWarning}
	for _, p := range paths {
		f.Places = append(f.Places, scan.Location{Path: p, Source: dockerfile.Span{Path: "Dockerfile", Start: 3, End: 3}})
	}
	f.At = f.Places[0]
	return f
}

func TestBaseline(t *testing.T) {
	target := scan.Target{Name: "agent:1", Kind: "registry", Image: &image.Image{}}
	accepted := places("/accepted")
	accepted.Ignored = &scan.Ignore{Reason: "meant"}
	b := Record("b.json", []*scan.Result{{Target: target, Findings: []*scan.Finding{places("/a", "/b"), places("/b")}, Ignored: []*scan.Finding{accepted}}}, itself)

	at := func(line int) *scan.Result {
		f := places("")
		f.Places, f.At.Source.Start = nil, line
		return &scan.Result{Target: target, Findings: []*scan.Finding{f}}
	}
	for want, results := range map[int][]*scan.Result{1: {at(3), at(3)}, 2: {at(3), at(7), at(7)}} {
		if got := Record("b.json", results, itself); len(got.Entries) != 1 || got.Entries[0].Count != want {
			t.Errorf("recorded %+v, want %d", got.Entries, want)
		}
	}

	var file bytes.Buffer
	if err := b.Write(&file, func(s string) string { return strings.ReplaceAll(s, "/b", "/***") }); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(file.String(), `"/b"`) {
		t.Errorf("a place was not cleaned: %s", file.String())
	}
	read, err := ReadBaseline("b.json", file.Bytes())
	if err != nil || !IsBaseline(file.Bytes()) {
		t.Fatal(err)
	}
	old := func(b *Baseline, target scan.Target, line int, paths ...string) (out []string) {
		ask := b.For(target, itself)
		for _, p := range paths {
			f := places(p)
			f.At.Source.Start = line
			if ask(nil, f) != nil {
				out = append(out, p)
			}
		}
		return out
	}
	rebuilt := scan.Target{Name: "agent:2", Kind: "registry", Digest: "sha256:aa", Image: &image.Image{}}
	got := fmt.Sprint(old(read, rebuilt, 30, "/a", "/b", "/b", "/b", "/new", "/accepted"))
	if got != "[/a /b /b]" {
		t.Errorf("old are %s", got) // as many of a name as were recorded
	}
	if again := fmt.Sprint(old(read, rebuilt, 30, "/a", "/b", "/b", "/b")); again != "[/a /b /b]" {
		t.Errorf("for the next target old are %s", again)
	}
	if more := fmt.Sprint(old(read, rebuilt, 3, "/a", "/b")); more != "[]" {
		t.Errorf("in other lines of another target old are %s", more) // a second stage with what the first has
	}

	// Of an image, what has no Dockerfile is the same as what has one.
	of := Record("base", []*scan.Result{{Target: scan.Target{Name: "base:12", Kind: "registry", Image: &image.Image{}}, Findings: []*scan.Finding{
		{Rule: &scan.Rule{ID: "SBX101"}, At: scan.Location{Path: "/a"}}}}}, itself)
	if got := old(of, rebuilt, 3, "/a"); got != nil {
		t.Errorf("old are %q", got)
	}
	of.OfImage = true
	if got := fmt.Sprint(old(of, rebuilt, 3, "/a", "/a", "/b")); got != "[/a]" {
		t.Errorf("of an image old are %s", got)
	}
}

func TestPrune(t *testing.T) {
	result := func(file string, paths ...string) *scan.Result {
		f := places(paths...)
		for i := range f.Places {
			f.Places[i].Source.Path = file
		}
		return &scan.Result{Target: scan.Target{Name: file, Kind: "dockerfile", Image: &image.Image{Predicted: true}}, Findings: []*scan.Finding{f}}
	}
	b := Record("b", []*scan.Result{result("one", "/a", "/a", "/b"), result("two", "/c")}, itself)
	now := Record("b", []*scan.Result{result("one", "/a", "/new")}, itself)
	if gone := b.Prune(now, []string{"dockerfile one"}); gone != 2 {
		t.Errorf("%d gone, want 2", gone)
	}
	var left []string
	for _, e := range b.Entries {
		left = append(left, fmt.Sprint(e.Origin, " ", e.Place, " ", e.Count))
	}
	if want := []string{"dockerfile one /a 1", "dockerfile two /c 1"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

// A file that was put together by hand may list one finding twice.
func TestPruneTwice(t *testing.T) {
	e := func(count int) Recorded { return Recorded{Fingerprint: "f", Rule: "SBX201", Origin: "o", Count: count} }
	for _, tt := range []struct {
		listed     []Recorded
		now        int
		gone, left int
	}{
		{[]Recorded{e(1), e(1)}, 0, 2, 0}, {[]Recorded{e(1), e(5)}, 1, 5, 1}, {[]Recorded{e(3), e(2)}, 1, 4, 1}, {[]Recorded{e(1), e(2)}, 9, 0, 3},
	} {
		b := &Baseline{Entries: tt.listed}
		gone, left := b.Prune(&Baseline{Entries: []Recorded{e(tt.now)}}, []string{"o"}), 0
		for _, e := range b.Entries {
			left += e.Count
		}
		if gone != tt.gone || left != tt.left || slices.ContainsFunc(b.Entries, func(e Recorded) bool { return e.Count < 1 }) {
			t.Errorf("%v against %d: %d gone and %v left, want %d and %d", tt.listed, tt.now, gone, b.Entries, tt.gone, tt.left)
		}
	}
}

func TestReadBaselineOfAnotherVersion(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema":"sandbox-audit-baseline/2","findings":{"a":1}}`: "of another version of sandbox-audit",
		`{"schema":"sandbox-audit/1","targets":[]}`:                "what an audit told",
		`{"findings":{"a":1},"schema":"x"}`:                        "cannot unmarshal",
	} {
		if b, err := ReadBaseline("b.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", text, b, err)
		}
	}
}

func TestGone(t *testing.T) {
	e := func(rule string, n int) Recorded { return Recorded{Fingerprint: rule, Rule: rule, Count: n} }
	b := &Baseline{Entries: []Recorded{e("a", 3), e("b", 1), e("c", 2)}}
	got := fmt.Sprint(b.Gone(&Baseline{Entries: []Recorded{e("a", 1), e("b", 5), e("d", 1)}}))
	if want := fmt.Sprint([]Recorded{e("a", 2), e("c", 2)}); got != want || b.Entries[0].Count != 3 {
		t.Errorf("got %s, want %s; left %v", got, want, b.Entries)
	}
}

func TestReadBaselineErrors(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"schema":"x"}`, `{"schema":"sandbox-audit-baseline/1"} {}`,
		`{"schema":"sandbox-audit-baseline/1","findings":[{"rule":"SBX101"}]}`} {
		if b, err := ReadBaseline("b.json", []byte(text)); err == nil || !strings.Contains(err.Error(), "b.json") {
			t.Errorf("%s: %v, %v", text, b, err)
		}
	}
}
