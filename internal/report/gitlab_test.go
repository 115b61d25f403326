package report

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What GitLab asks of every issue; it drops the whole report otherwise.
func TestGitLabIssues(t *testing.T) {
	hex := regexp.MustCompile(`^[0-9a-f]{32}([-+][0-9]+)*$`)
	severities := []string{"info", "minor", "major", "critical", "blocker"}
	for name, r := range allReports() {
		var issues []issue
		dec := json.NewDecoder(strings.NewReader(formats()["gitlab.json"](t, r)))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&issues); err != nil || issues == nil {
			t.Fatalf("%s: %v", name, err)
		}
		seen := map[string]bool{}
		for _, i := range issues {
			if i.Description == "" || i.CheckName == "" || i.Location.Lines.Begin < 1 || !slices.Contains(severities, i.Severity) {
				t.Errorf("%s: incomplete: %+v", name, i)
			}
			if p := i.Location.Path; p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "./") {
				t.Errorf("%s: path %q", name, p)
			}
			if !hex.MatchString(i.Fingerprint) || seen[i.Fingerprint] {
				t.Errorf("%s: fingerprint %q is no or not the only one", name, i.Fingerprint)
			}
			seen[i.Fingerprint] = true
		}
		if !r.Complete() && (len(issues) == 0 || issues[0].CheckName != "not-audited" && issues[0].CheckName != "SBX001") {
			t.Errorf("%s: an incomplete audit looks complete", name)
		}
	}
}

// Two images of one Dockerfile have the same findings, and GitLab shows both.
func TestGitLabTellsTargetsApart(t *testing.T) {
	one, two := imageResult(), imageResult()
	two.Target.Name = "localhost:5000/acme/agent:1.5"
	var issues []issue
	if err := json.Unmarshal([]byte(formats()["gitlab.json"](t, newReport(one, two))), &issues); err != nil {
		t.Fatal(err)
	}
	if len(issues) != len(one.Findings)+len(two.Findings) || issues[0].Severity != "critical" || issues[len(issues)-1].Severity != "info" {
		t.Errorf("%d issues, from %s to %s", len(issues), issues[0].Severity, issues[len(issues)-1].Severity)
	}
	if !strings.Contains(issues[0].Description, "agent:1.4") || !slices.ContainsFunc(issues, func(i issue) bool { return strings.Contains(i.Description, "agent:1.5") }) {
		t.Error("the images are not named")
	}
}
