package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/compare"
	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// CompareOptions say how a comparison is told as text.
type CompareOptions struct {
	TextOptions
	All bool // lists also what is still there and what is accepted
}

// CompareText writes a comparison for a person: the two sides, the verdicts, what the
// new side brought in full, what is gone and what is still there in one line each, the
// layers and what differs in the config; then totals. Images that are the same take one
// line.
func CompareText(w io.Writer, r *Report, c *compare.Comparison, opt CompareOptions) error {
	p := &page{width: max(60, cmp.Or(opt.Width, 100)), color: opt.Color}
	if same(c) {
		p.put("", 2, r.targetName(c.Old.Name)+" and "+r.targetName(c.New.Name)+" are the same image; "+r.compareTotals(c))
	} else {
		r.textSide(p, "old", c.Old)
		r.textSide(p, "new", c.New)
		p.blank()
		for i, v := range c.Verdicts {
			textChange(p, i+1, v)
		}
	}
	r.textBrought(p, c)
	for _, s := range sections(c) {
		r.textSection(p, s, opt.All)
	}
	for _, s := range []compare.Side{c.Old, c.New} {
		if s.Result != nil {
			r.textGaps(p, "not audited of "+r.targetName(s.Name), r.notAudited(s.Result))
		}
	}
	if !same(c) {
		r.textCompareLayers(p, c)
		r.textSettings(p, c)
		p.blank()
		p.put("", 0, r.compareTotals(c))
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// same reports whether there is nothing to tell of two sides but that.
func same(c *compare.Comparison) bool {
	return c.Identical && len(c.Brought)+len(c.PerhapsBrought)+len(c.Fixed)+len(c.PerhapsFixed)+len(c.Turned) == 0
}

func (r *Report) textSide(p *page, label string, s compare.Side) {
	label = p.style(dim, label) + "  "
	switch {
	case s.Failure != "":
		p.put(label, 5, p.style(bold, r.targetName(s.Name)))
		p.put("     ", 5, "not audited: "+r.sentence(s.Failure))
		r.textHint(p, 5, s.Hint)
	case s.Record != nil:
		p.put(label, 5, p.style(bold, r.targetName(s.Name))+" "+p.style(dim, "(baseline)"))
	default:
		p.WriteString(label)
		r.textName(p, &s.Result.Target)
	}
}

// answerMark is the mark and the colour of an answer.
func answerMark(a policy.Answer) (mark, color string) {
	switch a {
	case policy.Pass:
		return "✓", green
	case policy.Accepted:
		return "!", yellow
	case policy.Fail:
		return "✗", red
	}
	return "?", yellow
}

// textChange is one line of the checklist: "2 privilege  ✗ fail → ✓ pass  better".
func textChange(p *page, number int, v compare.Verdict) {
	shown := func(a policy.Answer, known bool) string {
		if !known {
			return p.style(dim, fmt.Sprintf("%-10s", "-"))
		}
		mark, color := answerMark(a)
		return p.style(color, fmt.Sprintf("%s %-8s", mark, a))
	}
	line := fmt.Sprintf("  %d %-12s%s → %s", number, v.Step, shown(v.Old, v.OldKnown), shown(v.New, v.NewKnown))
	switch change := v.Change(); {
	case change > 0:
		line += "  " + p.style(green, "better")
	case change < 0:
		line += "  " + p.style(red, "worse")
	}
	p.raw(line)
}

// textBrought tells in full what the new side has and the old one had not.
func (r *Report) textBrought(p *page, c *compare.Comparison) {
	if c.New.Result == nil {
		return
	}
	q := r.quoter(c.New.Result)
	helped := map[*scan.Rule]bool{}
	tell := func(title string, changes []compare.Change) {
		if len(changes) == 0 {
			return
		}
		p.blank()
		p.put("", 0, p.style(bold, title)+": "+levelCounts(changes))
		for _, ch := range changes {
			p.blank()
			r.textFinding(p, q, ch.Finding, helped)
			for _, more := range r.asides(ch) {
				p.put(strings.Repeat(" ", margin)+"- ", margin+2, more)
			}
		}
	}
	tell("brought", c.Brought)
	tell("perhaps brought", c.PerhapsBrought)
}

// A section is a list of findings in one line each.
type section struct {
	title   string
	changes []compare.Change
	folded  bool // only counted, unless all is listed
}

func sections(c *compare.Comparison) []section {
	var worse, still []compare.Change
	for _, ch := range c.Remaining {
		if ch.Worse {
			worse = append(worse, ch)
		} else {
			still = append(still, ch)
		}
	}
	return []section{
		{"another finding now", c.Turned, false}, {"still there, and worse", worse, false}, {"fixed", c.Fixed, false},
		{"perhaps fixed", c.PerhapsFixed, false}, {"still there", still, true}, {"accepted", c.Accepted, true},
	}
}

func (r *Report) textSection(p *page, s section, all bool) {
	if len(s.changes) == 0 || s.folded && !all {
		return
	}
	p.blank()
	p.put("", 0, p.style(bold, s.title)+": "+levelCounts(s.changes))
	for _, ch := range s.changes {
		level := ""
		if ch.Finding != nil {
			level = ch.Finding.Level.String()
			level = p.style(levelColor(ch.Finding.Level), level) + strings.Repeat(" ", 7-len(level))
		} else {
			level = strings.Repeat(" ", 7)
		}
		p.raw("  " + level + "  " + r.oneLine(ch, p.width-margin))
		for _, more := range r.asides(ch) {
			p.put(strings.Repeat(" ", margin)+"- ", margin+2, more)
		}
	}
}

// oneLine is a finding in one line: its rule, its line in the Dockerfile and its message.
func (r *Report) oneLine(ch compare.Change, width int) string {
	if ch.Finding == nil {
		parts := []string{r.clean(ch.Recorded.Rule)}
		if ch.Rule != nil {
			parts = append(parts, ch.Rule.Name)
		}
		parts = append(parts, nonEmpty(r.clean(ch.Recorded.Place))...)
		if ch.Recorded.Count > 1 {
			parts = append(parts, fmt.Sprintf("(%d)", ch.Recorded.Count))
		}
		return cut(strings.Join(parts, " "), width)
	}
	parts := []string{ch.Rule.ID}
	if at := ch.Finding.At; !at.Source.IsZero() {
		parts = append(parts, r.line(at.Source))
	}
	return cutWords(strings.Join(append(parts, r.sentence(ch.Finding.Message)), " "), width)
}

// asides are what the comparison adds to a finding.
func (r *Report) asides(ch compare.Change) []string {
	var out []string
	if ch.Was != "" {
		out = append(out, "in the old one: "+r.sentence(ch.Was))
	}
	if ch.Now != "" {
		out = append(out, "now "+ch.Now+" is found there")
	}
	if ch.Doubt != "" {
		out = append(out, "not certain: "+r.sentence(ch.Doubt))
	}
	return out
}

// number is how many findings changes are.
func number(changes []compare.Change) int {
	n := 0
	for _, ch := range changes {
		n += max(1, ch.Recorded.Count)
	}
	return n
}

// levelCounts counts findings by their level, as far as it is known.
func levelCounts(changes []compare.Change) string {
	var n [scan.LevelError + 1]int
	for _, ch := range changes {
		if ch.Finding == nil {
			return plural(number(changes), "finding")
		}
		n[ch.Finding.Level]++
	}
	var parts []string
	for l := scan.LevelError; l >= scan.LevelNote; l-- {
		if n[l] > 0 {
			parts = append(parts, plural(n[l], l.String()))
		}
	}
	return strings.Join(parts, ", ")
}

// compareTotals says in one line what changed: never that nothing did where not all was
// read.
func (r *Report) compareTotals(c *compare.Comparison) string {
	brought := "nothing brought"
	if len(c.Brought) > 0 {
		brought = levelCounts(c.Brought) + " brought"
	}
	parts := []string{brought}
	for _, s := range []section{
		{"perhaps brought", c.PerhapsBrought, false}, {"fixed", c.Fixed, false}, {"perhaps fixed", c.PerhapsFixed, false},
		{"another finding now", c.Turned, false}, {"still there", c.Remaining, false}, {"accepted", c.Accepted, false},
	} {
		if n := number(s.changes); n > 0 || s.title == "fixed" || s.title == "still there" {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.title))
		}
	}
	text := strings.Join(parts, ", ")
	if c.Elsewhere > 0 {
		text += fmt.Sprintf("; %s of the baseline not compared: they are of another Dockerfile, manifest or image", plural(c.Elsewhere, "finding"))
	}
	if !c.Old.Complete() || !c.New.Complete() {
		text += "; the comparison is incomplete"
	}
	return text
}
