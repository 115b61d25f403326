package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

func itself(p string) string { return p }

// Two rules that look for files: of any layer that a container sees, and of one that it
// does not.
var (
	seen = &scan.Rule{ID: "SBX901", Name: "seen", Step: scan.Environment, Level: scan.LevelError, Where: scan.InImage, Run: func(p *scan.Pass) {
		for f := range p.Image.Files() {
			if strings.Contains(f.Path, "key") && f.Live() {
				p.Reportf(p.At(f), "%s is seen", f.Path)
			}
		}
	}}
	buried = &scan.Rule{ID: "SBX902", Name: "buried", Step: scan.Environment, Level: scan.LevelError, Where: scan.InImage, Run: func(p *scan.Pass) {
		for f := range p.Image.Files() {
			if strings.Contains(f.Path, "key") && f.Buried() {
				p.Reportf(p.At(f), "%s is hidden", f.Path)
			}
		}
	}}
	variable = &scan.Rule{ID: "SBX903", Name: "variable", Step: scan.Environment, Level: scan.LevelWarning, Where: scan.InImage, Run: func(p *scan.Pass) {
		for _, kv := range p.Image.Config.Env {
			name, _, _ := strings.Cut(kv, "=")
			p.Reportf(scan.Location{Field: "Env." + name}, "%s is set", name)
		}
	}}
	all = []*scan.Rule{seen, buried, variable}
)

func load(t *testing.T, name, fixture string) scan.Target {
	t.Helper()
	f, err := scantest.Parse(fixture)
	if err != nil {
		t.Fatal(err)
	}
	return scan.Target{Name: name, Kind: "docker-archive", Image: f.Image.Load(t, image.NewScanner(nil, limits.Default()))}
}

// of compares two targets as the command does.
func of(old, now scan.Target) *Comparison {
	before := Side{Name: old.Name, Result: scan.Run(old, all, scan.Options{}, limits.Default())}
	known := Known(before, itself)
	after := Side{Name: now.Name, Result: scan.Run(now, all, scan.Options{Ignore: known.For(now, itself)}, limits.Default())}
	return Of(before, after, all, itself, func(ignore func(*scan.Pass, *scan.Finding) *scan.Ignore) *scan.Result {
		return scan.Run(old, all, scan.Options{Ignore: ignore}, limits.Default())
	})
}

// told is what a comparison tells of findings, in short.
func told(c *Comparison) string {
	var out []string
	for _, s := range []struct {
		name    string
		changes []Change
	}{{"brought", c.Brought}, {"perhaps brought", c.PerhapsBrought}, {"fixed", c.Fixed}, {"perhaps fixed", c.PerhapsFixed}, {"turned", c.Turned}, {"remaining", c.Remaining}} {
		for _, ch := range s.changes {
			for _, at := range places(ch.Finding) {
				out = append(out, fmt.Sprintf("%s %s%s", s.name, ch.Rule.ID, subject(at)))
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func TestOf(t *testing.T) {
	const twoKeys = "-- 0/base --\nx\n-- 1/a/key --\nx\n-- 1/b/key --\nx\n"
	unread := func(layer int, entry string) func(*scan.Target) {
		return func(t *scan.Target) {
			t.Image.Problems = append(t.Image.Problems, image.Problem{Kind: image.NotAudited, Layer: layer, Entry: entry, What: "was not read"})
		}
	}
	for _, tt := range []struct {
		name, old, now string
		oldGap, newGap func(*scan.Target)
		want           string
	}{
		{name: "the same", old: twoKeys, now: twoKeys, want: "remaining SBX901/a/key, remaining SBX901/b/key"},
		{name: "rebuilt with other bytes", old: twoKeys, now: "-- 0/base --\ny\n-- 1/other --\nx\n-- 2/a/key --\ny\n-- 2/b/key --\ny\n", want: "remaining SBX901/a/key, remaining SBX901/b/key"},
		{name: "one of two is gone", old: twoKeys, now: "-- 0/base --\nx\n-- 1/a/key --\nx\n", want: "fixed SBX901/b/key, remaining SBX901/a/key"},
		{name: "one more in the same layer", old: twoKeys, now: twoKeys + "-- 1/c/key --\nx\n", want: "brought SBX901/c/key, remaining SBX901/a/key, remaining SBX901/b/key"},
		{name: "a layer hides it now", old: twoKeys, now: twoKeys + "-- 2/a/.wh.key --\n", want: "brought SBX902/a/key, remaining SBX901/b/key, turned SBX901/a/key"},
		{name: "the layer that hid it is gone", old: twoKeys + "-- 2/a/.wh.key --\n", now: twoKeys, want: "brought SBX901/a/key, remaining SBX901/b/key, turned SBX902/a/key"},
		{name: "a layer of the new one was not read", old: twoKeys, now: "-- 0/base --\nx\n", newGap: unread(0, ""), want: "perhaps fixed SBX901/a/key, perhaps fixed SBX901/b/key"},
		{name: "a file of the new one was not read", old: twoKeys, now: "-- 0/base --\nx\n", newGap: unread(0, "/a/key"), want: "fixed SBX901/b/key, perhaps fixed SBX901/a/key"},
		{name: "neither read the shared layer", old: twoKeys, now: "-- 0/base --\nx\n", oldGap: unread(0, ""), newGap: unread(0, ""), want: "fixed SBX901/a/key, fixed SBX901/b/key"},
		{name: "a layer of the old one was not read", old: "-- 0/base --\nx\n", now: twoKeys, oldGap: unread(0, ""), want: "perhaps brought SBX901/a/key, perhaps brought SBX901/b/key"},
		{name: "a setting was read all the same", old: "-- config.json --\n{\"config\": {\"Env\": [\"A=1\", \"B=1\"]}}\n-- 0/base --\nx\n",
			now: "-- config.json --\n{\"config\": {\"Env\": [\"B=2\"]}}\n-- 0/base --\nx\n", newGap: unread(0, ""), want: "fixed SBX903Env.A, remaining SBX903Env.B"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old, now := load(t, "old", tt.old), load(t, "new", tt.now)
			if tt.oldGap != nil {
				tt.oldGap(&old)
			}
			if tt.newGap != nil {
				tt.newGap(&now)
			}
			if got := told(of(old, now)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestLayers(t *testing.T) {
	history := func(by ...string) string {
		var steps []string
		for _, s := range by {
			steps = append(steps, fmt.Sprintf(`{"created_by": %q}`, s))
		}
		return "-- config.json --\n{\"history\": [" + strings.Join(steps, ",") + "]}\n"
	}
	old := load(t, "old", history("base", "COPY a", "RUN rm", "RUN old")+"-- 0/base --\nx\n-- 1/a/key --\nxx\n-- 2/a/.wh.key --\n-- 3/old --\nx\n")
	now := load(t, "new", history("base", "COPY a", "RUN new")+"-- 0/base --\nx\n-- 1/a/key --\nother\n-- 2/new/key --\nx\n")
	var got []string
	for _, l := range of(old, now).Layers {
		var s string
		switch {
		case l.Shared():
			s = fmt.Sprintf("= %d", l.New.Index)
		case l.Rebuilt():
			s = fmt.Sprintf("~ %d %d→%d", l.New.Index, Bytes(l.Old), Bytes(l.New))
		case l.New != nil:
			s = fmt.Sprintf("+ %d", l.New.Index)
		default:
			s = fmt.Sprintf("- %d", l.Old.Index)
		}
		got = append(got, fmt.Sprintf("%s brought %d took %d uncovered %d", s, len(l.Brought), len(l.Took), len(l.Uncovered)))
	}
	want := []string{"- 2 brought 0 took 0 uncovered 1", "- 3 brought 0 took 0 uncovered 0", "= 0 brought 0 took 0 uncovered 0",
		"~ 1 3→6 brought 1 took 1 uncovered 0", "+ 2 brought 1 took 0 uncovered 0"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Layers whose bytes nobody knows are not the same bytes.
func TestLayersWithoutDiffID(t *testing.T) {
	if l := (Layer{Old: &image.Layer{}, New: &image.Layer{}}); l.Shared() || !l.Rebuilt() {
		t.Error("they are taken for shared")
	}
}

func TestSettings(t *testing.T) {
	old := load(t, "old", `-- config.json --
{"config": {"User": "root", "Cmd": ["sh", "-c", "a b"], "Env": ["A=secret-1", "B=x"], "ExposedPorts": {"22/tcp": {}}}}
-- 0/base --
x
`)
	now := load(t, "new", `-- config.json --
{"config": {"User": "1000", "Entrypoint": ["/init"], "Env": ["A=secret-2", "C=x"], "Labels": {"org.opencontainers.image.base.name": "debian:13"}}}
-- 0/base --
x
`)
	got := fmt.Sprintf("%+v", of(old, now).Settings)
	for _, want := range []string{"Name:user Field:User Old:root New:1000", "Name:entrypoint Field:Entrypoint Old: New:/init", `Old:sh -c "a b" New: `,
		"Name:env Field: Old: New: Added:[C] Removed:[B] Changed:[A]", "Removed:[22/tcp]", "Name:base Field: Old: New:debian:13"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	if strings.Contains(got, "secret-") {
		t.Errorf("a value is kept: %s", got)
	}
}

func TestFailedSides(t *testing.T) {
	target := load(t, "image", "-- 0/a/key --\nx\n")
	res := scan.Run(target, all, scan.Options{}, limits.Default())
	c := Of(Side{Name: "old", Failure: "gone"}, Side{Name: "new", Result: res}, all, itself, nil)
	if got := told(c); got != "perhaps brought SBX901/a/key" {
		t.Error(got)
	}
	again := func(ignore func(*scan.Pass, *scan.Finding) *scan.Ignore) *scan.Result {
		return scan.Run(target, all, scan.Options{Ignore: ignore}, limits.Default())
	}
	c = Of(Side{Name: "old", Result: res}, Side{Name: "new", Failure: "gone"}, all, itself, again)
	if got := told(c); got != "perhaps fixed SBX901/a/key" || c.Verdicts[0].NewKnown || c.Verdicts[0].Change() != 0 {
		t.Error(got, c.Verdicts)
	}
}

func TestRecord(t *testing.T) {
	target := load(t, "agent.tar", "-- 0/a/key --\nx\n")
	res := scan.Run(target, all, scan.Options{}, limits.Default())
	entry := func(rule, origin, place string) policy.Recorded {
		return policy.Recorded{Fingerprint: rule + origin + place, Rule: rule, Origin: origin, Place: place, Count: 1}
	}
	record := policy.Record("b", []*scan.Result{res}, itself)
	record.Entries = append(record.Entries, entry("SBX901", "image agent", "/gone"), entry("SBX777", "image agent", "/x"), entry("SBX901", "image other", "/y"))
	now := scan.Run(target, all, scan.Options{Ignore: record.For(target, itself)}, limits.Default())
	c := Of(Side{Name: "b", Record: record}, Side{Name: "new", Result: now}, all, itself, nil)
	if len(c.Remaining) != 1 || len(c.Fixed) != 1 || c.Fixed[0].Recorded.Place != "/gone" || len(c.PerhapsFixed) != 1 || c.PerhapsFixed[0].Rule != nil || c.Elsewhere != 1 {
		t.Errorf("%+v", c)
	}
}

func TestVerdictChange(t *testing.T) {
	for _, tt := range []struct {
		old, now policy.Answer
		want     int
	}{{policy.Fail, policy.Pass, 1}, {policy.Pass, policy.Unknown, -1}, {policy.Unknown, policy.Fail, -1}, {policy.Accepted, policy.Pass, 1}, {policy.Fail, policy.Fail, 0}} {
		if got := (Verdict{Old: tt.old, New: tt.now, OldKnown: true, NewKnown: true}).Change(); got != tt.want {
			t.Errorf("%s to %s: %d, want %d", tt.old, tt.now, got, tt.want)
		}
	}
}
