package report

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// marks are what foreign text could do in Markdown.
var markdownMarks = []string{
	"| a | b |", "`code`", "<img src=x onerror=y>", "**bold** _em_ ~~gone~~", "[a](https://example.org) ![b](c)", "https://example.org/x", "www.example.org",
	"@someone a@example.org", "org/repo#123 #1", "&lt;b&gt; &#60;", "# head", "- item", "+ item", "1. item", "2) item", "> quote", "===", "---", "    code", "```", "</details></summary></code></pre>",
	"\\| \\` \\\\", "$x$ $`y`$", "<!-- -->", "*", "a\n\n# b", "a:+1:b :white_check_mark::x:",
}

// structure is what of a document Markdown and HTML take for more than text: the
// first word of each line, if that is a mark, and the marks in it.
func structure(t *testing.T, doc string) string {
	t.Helper()
	doc = regexp.MustCompile(`(?s)<pre>(.*?)</pre>`).ReplaceAllStringFunc(doc, func(pre string) string {
		if strings.Count(pre, "<") != 2 || strings.Count(pre, ">") != 2 {
			t.Errorf("a tag in %q", pre)
		}
		return "<pre/>"
	})
	doc = regexp.MustCompile(`<code>&#(35|36|58|64);</code>|&#[0-9]+;`).ReplaceAllString(doc, "x")
	var out []string
	for _, line := range strings.Split(doc, "\n") {
		first := regexp.MustCompile(`^(#+|-|[0-9]+[.)]|[+>=]+| +|\|)( |$)`).FindString(line)
		out = append(out, first+regexp.MustCompile("[^<>&`*_\\[\\]{}|~!#@$\\\\^]").ReplaceAllString(line, ""))
	}
	return strings.Join(out, "\n")
}

// I6: foreign text changes nothing of the document: it has the same marks as with
// a plain word.
func TestMarkdownKeepsItsStructure(t *testing.T) {
	want := structure(t, formats()["md"](t, hostileReport("plainword")))
	for _, s := range append(markdownMarks, hostile...) {
		if got := structure(t, formats()["md"](t, hostileReport(s))); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", s, got, want)
		}
	}
	if structure(t, "a | b") == structure(t, "a b") || structure(t, "- - a") == structure(t, "a") {
		t.Error("no structure is seen")
	}
}

// What is left of foreign text has no character that means anything to Markdown
// where it stands.
func TestMarkdownText(t *testing.T) {
	entity := regexp.MustCompile(`&#[0-9]+;`)
	for _, s := range append(markdownMarks, hostile...) {
		c := Clean(s, 512)
		text := markdownText(c)
		if back := html.UnescapeString(strings.NewReplacer("<code>", "", "</code>", "").Replace(text)); back != c {
			t.Errorf("%q reads %q", c, back)
		}
		bare := entity.ReplaceAllString(strings.NewReplacer("<code>", "", "</code>", "").Replace(text), "")
		if strings.ContainsAny(bare, "\n<>&`*_[]{}|~!#@$\\^") || strings.Contains(bare, "://") || regexp.MustCompile(`(?i)www\.`).MatchString(bare) {
			t.Errorf("%q gives %q", c, text)
		}
		if regexp.MustCompile(`:[a-z0-9_+-]+:`).MatchString(text) {
			t.Errorf("%q has an emoji: %q", c, text)
		}
		if regexp.MustCompile(`^([-+=> :]|[0-9]+[.)])`).MatchString(text) {
			t.Errorf("%q begins a block: %q", c, text)
		}
	}
}

// I8, and GitHub's limit: what is too long is cut between two findings, and said.
func TestMarkdownIsCapped(t *testing.T) {
	res := imageResult()
	res.Findings = nil
	for i := range 3000 {
		level := []scan.Level{scan.LevelNote, scan.LevelError}[i%2]
		res.Findings = append(res.Findings, &scan.Finding{Rule: pythonSource, Level: level, Message: fmt.Sprintf("finding %d %s", i, strings.Repeat("|", 100))})
	}
	out := formats()["md"](t, newReport(res))
	if len(out) > markdownBytes || len(out) < markdownBytes*9/10 {
		t.Errorf("%d bytes", len(out))
	}
	if a, b := strings.Count(out, "<details>"), strings.Count(out, "</details>"); a != b || a < 500 {
		t.Errorf("%d open, %d close", a, b)
	}
	if !strings.Contains(out, "🔴") || strings.Contains(out, "🔵") || !regexp.MustCompile(`\n\*\*[0-9]+ parts left out here\*\*: [^\n]+\n$`).MatchString(out) {
		t.Errorf("the end is %q", out[len(out)-300:])
	}
}
