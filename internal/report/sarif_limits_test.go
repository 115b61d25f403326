package report

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// D81: thirty thousand files are one result, which lists some and counts all.
func TestSARIFAggregates(t *testing.T) {
	res := imageResult()
	f := res.Findings[0]
	f.Places = nil
	for i := range 30_000 {
		f.Places = append(f.Places, file(res.Target.Image, 2, fmt.Sprintf("/n/%d/%d.py", i/100, i), image.Live, 0))
	}
	log, text := parseSARIF(t, newReport(res))
	got := resultOf(log, "SBX101")
	if got.Properties["count"] != 30_000.0 || len(got.Properties["places"].([]any)) != maxPlaces || len(text) > 200_000 {
		t.Errorf("count %v, %d places, %d bytes", got.Properties["count"], len(got.Properties["places"].([]any)), len(text))
	}
}

// D81: a log that would be refused for its size loses its last results, and says so.
func TestSARIFKeepsToTheSize(t *testing.T) {
	res := imageResult()
	res.Findings = nil
	for i := range 1000 {
		f := &scan.Finding{Rule: pythonSource, Level: scan.LevelNote, Message: "m", At: scan.Location{Path: fmt.Sprintf("/%d", i)}}
		for j := range maxPlaces {
			var name strings.Builder // that does not compress well
			for k := range 8 {
				fmt.Fprintf(&name, "%x", sha256.Sum256(fmt.Append(nil, i, j, k)))
			}
			f.Places = append(f.Places, scan.Location{Path: name.String()[:500]})
		}
		res.Findings = append(res.Findings, f)
	}
	res.Findings[999].Level = scan.LevelError
	log, text := parseSARIF(t, newReport(res))
	if tooLarge([]byte(text)) {
		t.Errorf("%d bytes are too large", len(text))
	}
	run := log.Runs[0]
	if n := len(run.Results); n == 0 || n == 1000 || run.Results[0].Level != "error" {
		t.Errorf("%d results, the first at %s", n, run.Results[0].Level)
	}
	if n := run.Invocations[0].ToolExecutionNotifications; len(n) != 1 || !strings.Contains(n[0].Message.Text, "results of the lowest level left out") {
		t.Errorf("notifications %v", n)
	}
}

// The steps of all flows of a result stay under what services take, the last flows go
// first.
func TestSARIFFlowsAreBounded(t *testing.T) {
	res := imageResult()
	res.Findings = nil
	for i := range 30 {
		f := &scan.Finding{Rule: rootUser, Level: scan.LevelError, Message: fmt.Sprint(i), At: scan.Location{Source: span(1, 1)}}
		for j := range 2 * maxPlaces {
			f.Via(scan.Location{Path: "/app/main.py", Line: j + 1}, "step %d", j)
		}
		res.Findings = append(res.Findings, f)
	}
	steps, flows := 0, 0
	run := decode(t, formats()["sarif"](t, newReport(res))).(map[string]any)["runs"].([]any)[0].(map[string]any)
	for _, flow := range run["results"].([]any)[0].(map[string]any)["codeFlows"].([]any) {
		flows++
		for _, thread := range flow.(map[string]any)["threadFlows"].([]any) {
			steps += len(thread.(map[string]any)["locations"].([]any))
		}
	}
	if steps != maxFlowPlaces || flows != maxFlowPlaces/maxPlaces {
		t.Errorf("%d steps in %d flows", steps, flows)
	}
}

// The region is as narrow as is known, and what is around it is more than it is (rule
// SARIF1008 of the validator).
func TestSARIFRegions(t *testing.T) {
	focus := func(l1, c1, l2, c2 int) dockerfile.Range {
		return dockerfile.Range{Start: dockerfile.Pos{Line: l1, Column: c1}, End: dockerfile.Pos{Line: l2, Column: c2}}
	}
	for _, tt := range []struct {
		line  int
		at    scan.Location
		wants string
	}{
		{3, scan.Location{Source: span(3, 3)}, "3"},
		{3, scan.Location{Source: span(3, 9)}, "3 in 3-9"},
		{5, scan.Location{Source: span(3, 9), Focus: focus(5, 2, 5, 7)}, "5:2-5:7 in 3-9"},
		{3, scan.Location{Source: span(3, 9), Focus: focus(3, 1, 9, 2)}, "3:1-9:2"},
		{3, scan.Location{Source: span(3, 3), Focus: focus(3, 5, 3, 9)}, "3:5-3:9"},
		{1, scan.Location{Path: "/app/main.py", Line: 7}, "1"},
	} {
		l := physicalLocation("Dockerfile", tt.line, tt.at)
		got := fmt.Sprint(*l.Region.StartLine)
		if l.Region.StartColumn != nil {
			got = fmt.Sprintf("%d:%d-%d:%d", *l.Region.StartLine, *l.Region.StartColumn, *l.Region.EndLine, *l.Region.EndColumn)
		}
		if c := l.ContextRegion; c != nil {
			got += fmt.Sprintf(" in %d-%d", *c.StartLine, *c.EndLine)
		}
		if got != tt.wants {
			t.Errorf("%+v: got %s, want %s", tt.at, got, tt.wants)
		}
	}
}

// D79: which image an alert is about is said in its message, as the user typed it; a log
// is one run, and leaves its category to the workflow.
func TestSARIFNamesImages(t *testing.T) {
	r := newReport()
	for i, name := range []string{"nginx", "registry.example:5000/team/agent:1.4", "docker.io/library/redis:7"} {
		res := imageResult()
		res.Target.Name = name
		res.Findings = []*scan.Finding{{Rule: rootUser, Level: scan.LevelError, Message: "root", At: scan.Location{Source: span(i+1, i+1)}}}
		r.Targets = append(r.Targets, Target{Result: res})
	}
	log, text := parseSARIF(t, r)
	var got []string
	for _, res := range log.Runs[0].Results {
		got = append(got, res.Message.Text)
	}
	want := []string{"root, in image nginx", "root, in image registry.example:5000/team/agent:1.4", "root, in image docker.io/library/redis:7"}
	if !slices.Equal(got, want) || len(log.Runs) != 1 || strings.Contains(text, "automationDetails") {
		t.Errorf("%d runs, %q", len(log.Runs), got)
	}
}

// D83: what the log says of a rule is the same whatever was found.
func TestSARIFRulesAreStatic(t *testing.T) {
	rules := func(r *Report) string {
		run := decode(t, formats()["sarif"](t, r)).(map[string]any)["runs"].([]any)[0].(map[string]any)
		return fmt.Sprint(run["tool"].(map[string]any)["driver"].(map[string]any)["rules"])
	}
	if a, b := rules(newReport(imageResult())), rules(newReport(cleanResult())); a != b || a == "" {
		t.Errorf("of an image with findings\n%s\nof one without\n%s", a, b)
	}
}

// A region's text is told as it is, or not at all.
func TestSARIFSnippets(t *testing.T) {
	text := "RUN a ü🎉 b\nENV KEY=x\n\tRUN c\n# \u202e\n"
	res := dockerfileResult()
	res.Findings = []*scan.Finding{{Rule: secretInEnv, Message: "m", At: scan.Location{Source: span(2, 2)}}}
	r := newReport(res)
	r.Snippet = func(_ string, first, last int) []string { return strings.Split(text, "\n")[first-1 : last] }
	part := dockerfile.Range{Start: dockerfile.Pos{Line: 1, Column: 7}, End: dockerfile.Pos{Line: 1, Column: 10}}
	for _, tt := range []struct {
		line  int
		focus dockerfile.Range
		want  string
	}{{1, dockerfile.Range{}, "RUN a ü🎉 b"}, {1, part, "ü🎉"}, {2, dockerfile.Range{}, ""}, {3, dockerfile.Range{}, "\tRUN c"}, {4, dockerfile.Range{}, ""}} {
		at := scan.Location{Source: span(tt.line, tt.line), Focus: tt.focus}
		if got := r.hashes().snippet("Dockerfile", physicalLocation("Dockerfile", tt.line, at).Region); got != tt.want {
			t.Errorf("line %d: got %q, want %q", tt.line, got, tt.want)
		}
	}
}
