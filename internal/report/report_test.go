package report

import (
	"encoding/base64"
	"flag"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGolden(t *testing.T) {
	for name, r := range reports() {
		for ext, write := range formats() {
			t.Run(name+"."+ext, func(t *testing.T) {
				got := shown(write(t, r))
				path := filepath.Join("testdata", name+"."+ext)
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	for ext, write := range formats() {
		one, two := reports(), reports()
		for name := range one {
			if a, b := write(t, one[name]), write(t, two[name]); a != b {
				t.Errorf("%s.%s differs from run to run:\n%s\n%s", name, ext, a, b)
			}
		}
	}
}

// I1, I2, I5: what no format may print, whatever stands in the image.
func TestNoFormatPrintsForbiddenBytes(t *testing.T) {
	for _, s := range hostile {
		for ext, write := range formats() {
			if wrong := unfit(ext, write(t, hostileReport(s))); wrong != "" {
				t.Errorf("%s of %q: %s", ext, s, wrong)
			}
		}
	}
}

// I8: long foreign strings are cut in every format.
func TestNoFormatPrintsLongStrings(t *testing.T) {
	long := strings.Repeat("0123456789", 300)
	for ext, write := range formats() {
		if ext == "json" {
			continue // path_bytes holds the truth
		}
		if out := write(t, hostileReport(long)); strings.Contains(out, long) {
			t.Errorf("%s prints a string of %d bytes whole", ext, len(long))
		}
	}
}

// The lines that a finding about a secret points to, and the values of build
// arguments, are in no format.
func TestNothingSecretIsQuoted(t *testing.T) {
	res := imageResult()
	root := res.Findings[1]
	root.At.Source = span(1, 3) // a span that takes in the line with the secret
	for ext, write := range formats() {
		out := write(t, newReport(res))
		if strings.Contains(out, "not-to-be-quoted") {
			t.Errorf("%s quotes a line or build argument:\n%s", ext, out)
		}
		r := newReport(imageResult())
		r.Mask = nil
		if out := write(t, r); strings.Contains(out, "FROM python") || strings.Contains(out, "COPY .") {
			t.Errorf("%s quotes what nobody could mask:\n%s", ext, out)
		}
	}
}

// A secret in a path, a message or a name is masked in every format, also where
// JSON holds a path's bytes.
func TestSecretsAreMaskedWhereverTheyStand(t *testing.T) {
	const token = "t0ps3cr3t"
	r := hostileReport("/app/" + token + "/\x01main.py")
	r.Mask = func(s string) string { return strings.ReplaceAll(s, token, "***") }
	for ext, write := range formats() {
		out := write(t, r)
		for _, word := range []string{token, base64.StdEncoding.EncodeToString([]byte("/app/" + token + "/"))[:16]} {
			if strings.Contains(out, word) {
				t.Errorf("%s shows %s:\n%s", ext, word, out)
			}
		}
		if !strings.Contains(html.UnescapeString(out), "/app/***/") {
			t.Errorf("%s does not show the rest", ext)
		}
	}
}

// What masks a line reads it as the instruction it is, so a line that is none is
// not quoted: "EVN PASSWORD hunter2".
func TestNoLineThatWasNotUnderstoodIsQuoted(t *testing.T) {
	for _, fatal := range []bool{true, false} {
		res := dockerfileResult()
		res.Findings = append(res.Findings, &scan.Finding{Rule: notAudited, Level: scan.LevelError, Message: "unknown instruction EVN", At: scan.Location{Source: span(12, 12)}})
		res.Target.Build.File.Problems = []dockerfile.Problem{{Span: span(12, 12), What: "unknown instruction EVN", Fatal: fatal}}
		if out := formats()["txt"](t, newReport(res)); strings.Contains(out, "EXPOSE 22") == fatal {
			t.Errorf("fatal %v:\n%s", fatal, out)
		}
	}
}

// An instruction that was not understood makes the audit of its Dockerfile
// incomplete; beside a real image it is a remark.
func TestUnreadInstructionIsToldOnce(t *testing.T) {
	for _, predicted := range []bool{true, false} {
		res := dockerfileResult()
		res.Target.Image.Predicted = predicted
		res.Target.Build.File.Problems = []dockerfile.Problem{{Span: span(4, 4), What: "unknown instruction FRM", Hint: "did you mean FROM?", Fatal: true}}
		r := newReport(res)
		missing, remarks := r.notAudited(res), r.remarks(res)
		if predicted != (len(missing) == 1 && len(remarks) == 0) || !predicted != (len(missing) == 0 && len(remarks) == 1) {
			t.Errorf("predicted %v: not audited %v, remarks %v", predicted, missing, remarks)
		}
		const want = "\n  Dockerfile:4: unknown instruction FRM\n    hint: did you mean FROM?\n"
		if out := formats()["txt"](t, r); strings.Count(out, want) != 1 {
			t.Errorf("predicted %v:\n%s", predicted, out)
		}
	}
}

func TestClip(t *testing.T) {
	if got := clip(strings.Repeat("é", 1025)); got != strings.Repeat("é", 1021)+"..." {
		t.Errorf("got %d characters", utf8.RuneCountInString(got))
	}
	if s := strings.Repeat("é", 1024); clip(s) != s {
		t.Error("a description of the greatest length is cut")
	}
}

func TestInstruction(t *testing.T) {
	for createdBy, want := range map[string]string{
		"/bin/sh -c #(nop)  CMD [\"sh\"]":                     `CMD ["sh"]`,
		"/bin/sh -c apt-get update":                           "RUN apt-get update",
		"RUN /bin/sh -c make # buildkit":                      "RUN make",
		"RUN |2 A=b C=d /bin/sh -c make # buildkit":           "RUN make",
		"|1 A=x /bin/sh -c tail-of-a-value /bin/sh -c make":   "RUN make",
		"RUN |1 A=b /bin/bash -o pipefail -c make # buildkit": "RUN ...",
		"COPY a b # buildkit":                                 "COPY a b",
		"":                                                    "",
	} {
		if got := instruction(createdBy); got != want {
			t.Errorf("%q: got %q, want %q", createdBy, got, want)
		}
	}
}

func TestFirstSentence(t *testing.T) {
	for in, want := range map[string]string{
		"Remove it, e.g. with `rm`, and\nrevoke it. Then rest.\n\nMore.": "Remove it, e.g. with rm, and revoke it.",
		"Keep `.env` out. Yes.":          "Keep .env out.",
		"Use [secrets](https://x.org/).": "Use secrets (https://x.org/).",
		"No end\n\nMore.":                "No end",
		"":                               "",
	} {
		if got := firstSentence(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
