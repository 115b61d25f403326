package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// Markdown writes r in GitHub's Markdown, for a step summary or a comment: the
// checklist of each target, what was not audited, and the findings to unfold, the
// worst first. It is at most markdownBytes long; what is left out is said at its end.
func Markdown(w io.Writer, r *Report) error {
	s := &summary{most: markdownBytes}
	s.add("## " + markdownText(r.Tool.Name+": "+r.totals()) + "\n")
	for _, f := range r.Failed {
		s.add("\n**not audited:** " + markdownCode(r.targetName(f.Name)) + ": " + markdownText(join(r.sentence(f.Message), r.sentence(f.Hint))) + "\n")
	}
	for _, t := range r.Targets {
		s.add(r.markdownTarget(t))
	}
	for level := scan.LevelError; level >= scan.LevelNote; level-- {
		head := fmt.Sprintf("\n### %s %ss\n", levelMark(level), level)
		for _, t := range r.Targets {
			q := r.quoter(t.Result)
			for _, f := range t.Result.Findings {
				if f.Level == level && s.add(head+r.markdownFinding(q, f)) {
					head = ""
				}
			}
		}
	}
	if s.left > 0 {
		fmt.Fprintf(s, "\n**%s left out here**: a summary takes no more. The other formats tell all.\n", plural(s.left, "part"))
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// markdownBytes is the most that Markdown writes. GitHub takes 1 MiB for the
// summary of a step, and something else may have written to it before.
const markdownBytes = 1_000_000

// A summary is Markdown with an end. What does not fit is left out whole, so that
// nothing stays open.
type summary struct {
	strings.Builder
	most int // bytes
	left int // parts that did not fit
}

// add writes a part if it fits, and reports whether it did.
func (s *summary) add(part string) bool {
	const reserve = 200 // for the line that tells of what is left out
	if s.Len()+len(part)+reserve > s.most {
		s.left++
		return false
	}
	s.WriteString(part)
	return true
}

func (r *Report) markdownTarget(t Target) string {
	target := &t.Result.Target
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n", markdownCode(r.targetName(target.Name)))
	if about := r.about(target, shortDigest(target.Digest)); len(about) > 0 {
		fmt.Fprintf(&b, "%s\n\n", markdownText(strings.Join(about, ", ")))
	}
	b.WriteString("| step | verdict | evidence |\n| --- | --- | --- |\n")
	for i, v := range t.Checklist {
		fmt.Fprintf(&b, "| %d %s | %s&nbsp;%s | %s |\n", i+1, v.Step, verdictMark(v.Answer), v.Answer, r.markdownEvidence(v))
	}
	r.markdownGaps(&b, "Ignored", r.ignored(t.Result))
	r.markdownGaps(&b, "Not audited", r.untold(t.Result))
	r.markdownGaps(&b, "Remarks", r.remarks(t.Result))
	return b.String()
}

func (r *Report) markdownEvidence(v policy.Verdict) string {
	var out []string
	evidence := decisive(v)
	for i, e := range evidence {
		if i == mostEvidence {
			out = append(out, fmt.Sprintf("and %d more", len(evidence)-i))
			break
		}
		const width = 200
		out = append(out, markdownText(r.evidence(e, width)))
	}
	return strings.Join(out, "<br>")
}

func (r *Report) markdownGaps(b *strings.Builder, title string, gaps []gap) {
	if len(gaps) == 0 {
		return
	}
	fmt.Fprintf(b, "\n**%s**\n\n", title)
	for i, g := range gaps {
		if i == mostGaps {
			fmt.Fprintf(b, "- and %d more\n", len(gaps)-i)
			return
		}
		fmt.Fprintf(b, "- %s\n", markdownText(join(r.tell(g), g.Hint)))
	}
}

// mostGaps is how many gaps of one kind Markdown lists of a target.
const mostGaps = 50

func (r *Report) markdownFinding(q *quoter, f *scan.Finding) string {
	var b strings.Builder
	doc := r.doc(f.Rule.ID)
	head := fmt.Sprintf("<strong>%s</strong> %s", f.Rule.ID, f.Rule.Name)
	if !f.At.Source.IsZero() {
		head += " " + markdownCode(r.line(f.At.Lines()))
	}
	fmt.Fprintf(&b, "\n<details><summary>%s %s: %s</summary>\n\n", levelMark(f.Level), head, markdownText(r.sentence(f.Message)))
	r.markdownSnippet(&b, q, f.At)
	if len(r.Targets) > 1 {
		fmt.Fprintf(&b, "- of %s\n", markdownCode(r.targetName(q.target.Name)))
	}
	r.markdownPlaces(&b, q, f)
	if by := q.createdBy(f.At); by != "" {
		fmt.Fprintf(&b, "- by %s\n", markdownCode(by))
	}
	for _, n := range f.Notes {
		fmt.Fprintf(&b, "- %s\n", markdownText(r.told(n, q.target)))
	}
	r.markdownFlow(&b, f.Flow, q.target)
	if fix := firstSentence(doc.Fix); fix != "" {
		fmt.Fprintf(&b, "\n**Help:** %s\n", markdownText(fix))
	}
	r.markdownPatch(&b, q, f)
	if doc.URI != "" {
		fmt.Fprintf(&b, "\n[More on %s](%s)\n", f.Rule.ID, doc.URI)
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

func (r *Report) markdownPlaces(b *strings.Builder, q *quoter, f *scan.Finding) {
	all := places(f)
	for i, at := range all {
		if i == mostPlaces {
			fmt.Fprintf(b, "- and %d more\n", len(all)-i)
			return
		}
		if where := r.inImage(at, q.target); where != "" {
			fmt.Fprintf(b, "- %s\n", markdownCode(where))
		}
	}
}

func (r *Report) markdownSnippet(b *strings.Builder, q *quoter, at scan.Location) {
	lines, first, more := q.excerpt(at)
	if len(lines) == 0 {
		return
	}
	b.WriteString("<pre>")
	for i, line := range lines {
		fmt.Fprintf(b, "%d | %s\n", first+i, html.EscapeString(line))
	}
	if more > 0 {
		fmt.Fprintf(b, "(%d more)\n", more)
	}
	b.WriteString("</pre>\n\n")
}

// markdownPatch shows the patch of a finding as the text does.
func (r *Report) markdownPatch(b *strings.Builder, q *quoter, f *scan.Finding) {
	p := &page{width: 120}
	r.textFix(p, q, f)
	if p.Len() == 0 {
		return
	}
	text := strings.ReplaceAll("\n"+p.String(), "\n"+strings.Repeat(" ", margin), "\n")
	fmt.Fprintf(b, "\n<pre>%s</pre>\n", html.EscapeString(strings.TrimPrefix(text, "\n")))
}

func (r *Report) markdownFlow(b *strings.Builder, flow []scan.Note, t *scan.Target) {
	left := max(0, len(flow)-mostSteps)
	for i, n := range flow[left:] {
		if i == 0 {
			b.WriteString("\nWhat happens when the container runs:\n\n")
		}
		text := markdownText(r.sentence(n.Message))
		if at := r.stepPlace(n.At, t); at != "" {
			text = markdownCode(at) + " " + text
		}
		fmt.Fprintf(b, "%d. %s\n", left+i+1, text)
	}
}

// markdownText is a clean string as text: nothing in it is a mark, a tag, an entity,
// the end of a table's cell, the start of a list, a link, a formula or an emoji, and
// nobody is mentioned by it. GitHub looks for people, issues, formulas and emojis
// also in the text that it has made of entities, but not in code.
func markdownText(s string) string {
	var b strings.Builder
	for i, c := range []byte(s) {
		switch {
		case c == '@' || c == '#' || c == '$' || c == ':' && endsEmoji(s[:i]):
			fmt.Fprintf(&b, "<code>&#%d;</code>", c)
		case c >= 0x80 || letterOrDigit(c) || harmless(s, i):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "&#%d;", c)
		}
	}
	return b.String()
}

// harmless reports whether the punctuation at s[i] can stand as it is: not where a
// list or code could begin with it ("- ", "1. ", "2) ", four spaces), nor in "www."
// or "://".
func harmless(s string, i int) bool {
	switch s[i] {
	case ',', '/', ';', '(', '?', '\'', '"', '%':
		return true
	case ' ', '-', '=', '+':
		return i > 0
	case '.', ')':
		return strings.Trim(s[:i], "0123456789") != "" && s[i-1]|0x20 != 'w'
	case ':':
		return i > 0 && !strings.HasPrefix(s[i:], ":/")
	}
	return false
}

// endsEmoji reports whether a colon behind s would make an emoji of its end, as in
// ":smile".
func endsEmoji(s string) bool {
	const most = 64 // no name is longer
	i := len(s)
	for i > 0 && len(s)-i < most && (letterOrDigit(s[i-1]) || strings.IndexByte("_+-", s[i-1]) >= 0) {
		i--
	}
	return i > 0 && i < len(s) && s[i-1] == ':'
}

func letterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// markdownCode is a clean string as code. Backticks can't quote one another, and
// in a table nor can they quote a bar; a tag with entities in it can.
func markdownCode(s string) string {
	return "<code>" + strings.NewReplacer("<code>", "", "</code>", "").Replace(markdownText(s)) + "</code>"
}

func levelMark(l scan.Level) string { return [...]string{"", "🔵", "🟠", "🔴"}[l] }

func verdictMark(a policy.Answer) string { return [...]string{"❔", "✅", "❌", "❕"}[a] }
