package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// The hashes are those that the upload action computes of the same text.
func TestLineHashes(t *testing.T) {
	const two = "89a8e831548d40f6:1 500682de41cd65c9:1 c129715d7a2bc9a3:1"
	for _, tt := range []struct{ file, want string }{
		{"", "c129715d7a2bc9a3:1"},
		{"FROM debian", "dabfd494ce346c82:1"},
		{"FROM debian\n", "eb66bce0790c1dd8:1 c129715d7a2bc9a3:1"},
		{"FROM debian\nUSER 1\n", two},
		{"FROM debian\r\nUSER 1\r\n", two},
		{"FROM debian\rUSER 1\r", two},
		{"FROM  debian\n\tUSER 1 \n", two},
		{"# ü🎉 \ufeff\nUSER 1\n", "a580a7cb92d92ef6:1 500682de41cd65c9:1 c129715d7a2bc9a3:1"},
		{"\r \n\n\r\nX", "53f961ffed29bba7:1 2aeb03f747e78cb9:1 3bd76cb76556c453:1 ae02907ba669cd95:1 2e3ebbd90e2a241f:1"},
		{"A\r\r\nB", "58fd96a9ac31139e:1 d1c6d2b1a537c8ef:1 599c4da6e1ef7821:1"},
		{"RUN " + strings.Repeat("x", 150) + "\nUSER 1", "c851f7e3f222d295:1 78d77d244ee81d3b:1"},
		{strings.Repeat("RUN true\n", 16), "e190c6a3a883fed5:1 e190c6a3a883fed5:2 e190c6a3a883fed5:3 e190c6a3a883fed5:4 e190c6a46e1f05e7:1 25f2123537ed4b7c:1 " +
			"900b753d677fed71:1 f8ac5b7023c67fc6:1 30781c5c9ba167b:1 2cc203b25fad4590:1 6a01284c8e9c2105:1 759d546617c3cda:1 117449310a8cad0f:1 " +
			"6fc34f1ceea605a4:1 80be33f368a5a99:1 93719ade26353fee:1 c129715d7a2bc9a3:1"},
	} {
		var got []string
		for _, h := range lineHashes(tt.file) {
			got = append(got, h.text)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: got %q\nwant %q", tt.file, got, tt.want)
		}
	}
}

// A hash is written for lines in whose window no secret stands: guesses could be tried
// on it.
func TestLinesWithSecretsHaveNoHash(t *testing.T) {
	file := "FROM a\nENV KEY=hunter2\nRUN " + strings.Repeat("y", 120) + "\nRUN make\nUSER 1\n"
	res := dockerfileResult()
	res.Findings = []*scan.Finding{{Rule: secretInEnv, Message: "m", At: scan.Location{Source: span(2, 2)}}}
	r := newReport(res)
	hashed := func(text string) (out []bool) {
		r.Source = func(string) []byte { return []byte(text) }
		r.Snippet = func(_ string, first, last int) []string { return strings.Split(text, "\n")[first-1 : last] }
		h := r.hashes()
		for n := range 7 {
			out = append(out, h.hashed(span(n, n)) != "")
		}
		return out
	}
	// Line 4 is masked, and lines 1 to 4 reach one of the two; there is no line 0.
	if got := hashed(file); !slices.Equal(got, []bool{false, false, false, true, false, true, true}) {
		t.Errorf("got %v", got)
	}
	for _, odd := range []string{strings.Replace(file, "\nUSER", "\rUSER", 1), file + "\xff"} {
		if got := hashed(odd); slices.Contains(got, true) {
			t.Errorf("%q: got %v", odd, got)
		}
	}
	r.Source = nil
	if got := r.hashes().hashed(dockerfile.Span{Path: "Dockerfile", Start: 5, End: 5}); got != "" {
		t.Errorf("without the file: %s", got)
	}
}
