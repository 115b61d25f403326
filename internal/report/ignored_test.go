package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// acceptedReport is the image of imageResult, of which one finding is accepted by a
// comment, one by the configuration and one is old.
func acceptedReport() *Report {
	res := imageResult()
	accept := func(id string, by *scan.Ignore) {
		for i, f := range res.Findings {
			if f.Rule.ID == id {
				f.Ignored = by
				res.Ignored = append(res.Ignored, f)
				res.Findings = append(res.Findings[:i:i], res.Findings[i+1:]...)
				return
			}
		}
	}
	accept("SBX201", &scan.Ignore{Rule: "SBX201", Reason: "the VM is the boundary", InSource: true, At: scan.Location{Source: span(1, 1)}, Until: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)})
	config := scan.Location{Source: span(7, 7), Manifest: true}
	config.Source.Path = ".sandbox-audit.yaml"
	accept("SBX301", &scan.Ignore{Rule: "SBX301", Reason: "public](by design)\x1b[1m", At: config})
	accept("SBX305", &scan.Ignore{Baseline: true, Reason: "recorded in the baseline b.json"})
	res.Disabled = []scan.Disabled{{Rule: exposedPort, Reason: "closed by policy"}}
	return newReport(res)
}

// shownReport is acceptedReport with what is accepted.
func shownReport() *Report {
	r := acceptedReport()
	r.ShowIgnored = true
	return r
}

const countedText = "2 ignored findings, 1 finding of the baseline, 1 rule turned off"

func TestIgnoredIsCounted(t *testing.T) {
	r := acceptedReport()
	for name, write := range formats() {
		text := write(t, r)
		if name == "gitlab.json" || name == "json" {
			continue // one has no place for a number, the other has them all: see below
		}
		if !strings.Contains(strings.Join(strings.Fields(text), " "), countedText) {
			t.Errorf("%s does not say %q", name, countedText)
		}
	}
}

func TestIgnoredInJSON(t *testing.T) {
	var d struct {
		Targets []struct {
			Checklist []struct{ Step, Verdict string }
			Findings  []struct{ Rule string }
			Ignored   []struct {
				Rule, Fingerprint string
				Ignored           struct {
					By, Reason, Until string
					Dockerfile        *jsonSpan
					Config            *jsonSpan
				}
			}
			Skipped []struct{ Rule, Reason string }
		}
	}
	if err := json.Unmarshal([]byte(formats()["json"](t, acceptedReport())), &d); err != nil {
		t.Fatal(err)
	}
	got := d.Targets[0]
	for _, f := range got.Findings {
		if f.Rule == "SBX201" || f.Rule == "SBX301" || f.Rule == "SBX305" {
			t.Errorf("%s is told as a finding", f.Rule)
		}
	}
	if len(got.Ignored) != 3 {
		t.Fatalf("%d ignored, want 3", len(got.Ignored))
	}
	one, two, three := got.Ignored[0], got.Ignored[1], got.Ignored[2]
	if one.Rule != "SBX201" || one.Ignored.By != "ignore" || one.Ignored.Until != "2027-03-01" || one.Ignored.Dockerfile == nil || one.Fingerprint == "" {
		t.Errorf("got %+v", one)
	}
	if two.Ignored.Config == nil || two.Ignored.Config.Line != 7 || three.Ignored.By != "baseline" {
		t.Errorf("got %+v, %+v", two, three)
	}
	if got.Skipped[0].Rule != "SBX401" || got.Skipped[0].Reason != "turned off by the configuration: closed by policy" {
		t.Errorf("skipped: %+v", got.Skipped[0])
	}
}

// Suppressed results are in SARIF only if they are asked for; then every result says
// whether it is one.
func TestIgnoredInSARIF(t *testing.T) {
	type log struct {
		Runs []struct {
			Results []struct {
				RuleID       string
				Suppressions *[]struct{ Kind, Status, Justification string }
			}
		}
	}
	read := func(r *Report) (out log) {
		if err := json.Unmarshal([]byte(formats()["sarif"](t, r)), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	r := acceptedReport()
	for _, res := range read(r).Runs[0].Results {
		if res.Suppressions != nil || res.RuleID == "SBX201" {
			t.Errorf("%s: %+v", res.RuleID, res.Suppressions)
		}
	}
	r.ShowIgnored = true
	kinds := map[string]string{}
	for _, res := range read(r).Runs[0].Results {
		if res.Suppressions == nil {
			t.Errorf("%s does not say whether it is suppressed", res.RuleID)
			continue
		}
		for _, s := range *res.Suppressions {
			kinds[res.RuleID] = s.Kind + " " + s.Status + " " + s.Justification
		}
	}
	if got := kinds["SBX201"]; got != "inSource accepted accepted by Dockerfile:1 until 2027-03-01: the VM is the boundary" {
		t.Errorf("SBX201: %s", got)
	}
	if got := kinds["SBX301"]; !strings.HasPrefix(got, "external accepted accepted by .sandbox-audit.yaml:7: public") || strings.Contains(got, "\x1b") {
		t.Errorf("SBX301: %q", got)
	}
	if len(kinds) != 3 {
		t.Errorf("suppressed are %v", kinds)
	}
}

// A line that holds a secret is not quoted because its finding is accepted.
func TestIgnoredSecretIsNotQuoted(t *testing.T) {
	r := acceptedReport()
	r.Targets[0].Result.Findings = append(r.Targets[0].Result.Findings, &scan.Finding{
		Rule: rootUser, Level: scan.LevelError, Message: "the same line", At: scan.Location{Source: span(2, 2)}})
	r.ShowIgnored = true
	r.Targets[0].Checklist = policy.Checklist(r.Targets[0].Result)
	for name, write := range formats() {
		if strings.Contains(write(t, r), "not-to-be-quoted") {
			t.Errorf("%s quotes the line", name)
		}
	}
}

func TestIgnoredInText(t *testing.T) {
	r := acceptedReport()
	if text := formats()["txt"](t, r); strings.Contains(text, "\nignored\n") {
		t.Error("ignored findings are listed without being asked for")
	}
	r.ShowIgnored = true
	if text := formats()["txt"](t, r); !strings.Contains(text, "\nignored\n") {
		t.Errorf("ignored findings are not listed:\n%s", text)
	}
}
