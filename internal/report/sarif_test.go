package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A sarifLog is what the tests look at.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []sarifRule }
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct {
				Level   string
				Message struct{ Text string }
			}
		}
		Results []sarifResult
	}
}

type sarifRule struct {
	ID         string
	Properties map[string]any
}

type sarifResult struct {
	RuleID              string
	RuleIndex           int
	Level               string
	Message             struct{ Text string }
	Locations           []sarifLocation
	RelatedLocations    []sarifLocation
	PartialFingerprints map[string]string
	Properties          map[string]any
}

type sarifLocation struct {
	ID               int
	PhysicalLocation struct {
		ArtifactLocation struct{ URI string }
		Region           struct{ StartLine int }
	}
}

func (l sarifLocation) String() string {
	return fmt.Sprintf("%s:%d", l.PhysicalLocation.ArtifactLocation.URI, l.PhysicalLocation.Region.StartLine)
}

// resultOf is the first result of a rule.
func resultOf(log sarifLog, rule string) sarifResult {
	for _, res := range log.Runs[0].Results {
		if res.RuleID == rule {
			return res
		}
	}
	return sarifResult{}
}

func parseSARIF(t *testing.T, r *Report) (sarifLog, string) {
	t.Helper()
	text := formats()["sarif"](t, r)
	var log sarifLog
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatal(err)
	}
	return log, text
}

func allReports() map[string]*Report {
	all := reports()
	for _, s := range hostile {
		all[s] = hostileReport(s)
	}
	all["no target"] = newReport()
	all["accepted"] = acceptedReport()
	return all
}

func TestSARIFFollowsTheSchema(t *testing.T) {
	schema := compile(t, "testdata/sarif-schema-2.1.0.json", jsonschema.Draft4, func(any) {})
	for name, r := range allReports() {
		if err := schema.Validate(decode(t, formats()["sarif"](t, r))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if schema.Validate(decode(t, `{"version":"2.1.0","runs":[{"results":null}]}`)) == nil {
		t.Error("the schema takes anything")
	}
}

// What consumers ask for beyond the schema.
func TestSARIFInvariants(t *testing.T) {
	for name, r := range allReports() {
		log, text := parseSARIF(t, r)
		if len(log.Runs) != 1 || len(log.Runs[0].Invocations) != 1 {
			t.Fatalf("%s: not one run with one invocation", name)
		}
		if !strings.HasPrefix(text, "{\n  \"version\": \"2.1.0\",") || !strings.Contains(text, `"results": [`) {
			t.Errorf("%s: starts with %.40q or has no results", name, text)
		}
		if m := regexp.MustCompile(`: (-1|null|\[\]|\{\})(,|\n)|"(rank|automationDetails)"`).FindString(strings.NewReplacer(`"results": [],`, "", `"suppressions": []`, "").Replace(text)); m != "" {
			t.Errorf("%s: has %q", name, m)
		}
		run := log.Runs[0]
		if !slices.IsSortedFunc(run.Tool.Driver.Rules, func(a, b sarifRule) int { return strings.Compare(a.ID, b.ID) }) || len(run.Tool.Driver.Rules) != len(r.Rules) {
			t.Errorf("%s: rules are missing or in no order", name)
		}
		for _, rule := range run.Tool.Driver.Rules {
			if s, ok := rule.Properties["security-severity"].(string); !ok || !regexp.MustCompile(`^[0-9]\.[0-9]$`).MatchString(s) {
				t.Errorf("%s: %s has security-severity %v", name, rule.ID, rule.Properties["security-severity"])
			}
		}
		seen := map[string]bool{}
		for _, res := range run.Results {
			if run.Tool.Driver.Rules[res.RuleIndex].ID != res.RuleID {
				t.Errorf("%s: %s has index %d", name, res.RuleID, res.RuleIndex)
			}
			if len(res.Locations) != 1 || seen[res.RuleID+res.Locations[0].String()] {
				t.Errorf("%s: %s at %v is no or not the only result there", name, res.RuleID, res.Locations)
			}
			seen[res.RuleID+res.Locations[0].String()] = true
			for _, l := range append(res.Locations, res.RelatedLocations...) {
				checkURI(t, l)
			}
			checkMessage(t, res)
			if own := res.PartialFingerprints["sandboxAuditFinding/v1"]; len(own) < 32 || digest.MatchString(own) {
				t.Errorf("%s: fingerprints %v", name, res.PartialFingerprints)
			}
		}
	}
}

var (
	digest = regexp.MustCompile(`sha256:[0-9a-f]{12}|@sha`)
	linkTo = regexp.MustCompile(`\]\(([^)]*)\)`)
)

// checkMessage looks for digests, and for links that lead nowhere.
func checkMessage(t *testing.T, res sarifResult) {
	t.Helper()
	if digest.MatchString(res.Message.Text) {
		t.Errorf("message %q has a digest", res.Message.Text)
	}
	for _, m := range linkTo.FindAllStringSubmatch(res.Message.Text, -1) {
		if !slices.ContainsFunc(res.RelatedLocations, func(l sarifLocation) bool { return fmt.Sprint(l.ID) == m[1] }) {
			t.Errorf("message %q links to %s", res.Message.Text, m[1])
		}
	}
}

// D76, D77, D78: one unfit URI or line, and services refuse the whole file.
func checkURI(t *testing.T, l sarifLocation) {
	t.Helper()
	uri := l.PhysicalLocation.ArtifactLocation.URI
	u, err := url.Parse(uri)
	if err != nil || u.IsAbs() || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || uri == "" || strings.HasPrefix(uri, "/") ||
		strings.Contains(uri, ":") || slices.Contains(strings.Split(u.Path, "/"), "..") || !regexp.MustCompile(`^[!-~]+$`).MatchString(uri) {
		t.Errorf("unfit URI %q (%v)", uri, err)
	}
	if l.PhysicalLocation.Region.StartLine < 1 {
		t.Errorf("%s has no line", uri)
	}
}

func TestPhysical(t *testing.T) {
	in := func(path string, line int) scan.Location {
		return scan.Location{Source: dockerfile.Span{Path: path, Start: line, End: line + 3}, Path: "/x"}
	}
	for _, tt := range []struct {
		name string
		at   scan.Location
		want string
	}{
		{"debian:12", in("my app/100%/Dockerfile:dev", 4), "my%20app/100%25/Dockerfile%3Adev:4"},
		{"debian:12", in("../../other/./Dockerfile", 4), "other/Dockerfile:4"},
		{"debian:12", in("/abs/Dockerfile", 4), "abs/Dockerfile:4"},
		{"debian:12", scan.Location{Path: "/etc/shadow", Line: 9}, "debian/etc/shadow:1"},
		{"localhost:5000/a/agent:1.4@sha256:" + strings.Repeat("0", 64), scan.Location{Path: "/a:b/c d"}, "agent/a%3Ab/c%20d:1"},
		{"docker://agent", scan.Location{Field: "Env.X"}, "agent/Env.X:1"},
		{"we ird/na me", scan.Location{}, "na-me:1"},
		{"..", scan.Location{}, "image:1"},
	} {
		uri, line := new(Report).physical(&scan.Target{Name: tt.name, Kind: "registry"}, tt.at)
		if got := fmt.Sprintf("%s:%d", uri, line); got != tt.want {
			t.Errorf("%s %v: got %s, want %s", tt.name, tt.at, got, tt.want)
		}
	}
}

// One result per rule and instruction, also where levels, fates or targets differ.
func TestSARIFMergesOnALine(t *testing.T) {
	res := imageResult()
	key := *res.Findings[4]
	key.Level, key.At.Path, key.Message = scan.LevelWarning, "/app/key2", "a certificate request is in a lower layer"
	res.Findings = []*scan.Finding{&key, res.Findings[4]}
	other := imageResult()
	other.Target.Name, other.Findings = "agent:2", other.Findings[4:5]
	log, _ := parseSARIF(t, newReport(res, other))
	if n := len(log.Runs[0].Results); n != 1 {
		t.Fatalf("%d results, want 1", n)
	}
	got := log.Runs[0].Results[0]
	if got.Level != "error" || got.Properties["count"] != 3.0 {
		t.Errorf("level %s, count %v", got.Level, got.Properties["count"])
	}
	for _, want := range []string{"at /app/key2, in image localhost:5000/acme/agent:1.4; ", "at /app/key, in image agent:2"} {
		if !strings.Contains(got.Message.Text, want) {
			t.Errorf("message %q lacks %q", got.Message.Text, want)
		}
	}
	other.Findings = slices.Repeat(other.Findings, 4)
	other.Target.Name = "sha256:" + strings.Repeat("0", 64)
	log, _ = parseSARIF(t, newReport(other))
	if text := log.Runs[0].Results[0].Message.Text; strings.Count(text, ", in the image") != 1+alsoTold || !strings.HasSuffix(text, "; and 1 more here; see [Dockerfile:11](1)") {
		t.Errorf("message %q", text)
	}
}

// D81: more results than services take, the worst first.
func TestSARIFCapsResults(t *testing.T) {
	res := imageResult()
	res.Findings = nil
	for i := range maxResults + 2 {
		level := scan.LevelNote
		if i == maxResults+1 {
			level = scan.LevelError
		}
		res.Findings = append(res.Findings, &scan.Finding{Rule: pythonSource, Level: level, Message: "m", At: scan.Location{Path: fmt.Sprintf("/%d", i)}})
	}
	log, _ := parseSARIF(t, newReport(res))
	run := log.Runs[0]
	if len(run.Results) != maxResults || run.Results[0].Level != "error" {
		t.Errorf("%d results, the first at level %s", len(run.Results), run.Results[0].Level)
	}
	n := run.Invocations[0].ToolExecutionNotifications
	if len(n) != 1 || n[0].Level != "warning" || !strings.HasPrefix(n[0].Message.Text, "2 results") {
		t.Errorf("notifications %v", n)
	}
}

// D84: what was not audited is told, and the run is not called successful.
func TestSARIFTellsWhatIsMissing(t *testing.T) {
	log, _ := parseSARIF(t, incompleteReport())
	inv := log.Runs[0].Invocations[0]
	if inv.ExecutionSuccessful {
		t.Error("an incomplete audit is called successful")
	}
	var got []string
	for _, n := range inv.ToolExecutionNotifications {
		got = append(got, n.Level+": "+n.Message.Text)
	}
	want := []string{
		"error: gone.tar was not audited: opening gone.tar: no such file or directory; did you mean cut.tar?",
		"error: cut.tar: layer 2: /var/big: unexpected EOF; get the image again",
		"error: cut.tar: rule SBX201 root-user broke, its findings are missing: panic: index out of range; please report this",
		"error: cut.tar: rule SBX101 python-source found 17 more than the limit per rule lists",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if log, _ := parseSARIF(t, newReport(cleanResult())); !log.Runs[0].Invocations[0].ExecutionSuccessful {
		t.Error("a complete audit is not called successful")
	}
}

// D82: rebuilt with a blank line more and new digests, an alert is the same alert.
func TestSARIFSurvivesRebuild(t *testing.T) {
	identity := func(shift int) []string {
		res := imageResult()
		for _, l := range res.Target.Image.Layers {
			l.DiffID = fmt.Sprintf("sha256:%064d", l.Index+100*shift)
		}
		res.Target.Name = fmt.Sprintf("localhost:5000/acme/agent:%d", shift)
		for _, f := range res.Findings {
			if !f.At.Source.IsZero() {
				f.At.Source = span(f.At.Source.Start+shift, f.At.Source.End+shift)
			}
		}
		log, _ := parseSARIF(t, newReport(res))
		var out []string
		for _, r := range log.Runs[0].Results {
			out = append(out, r.RuleID+r.Locations[0].PhysicalLocation.ArtifactLocation.URI+r.PartialFingerprints["sandboxAuditFinding/v1"])
		}
		return out
	}
	if before, after := identity(1), identity(2); !slices.Equal(before, after) {
		t.Errorf("before %q\nafter  %q", before, after)
	}
}

func TestSARIFListsAreBounded(t *testing.T) {
	res := imageResult()
	f := res.Findings[0]
	for i := range 3 * maxPlaces {
		at := file(res.Target.Image, 2, fmt.Sprintf("/n/%d", i), image.Live, 0)
		f.Places = append(f.Places, at)
		f.Notef(scan.Location{Source: span(i+1, i+1)}, "note %d", i)
	}
	log, _ := parseSARIF(t, newReport(res))
	got := resultOf(log, "SBX101")
	if n := len(got.Properties["places"].([]any)); n != maxPlaces || got.Properties["count"] != float64(len(f.Places)) {
		t.Errorf("%d places of %v", n, got.Properties["count"])
	}
	if len(got.RelatedLocations) != maxPlaces {
		t.Errorf("%d related locations", len(got.RelatedLocations))
	}
}

func TestPrune(t *testing.T) {
	m := decode(t, `{"rank": -1, "ruleIndex": 0, "id": -1, "taxa": [], "results": [], "kind": "fail", "enabled": true, "guid": null,
		"a": {"b": {"language": "en-US"}}, "properties": {"rank": -1, "list": []}, "rules": [{"rank": -1.0, "id": "x"}]}`).(map[string]any)
	prune(m)
	keys := slices.Sorted(maps.Keys(m))
	if got := fmt.Sprint(keys, m["properties"], m["rules"]); got != "[properties results ruleIndex rules] map[list:[] rank:-1] [map[id:x rank:-1.0]]" {
		t.Errorf("got %s", got)
	}
}
