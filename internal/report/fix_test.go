package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

const mendable = `FROM scratch
ENV A="ü🎉" LOG=debug
RUN one && \
    two && \
    three && \
    four && \
    five && \
    six && \
    chmod 777 /data && \
    eight
ENV API_TOKEN=t0ps3cr3t B=2
`

// mendableReport has a finding about a pair, one about a word far down in a RUN, and
// one about a secret. Each has a fix.
func mendableReport(t *testing.T) (*Report, []scan.Edit) {
	t.Helper()
	file, err := dockerfile.Parse("Dockerfile", []byte(mendable), limits.Default())
	if err != nil {
		t.Fatal(err)
	}
	b, err := file.Build("", nil)
	if err != nil {
		t.Fatal(err)
	}
	instrs := file.Stages[0].Instrs
	var edits []scan.Edit
	find := func(r *scan.Rule, in *dockerfile.Instr, at scan.Location, edit dockerfile.Range, text string) *scan.Finding {
		e := scan.Edit{Path: "Dockerfile", At: edit, New: text}
		edits = append(edits, e)
		at.Source = in.Span
		return (&scan.Finding{Rule: r, Level: scan.LevelError, Message: "found", At: at}).Mend(&scan.Fix{Description: "mend it", Edits: []scan.Edit{e}, Safe: text != ""})
	}
	word := file.Layout(instrs[1]).Mention("777")
	rule := &scan.Rule{ID: "SBX209", Name: "mode", Step: scan.Privilege, Level: scan.LevelError, Where: scan.InDockerfile, CWE: []int{1}}
	secret := &scan.Rule{ID: "SBX301", Name: "secret-in-env", Step: scan.Environment, Level: scan.LevelError, Where: scan.InDockerfile, CWE: []int{1}}
	found := []*scan.Finding{
		find(rule, instrs[0], scan.Location{Field: "Env.LOG", Focus: file.Layout(instrs[0]).Pair("LOG")}, file.Layout(instrs[0]).Pair("LOG"), "LOG=info"),
		find(rule, instrs[1], scan.Location{Path: "/data", Focus: word}, word, "755"),
		find(secret, instrs[2], scan.Location{Field: "Env.API_TOKEN", Focus: file.Layout(instrs[2]).Pair("API_TOKEN")}, file.Layout(instrs[2]).PairGap("API_TOKEN"), ""),
	}
	lines := strings.Split(strings.TrimSuffix(mendable, "\n"), "\n")
	return &Report{
		Tool: Tool{Name: "sandbox-audit", Version: "1.0.0"}, Rules: []*scan.Rule{rule, secret},
		Targets: []Target{{Result: &scan.Result{Target: scan.Target{Name: "Dockerfile", Kind: "dockerfile", Image: &image.Image{Predicted: true}, Build: b}, Findings: found}}},
		Snippet: func(_ string, first, last int) []string { return lines[min(first-1, len(lines)):min(last, len(lines))] },
		Mask:    func(s string) string { return s }, // what is withheld is so without its help
	}, edits
}

func TestPartsAreUnderlined(t *testing.T) {
	r, _ := mendableReport(t)
	out := formats()["txt"](t, r)
	for _, want := range []string{
		"             2 | ENV A=\"ü🎉\" LOG=debug\n               |            ^^^^^^^^^\n",
		"              9 |     chmod 777 /data && \\\n                |           ^^^\n",
		"SBX209 mode  Dockerfile:9\n",
		"              9 -     chmod 777 /data && \\\n              9 +     chmod 755 /data && \\\n",
		"fix (unsafe): mend it\n             11 - ENV API_TOKEN=***\n             11 + ENV B=***\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if strings.Count(out, "^") != 12 { // of the secret, nothing
		t.Errorf("something else is underlined:\n%s", out)
	}
}

// A part is underlined as it is shown: its true length is not told. One that can't be
// found again in the line as it is shown is not underlined.
func TestMaskedLinesAreUnderlinedAsShown(t *testing.T) {
	r, _ := mendableReport(t)
	r.Mask = func(s string) string { return strings.ReplaceAll(s, "debug", "***") }
	if out := formats()["txt"](t, r); !strings.Contains(out, "LOG=***\n               |            ^^^^^^^\n") {
		t.Errorf("got\n%s", out)
	}
	r.Mask = func(s string) string { return strings.ReplaceAll(s, "A=\"ü🎉\" LOG=debug", "***") }
	if out := formats()["txt"](t, r); !strings.Contains(out, "2 | ENV ***\n           fix") {
		t.Errorf("got\n%s", out)
	}
}

func TestFixesInSARIF(t *testing.T) {
	r, _ := mendableReport(t)
	out := formats()["sarif"](t, r)
	schema := compile(t, "testdata/sarif-schema-2.1.0.json", jsonschema.Draft7, func(any) {})
	if err := schema.Validate(decode(t, out)); err != nil {
		t.Fatal(err)
	}
	type region struct{ StartLine, StartColumn, EndLine, EndColumn int }
	var log struct {
		Runs []struct {
			Results []struct {
				Locations []struct {
					PhysicalLocation struct{ Region, ContextRegion region }
				}
				Fixes []struct {
					ArtifactChanges []struct {
						ArtifactLocation struct{ URI string }
						Replacements     []struct {
							DeletedRegion   region
							InsertedContent struct{ Text string }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	results := log.Runs[0].Results
	if got, want := results[0].Locations[0].PhysicalLocation.Region, (region{2, 13, 2, 22}); got != want {
		t.Errorf("the pair is at %v, want %v", got, want) // the emoji counts as two
	}
	at := results[1].Locations[0].PhysicalLocation
	if at.Region != (region{9, 11, 9, 14}) || at.ContextRegion != (region{3, 0, 10, 0}) {
		t.Errorf("the word is at %v in %v", at.Region, at.ContextRegion)
	}
	change := results[1].Fixes[0].ArtifactChanges[0]
	if change.ArtifactLocation.URI != "Dockerfile" || change.Replacements[0].DeletedRegion != (region{9, 11, 9, 14}) || change.Replacements[0].InsertedContent.Text != "755" {
		t.Errorf("got %+v", change)
	}
}

func TestFixesInJSON(t *testing.T) {
	r, _ := mendableReport(t)
	out := formats()["json"](t, r)
	if err := compile(t, "../../docs/result.schema.json", jsonschema.Draft2020, closed).Validate(decode(t, out)); err != nil {
		t.Error(err)
	}
	var d document
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	f := d.Targets[0].Findings[1]
	word := jsonRange{9, 11, 9, 14}
	if *f.Dockerfile.Focus != word || f.Fix == nil || !f.Fix.Safe || f.Fix.Edits[0] != (jsonEdit{"Dockerfile", word, "755"}) {
		t.Errorf("got %+v, %+v", f.Dockerfile, f.Fix)
	}
}

func TestNoFormatShowsWhatAFixRemoves(t *testing.T) {
	r, edits := mendableReport(t)
	for ext, write := range formats() {
		if out := write(t, r); strings.Contains(out, "t0ps3cr3t") {
			t.Errorf("%s shows it:\n%s", ext, out)
		}
	}
	var b strings.Builder
	if err := Diff(&b, r, r.Targets[0].Result, edits, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	const want = `--- Dockerfile
+++ Dockerfile
@@ -1,11 +1,11 @@
 FROM scratch
-ENV A="ü🎉" LOG=debug
+ENV A="ü🎉" LOG=info
 RUN one && \
     two && \
     three && \
     four && \
     five && \
     six && \
-    chmod 777 /data && \
+    chmod 755 /data && \
     eight
-ENV API_TOKEN=***
+ENV B=***
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestVeiled(t *testing.T) {
	for line, want := range map[string]string{
		"ENV TOKEN=abc B=c": "ENV TOKEN=***", "  arg TOKEN=abc": "  arg TOKEN=***", "ENV TOKEN abc": "ENV TOKEN=***", "ARG TOKEN": "ARG TOKEN",
		"RUN --mount=type=secret,id=T,env=T curl abc": "RUN --mount=type=secret,id=T,env=T ***", "RUN curl abc": "RUN ***", "RUN --x=abc y": "RUN ***",
		"    TOKEN=abc": "***", "COPY abc d": "***", "": "", "ENV =abc": "***", "LABEL \"abc\"=d": "***", "ENVTOKEN=abc": "***", "RUNabc": "***",
	} {
		if got := veiled(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
