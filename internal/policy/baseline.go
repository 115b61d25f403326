package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// A Baseline is what was found before. It holds no text of an image but the names of
// places, and of secrets nothing.
type Baseline struct {
	Name    string // of its file, or of the image that it was taken from
	Entries []Recorded
	// OfImage means that it was taken from another image: what it lists is known under
	// whatever name, and whichever Dockerfile it comes from.
	OfImage bool

	spent map[string]int // by key, what findings of this run took of the entries
	taken map[spot]int   // how many findings of one place did
}

// A spot is what an entry is about, and where a finding of it stands: that of several
// targets which share an instruction is one.
type spot struct {
	key  string
	span dockerfile.Span
}

// Recorded is a finding of a baseline, at one place.
type Recorded struct {
	Fingerprint string `json:"fingerprint"` // as reports have it for a finding with one place
	Rule        string `json:"rule"`
	Origin      string `json:"origin"` // the Dockerfile, manifest or image, as in the fingerprint
	Place       string `json:"place"`  // path in the image, or setting; empty if it is the instruction
	Count       int    `json:"count"`  // how many findings have this name
}

// Record makes a baseline of results: all their findings, but those that are accepted.
func Record(name string, results []*scan.Result, repoPath func(string) string) *Baseline {
	type standing struct {
		Recorded
		at dockerfile.Span
	}
	most := map[standing]int{} // of any one result, so that two tags of an image do not add up
	for _, r := range results {
		n := map[standing]int{}
		for _, f := range slices.Concat(r.Findings, r.Ignored) {
			if f.Ignored != nil && !f.Ignored.Baseline {
				continue
			}
			places := f.Places
			if places == nil {
				places = []scan.Location{f.At}
			}
			for _, at := range places {
				n[standing{record(r.Target, f.Rule, at, repoPath), at.Source}]++
			}
		}
		for e, c := range n {
			most[e] = max(most[e], c)
		}
	}
	sum := map[Recorded]int{}
	for e, c := range most {
		sum[e.Recorded] += c
	}
	b := &Baseline{Name: name}
	for e, c := range sum {
		e.Count = c
		b.Entries = append(b.Entries, e)
	}
	b.sort()
	return b
}

func (b *Baseline) sort() {
	slices.SortFunc(b.Entries, func(x, y Recorded) int {
		return cmp.Or(cmp.Compare(x.Origin, y.Origin), cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Place, y.Place), cmp.Compare(x.Fingerprint, y.Fingerprint))
	})
}

// record is one place of a finding.
func record(t scan.Target, rule *scan.Rule, at scan.Location, repoPath func(string) string) Recorded {
	e := Recorded{Rule: rule.ID, Origin: origin(t, at, repoPath), Place: cmp.Or(at.Path, at.Field)}
	e.Fingerprint = hashed(e.Rule, e.Origin, e.Place)
	return e
}

func hashed(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// key is what findings are compared by.
func (b *Baseline) key(e Recorded) string {
	if b.OfImage {
		return hashed(e.Rule, e.Place)
	}
	return e.Fingerprint
}

// For returns what tells the old findings of a target: as many with one name as the
// baseline has, over all targets of the run. What stands in one place is old for each of
// them.
func (b *Baseline) For(t scan.Target, repoPath func(string) string) func(*scan.Pass, *scan.Finding) *scan.Ignore {
	have := map[string]int{}
	for _, e := range b.Entries {
		have[b.key(e)] += e.Count
	}
	if b.spent == nil || b.OfImage { // each target has all that the image has
		b.spent, b.taken = map[string]int{}, map[spot]int{}
	}
	spent, taken, mine := b.spent, b.taken, map[spot]int{}
	old := &scan.Ignore{Baseline: true, Reason: "recorded in the baseline " + b.Name}
	return func(_ *scan.Pass, f *scan.Finding) *scan.Ignore {
		key := b.key(record(t, f.Rule, f.At, repoPath))
		at := spot{key, f.At.Source}
		if mine[at]++; mine[at] <= taken[at] {
			return old
		}
		if spent[key] == have[key] {
			return nil
		}
		spent[key]++
		taken[at]++
		return old
	}
}

// Gone returns what b has and now has not, each with how many of it are gone.
func (b *Baseline) Gone(now *Baseline) []Recorded {
	have := map[string]int{}
	for _, e := range now.Entries {
		have[b.key(e)] += e.Count
	}
	var out []Recorded
	for _, e := range b.Entries {
		found := min(e.Count, have[b.key(e)])
		have[b.key(e)] -= found
		if e.Count -= found; e.Count > 0 {
			out = append(out, e)
		}
	}
	return out
}

// Prune takes out what is not found any more, and returns how many findings that were.
// What was recorded of other Dockerfiles, manifests and images than now stays.
func (b *Baseline) Prune(now *Baseline, origins []string) int {
	gone, i := 0, 0
	for _, g := range b.Gone(now) { // in the order of the entries
		if !slices.Contains(origins, g.Origin) {
			continue
		}
		i += slices.IndexFunc(b.Entries[i:], func(e Recorded) bool { return e.Fingerprint == g.Fingerprint && e.Count >= g.Count })
		b.Entries[i].Count -= g.Count
		gone += g.Count
	}
	b.Entries = slices.DeleteFunc(b.Entries, func(e Recorded) bool { return e.Count == 0 })
	return gone
}

// Origins are what findings of the results can come from, as a baseline names it.
func Origins(results []*scan.Result, repoPath func(string) string) []string {
	all := map[string]bool{}
	for _, r := range results {
		all[origin(r.Target, scan.Location{}, repoPath)] = true
		if b := r.Target.Build; b != nil {
			at := scan.Location{}
			at.Source.Path, at.Source.Start = b.File.Path, 1
			all[origin(r.Target, at, repoPath)] = true
		}
		if m := r.Target.Manifest; m != nil {
			for _, f := range m.Files {
				at := scan.Location{Manifest: true}
				at.Source.Path, at.Source.Start = f.Name, 1
				all[origin(r.Target, at, repoPath)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
