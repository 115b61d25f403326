package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/compare"
)

// commentBytes is the most that CompareMarkdown writes: GitHub takes 65,536 characters
// for a comment.
const commentBytes = 60_000

// CompareMarkdown writes a comparison in GitHub's Markdown, for a comment on a pull
// request: the verdicts, what the new side brought to unfold, and the rest in one line
// each. It is at most commentBytes long; what is left out is said at its end.
func CompareMarkdown(w io.Writer, r *Report, c *compare.Comparison) error {
	s := &summary{most: commentBytes}
	s.add("## " + markdownText(r.Tool.Name+": "+r.compareTotals(c)) + "\n\n" + r.markdownSides(c))
	if c.New.Result != nil {
		q := r.quoter(c.New.Result)
		for _, part := range []section{{title: "Brought", changes: c.Brought}, {title: "Perhaps brought", changes: c.PerhapsBrought}} {
			head := "\n### " + part.title + "\n"
			for _, ch := range part.changes {
				text := head + r.markdownFinding(q, ch.Finding)
				for _, more := range r.asides(ch) {
					text += "\n" + markdownText(more) + "\n"
				}
				if s.add(text) {
					head = ""
				}
			}
		}
	}
	for _, part := range sections(c) {
		s.add(r.markdownSection(part))
	}
	for _, side := range []compare.Side{c.Old, c.New} {
		if side.Result != nil {
			var b strings.Builder
			r.markdownGaps(&b, "Not audited of "+markdownCode(r.targetName(side.Name)), r.notAudited(side.Result))
			s.add(b.String())
		}
	}
	s.add(r.markdownLayers(c))
	s.add(r.markdownSettings(c))
	if s.left > 0 {
		fmt.Fprintf(s, "\n**%s left out here**: a comment takes no more. The other formats tell all.\n", plural(s.left, "part"))
	}
	_, err := io.WriteString(w, s.String())
	return err
}

func (r *Report) markdownSides(c *compare.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s → %s\n", markdownCode(r.targetName(c.Old.Name)), markdownCode(r.targetName(c.New.Name)))
	for _, s := range []compare.Side{c.Old, c.New} {
		if s.Failure != "" {
			fmt.Fprintf(&b, "\n**not audited:** %s: %s\n", markdownCode(r.targetName(s.Name)), markdownText(join(r.sentence(s.Failure), r.sentence(s.Hint))))
		}
	}
	if same(c) {
		b.WriteString("\nBoth are the same image.\n")
		return b.String()
	}
	b.WriteString("\n| step | old | new | |\n| --- | --- | --- | --- |\n")
	for i, v := range c.Verdicts {
		before, after, change := "-", "-", ""
		if v.OldKnown {
			before = verdictMark(v.Old) + "&nbsp;" + v.Old.String()
		}
		if v.NewKnown {
			after = verdictMark(v.New) + "&nbsp;" + v.New.String()
		}
		switch n := v.Change(); {
		case n > 0:
			change = "better"
		case n < 0:
			change = "**worse**"
		}
		fmt.Fprintf(&b, "| %d %s | %s | %s | %s |\n", i+1, v.Step, before, after, change)
	}
	return b.String()
}

// markdownSection folds a list of findings.
func (r *Report) markdownSection(s section) string {
	if len(s.changes) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>%s: %s</summary>\n\n", capital(s.title), levelCounts(s.changes))
	for i, ch := range s.changes {
		if i == mostGaps {
			fmt.Fprintf(&b, "- and %d more\n", len(s.changes)-i)
			break
		}
		const width = 200
		text := r.oneLine(ch, width)
		if ch.Finding != nil {
			text = ch.Finding.Level.String() + " " + text
		}
		for _, more := range r.asides(ch) {
			text += "; " + more
		}
		fmt.Fprintf(&b, "- %s\n", markdownText(text))
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

func (r *Report) markdownLayers(c *compare.Comparison) string {
	if len(c.Layers) == 0 || same(c) {
		return ""
	}
	head, lines := r.layerLines(c)
	var b strings.Builder
	fmt.Fprintf(&b, "\n**Layers**: %s\n\n", head)
	words := map[string]string{"+": "added", "-": "removed", "~": "rebuilt"}
	for i, l := range lines {
		if i == mostGaps {
			fmt.Fprintf(&b, "- and %d more\n", len(lines)-i)
			break
		}
		fmt.Fprintf(&b, "- %s %s, %s", words[l.mark], l.name, l.size)
		if l.by != "" {
			fmt.Fprintf(&b, ": %s", markdownCode(l.by))
		}
		for _, d := range l.did {
			fmt.Fprintf(&b, "; %s", markdownText(d))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (r *Report) markdownSettings(c *compare.Comparison) string {
	lines := r.settingLines(c)
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n**Configuration**\n\n| setting | change |\n| --- | --- |\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "| %s | %s |\n", l[0], markdownCode(l[1]))
	}
	return b.String()
}
