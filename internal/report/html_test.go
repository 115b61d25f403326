package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

var htmlMarks = []string{
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "</title></style></script><svg onload=alert(1)>", "' onmouseover='alert(1)",
	"javascript:alert(1)", "<!-- x", "]]>", "&lt;b&gt;", "{{.}}", "${alert(1)}", "</code></pre></article>", "\x00<a>", "%3Cscript%3E", "<base href=//x>",
}

// tags are the start and end tags of a page with their attributes, and fail the
// test if the page is not well-formed. The style and script are left out: they are
// no one's text but ours, and no XML.
func tags(t *testing.T, page string) (out []string, texts string) {
	t.Helper()
	page = strings.NewReplacer(htmlStyle, "", htmlScript, "", "<!DOCTYPE html>\n", "", "&nbsp;", " ").Replace(page)
	dec := xml.NewDecoder(strings.NewReader(page))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return out, texts
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			tag := token.Name.Local
			for _, a := range token.Attr {
				tag += fmt.Sprintf(" %s=%q", a.Name.Local, a.Value)
			}
			out = append(out, tag)
		case xml.EndElement:
			out = append(out, "/"+token.Name.Local)
		case xml.CharData:
			texts += string(token)
		case xml.Comment, xml.Directive, xml.ProcInst:
			t.Errorf("the page has a comment or directive %v", token)
		}
	}
}

// I6: foreign text is text: it adds no tag and no attribute, and changes none.
func TestHTMLKeepsItsStructure(t *testing.T) {
	want, _ := tags(t, formats()["html"](t, hostileReport("plainword")))
	for _, s := range append(htmlMarks, markdownMarks...) {
		got, texts := tags(t, formats()["html"](t, hostileReport(s)))
		if !slices.Equal(got, want) {
			t.Errorf("%q changes the page", s)
		}
		if c := Clean(s, 512); strings.Count(texts, c) < 20 {
			t.Errorf("%q stands %d times in the text", c, strings.Count(texts, c))
		}
	}
}

// The page asks for nothing from anywhere, links only inside itself or to our own
// pages, and its policy lets only its own style and script in.
func TestHTMLIsAlone(t *testing.T) {
	address := regexp.MustCompile(`(?i)\b(src|href|action|formaction|srcset|data|poster|background|ping|style|on[a-z]+)="([^"]*)"`)
	for name, r := range allReports() {
		out := formats()["html"](t, r)
		ts, _ := tags(t, out)
		ids := map[string]bool{}
		for _, tag := range ts {
			if m := regexp.MustCompile(` id="([^"]*)"`).FindStringSubmatch(tag); m != nil {
				if ids[m[1]] {
					t.Errorf("%s: two elements are called %s", name, m[1])
				}
				ids[m[1]] = true
			}
			if slices.Contains([]string{"img", "link", "iframe", "object", "embed", "base", "image", "use"}, strings.Fields(tag)[0]) {
				t.Errorf("%s: has %s", name, tag)
			}
		}
		for _, tag := range ts {
			for _, m := range address.FindAllStringSubmatch(tag, -1) {
				switch {
				case m[1] == "href" && strings.HasPrefix(m[2], "#") && ids[m[2][1:]]:
				case m[1] == "href" && strings.HasPrefix(m[2], "https://example.org/") && strings.Contains(tag, "noreferrer"):
				default:
					t.Errorf("%s: %s", name, tag)
				}
			}
		}
		checkPolicy(t, name, out)
	}
	for _, asset := range []string{htmlStyle, htmlScript} {
		if m := regexp.MustCompile(`(?i)https?:|url\(|@import|fetch|XMLHttp|innerHTML|eval|document\.write|</`).FindString(asset); m != "" {
			t.Errorf("the style or script has %q", m)
		}
	}
}

func checkPolicy(t *testing.T, name, out string) {
	t.Helper()
	m := regexp.MustCompile(`(?s)Content-Security-Policy" content="([^"]*)".*<style>(.*)</style>.*<script>(.*)</script>`).FindStringSubmatch(out)
	if m == nil || strings.Count(out, "<script") != 1 || strings.Count(out, "<style") != 1 {
		t.Fatalf("%s: not one policy, style and script", name)
	}
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "&#39;sha256-" + strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;") + "&#39;"
	}
	want := "default-src &#39;none&#39;; style-src " + hash(m[2]) + "; script-src " + hash(m[3]) + "; base-uri &#39;none&#39;; form-action &#39;none&#39;"
	if m[1] != want {
		t.Errorf("%s: policy %s\nwant %s", name, m[1], want)
	}
}

// Without its script the page shows all that the text shows.
func TestHTMLNeedsNoScript(t *testing.T) {
	_, texts := tags(t, formats()["html"](t, newReport(imageResult())))
	for _, want := range []string{
		"12 first-party Python sources", "/app/m11.py", "FROM python:3.13-slim", "calls agent.serve as user 1000", "deleted in layer 4",
		"only its first 8 MiB were read", "Dockerfile:2 is not shown", "port 22/tcp is exposed", "RUN [masked]", "ADD file:0123", "cap_setuid",
	} {
		if !strings.Contains(texts, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

// A finding shows the part of the line that it is about and the patch that mends it,
// but of a secret neither.
func TestHTMLShowsPatches(t *testing.T) {
	r, _ := mendableReport(t)
	out := formats()["html"](t, r)
	for _, want := range []string{
		"<mark>LOG=debug</mark>", "<del>- ENV A=&#34;ü🎉&#34; LOG=debug</del>", "<ins>+ ENV A=&#34;ü🎉&#34; LOG=info</ins>", "<mark>777</mark> /data", "which may change more", "<code class=\"line\">Dockerfile:9</code>",
		"Dockerfile:11 is not shown", "<del>- ENV API_TOKEN=***</del>",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not there:\n%s", want, out[strings.Index(out, "<article"):strings.LastIndex(out, "</article>")])
		}
	}
	tags(t, out)
	for ext, write := range formats() {
		if strings.Contains(write(t, r), "t0ps3cr3t") {
			t.Errorf("%s shows a secret", ext)
		}
	}
}

func TestTallies(t *testing.T) {
	img := builtImage()
	file(img, 0, "/etc/a", image.Replaced, 2)
	file(img, 0, "/etc/b", image.Live, 0)
	file(img, 1, "/c", image.Deleted, 2)
	file(img, 2, "/etc/a", image.Live, 0)
	link := file(img, 2, "/hard", image.Live, 0)
	link.File.HardLink = true
	got := fmt.Sprint(tallies(img))
	if want := "[{2 0 2000 1000 0} {1 0 2000 2000 0} {1 2 3000 0 3000} {0 0 0 0 0}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1536: "1.5 KiB", 5 << 20: "5.0 MiB", 3 << 30: "3.0 GiB", 2 << 40: "2.0 TiB", 5 << 50: "5120.0 TiB"} {
		if got := size(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

// One sequence is drawn once, however many rules tell it; lanes are bounded.
func TestLaunches(t *testing.T) {
	res := imageResult()
	f := &scan.Finding{Rule: rootUser, Level: scan.LevelError, Message: "m"}
	for i := range 2 * mostDrawn {
		f.Via(scan.Location{Path: fmt.Sprintf("/app/%d.py", i), Line: 1}, "step %d", i)
	}
	res.Findings = append(res.Findings, f)
	r := newReport(res)
	drawn := r.htmlLaunches("t1", r.Targets[0]).drawn
	if len(drawn) != 2 || !slices.Equal(drawn[0].Shows, []string{"SBX207"}) {
		t.Fatalf("got %+v", drawn)
	}
	if l := drawn[1]; l.Lanes != mostLanes || len(l.Steps) != mostDrawn || l.Before != mostDrawn || l.Steps[0].Number != mostDrawn+1 {
		t.Errorf("%d lanes, %d steps after %d", l.Lanes, len(l.Steps), l.Before)
	}
}

// What happens as root is told apart by shape and in words, not by colour alone.
func TestLaunchPhases(t *testing.T) {
	res := imageResult()
	f := &scan.Finding{Rule: rootUser, Level: scan.LevelError, Message: "m"}
	for _, who := range []string{"root", "root", "uid 1000", "uid 1000", "root", ""} {
		f.Via(scan.Location{Path: "/app/main.py", Line: 1}, "step")
		f.RunsAs(who)
	}
	res.Findings, res.Claims = []*scan.Finding{f}, nil
	r := newReport(res)
	var got []string
	for _, s := range r.htmlLaunches("t1", r.Targets[0]).drawn[0].Steps {
		got = append(got, s.Was+">"+s.Phase+":"+s.As)
	}
	if want := []string{">root:root", "root>root:", "root>user:uid 1000", "user>user:", "user>root:root", "root>:"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	ts, texts := tags(t, formats()["html"](t, r))
	count := func(prefix string) (n int) {
		for _, tag := range ts {
			if strings.HasPrefix(tag, prefix) {
				n++
			}
		}
		return n
	}
	// One of each more is in the legend.
	if a, b := count(`rect class="root"`), count(`circle class="user"`); a != 4 || b != 3 || strings.Count(texts, "as uid 1000") != 1 {
		t.Errorf("%d squares, %d circles", a, b)
	}
}

func TestBlocks(t *testing.T) {
	got := fmt.Sprint(blocks("One `a`\nand [b](https://x.org).\n\n```sh\nrun  it\n\nnow\n```\n- first\n  more\n- **second**\n\nEnd"))
	want := "[{p [{false One } {true a} {false  and b (https://x.org).}]} {pre [{false run  it\n\nnow}]} {item [{false first more}]} {item [{false second}]} {p [{false End}]}]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
