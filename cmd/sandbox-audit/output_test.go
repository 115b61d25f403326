package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sandbox-audit/sandbox-audit/internal/report"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

// sarifRule is what code scanning services read of a rule.
type sarifRule struct {
	ID, Name, HelpURI                 string
	ShortDescription, FullDescription struct{ Text string }
	Help                              struct{ Text, Markdown string }
	DefaultConfiguration              struct{ Level string }
	Properties                        struct {
		Tags      []string
		Severity  any    `json:"security-severity"`
		Precision string `json:"precision"`
		Problem   string `json:"problem.severity"`
	}
}

// D83: a log describes every rule, found or not, within what services take.
func TestSARIFRules(t *testing.T) {
	var out bytes.Buffer
	r := &report.Report{Tool: report.Tool{Name: "sandbox-audit", Version: buildVersion(), URI: homepage}, Rules: rules.All(), Docs: ruleDoc}
	if err := report.SARIF(&out, r); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Rules []sarifRule }
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	got := log.Runs[0].Tool.Driver.Rules
	if len(got) != len(rules.All()) {
		t.Fatalf("%d rules of %d", len(got), len(rules.All()))
	}
	for _, rule := range got {
		checkSARIFRule(t, rule)
	}
}

func checkSARIFRule(t *testing.T, r sarifRule) {
	t.Helper()
	const mostText, mostName, mostTags = 1024, 255, 10
	for what, text := range map[string]string{"short": r.ShortDescription.Text, "full": r.FullDescription.Text} {
		if text == "" || utf8.RuneCountInString(text) > mostText {
			t.Errorf("%s: its %s description has %d characters", r.ID, what, utf8.RuneCountInString(text))
		}
	}
	if !strings.HasSuffix(r.ShortDescription.Text, ".") || r.Help.Text == "" || !strings.HasPrefix(r.Help.Markdown, "# "+r.ID) {
		t.Errorf("%s: its texts are %q, %.40q, %.40q", r.ID, r.ShortDescription.Text, r.Help.Text, r.Help.Markdown)
	}
	if r.Name == "" || len(r.Name) > mostName || strings.EqualFold(r.Name, r.ID) || !strings.HasPrefix(r.HelpURI, "https://") {
		t.Errorf("%s: name %q, page %q", r.ID, r.Name, r.HelpURI)
	}
	// Between 8.9 and 9.1 and at the like borders services do not agree.
	if !slices.Contains([]any{"9.5", "8.0", "5.5", "2.0"}, r.Properties.Severity) {
		t.Errorf("%s: security-severity %v", r.ID, r.Properties.Severity)
	}
	if !slices.Contains([]string{"error", "warning", "note"}, r.DefaultConfiguration.Level) || r.Properties.Precision == "" || r.Properties.Problem == "" {
		t.Errorf("%s: level %q, %+v", r.ID, r.DefaultConfiguration.Level, r.Properties)
	}
	cwe := regexp.MustCompile(`^external/cwe/cwe-[0-9]{3,4}$`)
	if tags := r.Properties.Tags; len(tags) > mostTags || tags[0] != "security" || !cwe.MatchString(tags[len(tags)-1]) || len(slices.Compact(slices.Sorted(slices.Values(tags)))) != len(tags) {
		t.Errorf("%s: tags %q", r.ID, tags)
	}
}
