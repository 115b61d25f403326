package report

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sandbox-audit/sandbox-audit/internal/compare"
	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// compared are comparisons that have something in every part: one of everything with
// the given text, one with a failure, one with a record.
func compared(r *Report, text string) map[string]*compare.Comparison {
	res := r.Targets[0].Result
	f := res.Findings[0]
	all := []compare.Change{{Rule: f.Rule, Finding: f, Was: text, Worse: true, Doubt: text, Now: "SBX101"}}
	recorded := []compare.Change{{Rule: f.Rule, Recorded: policy.Recorded{Fingerprint: strings.Repeat("0", 32), Rule: "SBX101", Origin: text, Place: text, Count: 2}},
		{Recorded: policy.Recorded{Rule: "SBX999", Count: 1}, Doubt: text}}
	layers := res.Target.Image.Layers
	c := &compare.Comparison{
		Old: compare.Side{Name: text, Result: res}, New: compare.Side{Name: text, Result: res},
		Verdicts: []compare.Verdict{{Step: scan.Privilege, Old: policy.Pass, New: policy.Fail, OldKnown: true, NewKnown: true}},
		Brought:  all, PerhapsBrought: all, Fixed: all, PerhapsFixed: all, Turned: all, Remaining: all, Accepted: all, Elsewhere: 3,
		Layers:   []compare.Layer{{Old: layers[0], Took: all, Uncovered: all}, {Old: layers[0], New: layers[1]}, {New: layers[1], Brought: all}, {Old: layers[1], New: layers[1]}},
		Settings: []compare.Setting{{Name: "user", Field: "User", Old: text}, {Name: "env", Added: []string{text}, Removed: []string{text}, Changed: []string{text}}},
	}
	return map[string]*compare.Comparison{
		"full":     c,
		"same":     {Identical: true, Old: c.Old, New: c.New, Remaining: all},
		"failed":   {Old: compare.Side{Name: text, Failure: text, Hint: text}, New: compare.Side{Name: text, Failure: text}},
		"recorded": {Old: compare.Side{Name: text, Record: &policy.Baseline{}}, New: c.New, Fixed: recorded, PerhapsFixed: recorded},
	}
}

func compareFormats(t *testing.T, r *Report, c *compare.Comparison) map[string]string {
	t.Helper()
	var text, tty, doc, md strings.Builder
	for _, err := range []error{
		CompareText(&text, r, c, CompareOptions{All: true}),
		CompareText(&tty, r, c, CompareOptions{TextOptions: TextOptions{Width: 60, Color: true}}),
		CompareJSON(&doc, r, c), CompareMarkdown(&md, r, c),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{"text": text.String(), "tty": tty.String(), "json": doc.String(), "markdown": md.String()}
}

// compareSchema is the schema with that of results, both closed.
func compareSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	const base = "https://github.com/sandbox-audit/sandbox-audit/blob/main/docs/"
	for _, name := range []string{"result", "compare"} {
		text, err := os.ReadFile("../../docs/" + name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		doc := decode(t, string(text))
		root := doc.(map[string]any)
		root["unevaluatedProperties"] = name != "compare"
		for def, s := range root["$defs"].(map[string]any) {
			if def != "place" && def != "layer" || name == "compare" { // those are parts of others
				s.(map[string]any)["unevaluatedProperties"] = false
			}
		}
		if err := c.AddResource(base+name+".schema.json", doc); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := c.Compile(base + "compare.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestCompareFormatsAreSafe(t *testing.T) {
	schema := compareSchema(t)
	if schema.Validate(decode(t, `{"schema":"sandbox-audit-compare/1"}`)) == nil {
		t.Error("the schema takes anything")
	}
	for _, s := range append([]string{"plain"}, hostile...) {
		r := hostileReport(s)
		for name, c := range compared(r, s) {
			for format, out := range compareFormats(t, r, c) {
				clean := strings.NewReplacer("\x1b[", "", "\n", "").Replace(out)
				if !utf8.ValidString(out) || strings.ContainsAny(clean, "\x00\x07\x1b\r\u202e\u200b\u2028\u009b") {
					t.Errorf("%s of %q as %s: something foreign is not escaped", name, s, format)
				}
				for line := range strings.Lines(out) {
					if strings.HasPrefix(strings.TrimLeft(line, " "), "::") || strings.Contains(line, "##[") || strings.Contains(strings.ToLower(line), "##vso[") {
						t.Errorf("%s of %q as %s: a line is a command: %s", name, s, format, line)
					}
				}
				if format == "markdown" && (strings.Contains(out, "](https://example.org)") || strings.Contains(out, "</script>")) {
					t.Errorf("%s of %q: a link or tag is made: %s", name, s, out)
				}
			}
			if err := schema.Validate(decode(t, compareFormats(t, r, c)["json"])); err != nil {
				t.Errorf("%s of %q: %v", name, s, err)
			}
		}
	}
}

func TestCompareMarkdownFitsAComment(t *testing.T) {
	r := newReport(imageResult())
	c := compared(r, "x")["full"]
	one := c.Brought[0]
	for range 500 {
		c.Brought = append(c.Brought, one)
	}
	out := compareFormats(t, r, c)["markdown"]
	if len(out) > commentBytes || !strings.Contains(out, "parts left out here") || strings.Count(out, "<details>") != strings.Count(out, "</details>") {
		t.Errorf("%d bytes, ending with %q", len(out), out[len(out)-200:])
	}
}

// A command that a finding about a secret points to is not shown, and nothing is
// without a mask.
func TestCompareHidesSecrets(t *testing.T) {
	res := imageResult()
	res.Findings = append(res.Findings, &scan.Finding{Rule: secretInEnv, Level: scan.LevelError, Message: "m", At: scan.Location{Field: "Entrypoint"}})
	r := newReport(res)
	c := compared(r, "x")["full"]
	c.Settings = []compare.Setting{{Name: "entrypoint", Field: "Entrypoint", Old: "run not-to-be-quoted", New: ""}}
	for format, out := range compareFormats(t, r, c) {
		if strings.Contains(out, "not-to-be-quoted") || !strings.Contains(out, "not shown") && !strings.Contains(out, "not&#32;shown") {
			t.Errorf("%s: %s", format, out)
		}
	}
}

func TestCompareIdenticalTakesOneLine(t *testing.T) {
	r := newReport(imageResult())
	c := compared(r, "x")["same"]
	c.Old.Name, c.New.Name = "a.tar", "b.tar"
	c.Remaining[0].Worse = false
	var b strings.Builder
	if err := CompareText(&b, r, c, CompareOptions{}); err != nil {
		t.Fatal(err)
	}
	if want := "a.tar and b.tar are the same image; nothing brought, 0 fixed, 1 still there\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	var d jsonComparison
	if err := json.Unmarshal([]byte(compareFormats(t, r, c)["json"]), &d); err != nil || !d.Identical {
		t.Errorf("%v, identical %v", err, d.Identical)
	}
}
