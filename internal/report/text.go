package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// TextOptions say what kind of terminal reads the text.
type TextOptions struct {
	Width int  // columns; 0 if unknown
	Color bool // with ANSI colours
}

// Text writes r for a person: of each target the checklist with its verdicts and
// what they rest on, the findings by step, and what was not audited; then totals.
func Text(w io.Writer, r *Report, opt TextOptions) error {
	p := &page{width: max(60, cmp.Or(opt.Width, 100)), color: opt.Color}
	for i, t := range r.Targets {
		if i > 0 {
			p.blank()
		}
		r.textTarget(p, t)
	}
	for i, f := range r.Failed {
		if i > 0 || len(r.Targets) > 0 {
			p.blank()
		}
		p.put("", 0, p.style(bold, r.targetName(f.Name)))
		p.put("  ", 2, "not audited: "+r.sentence(f.Message))
		r.textHint(p, 2, f.Hint)
	}
	p.blank()
	p.put("", 0, r.totals())
	if worst := r.worst(); worst != nil {
		p.put("", 0, p.style(dim, "more on a rule: "+r.Tool.Name+" explain "+worst.ID))
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func (r *Report) textTarget(p *page, t Target) {
	r.textName(p, &t.Result.Target)
	p.blank()
	for i, v := range t.Checklist {
		r.textVerdict(p, i+1, v)
	}
	q := r.quoter(t.Result)
	helped := map[*scan.Rule]bool{}
	var step scan.Step
	for _, f := range t.Result.Findings {
		p.blank()
		if f.Rule.Step != step {
			step = f.Rule.Step
			p.put("", 0, p.style(bold, step.String()))
		}
		r.textFinding(p, q, f, helped)
	}
	r.textGaps(p, "ignored", r.ignored(t.Result))
	r.textGaps(p, "not audited", r.untold(t.Result))
	r.textGaps(p, "remarks", r.remarks(t.Result))
}

// textName says which target it is.
func (r *Report) textName(p *page, t *scan.Target) {
	about := r.about(t, shortDigest(t.Digest))
	name := p.style(bold, r.targetName(t.Name))
	if len(about) > 0 {
		name += " " + p.style(dim, "("+strings.Join(about, ", ")+")")
	}
	p.put("", 2, name)
}

// untold are the gaps that no finding of the rule on gaps, SBX001, tells.
func (r *Report) untold(res *scan.Result) []gap {
	gaps := r.notAudited(res)
	for _, f := range res.Findings {
		if f.Rule.ID != "SBX001" {
			continue
		}
		var out []gap
		for _, g := range gaps {
			if g.Rule != nil {
				out = append(out, g)
			}
		}
		return out
	}
	return gaps
}

// mostEvidence is how many sentences of evidence the text shows for a verdict.
const mostEvidence = 5

func (r *Report) textVerdict(p *page, number int, v policy.Verdict) {
	const indent = 27
	mark, color := "?", yellow
	switch v.Answer {
	case policy.Pass:
		mark, color = "✓", green
	case policy.Accepted:
		mark = "!"
	case policy.Fail:
		mark, color = "✗", red
	}
	answer := v.Answer.String()
	label := fmt.Sprintf("  %d %-12s%s%*s", number, v.Step, p.style(color, fmt.Sprintf("%s %-7s", mark, answer)), 9-max(7, len(answer)), "")
	evidence := decisive(v)
	for i, e := range evidence {
		if i == mostEvidence {
			p.put(label, indent, p.style(dim, fmt.Sprintf("and %d more", len(evidence)-i)))
			return
		}
		p.put(label, indent, r.evidence(e, p.width-indent))
		label = strings.Repeat(" ", indent)
	}
}

// decisive is the evidence that a verdict rests on: what was shown to be good does
// not soften a fail.
func decisive(v policy.Verdict) []policy.Evidence {
	if v.Answer != policy.Fail {
		return v.Evidence
	}
	return slices.DeleteFunc(slices.Clone(v.Evidence), func(e policy.Evidence) bool { return e.Kind != policy.Found })
}

// evidence is one sentence for a verdict, after its rule and line. A finding is
// told in full further down, so here it is cut to about two lines.
func (r *Report) evidence(e policy.Evidence, width int) string {
	var head []string
	if e.Rule != "" {
		head = append(head, e.Rule)
	}
	if !e.At.Source.IsZero() {
		head = append(head, r.line(e.At.Lines()))
	}
	text := strings.Join(append(head, r.sentence(e.Text)), " ")
	if e.Kind == policy.Found || e.Kind == policy.Waived {
		return cutClauses(text, 2*width)
	}
	return text
}

func (r *Report) textGaps(p *page, title string, gaps []gap) {
	if len(gaps) == 0 {
		return
	}
	p.blank()
	p.put("", 0, p.style(bold, title))
	for _, g := range gaps {
		p.put("  ", 2, r.tell(g))
		r.textHint(p, 4, g.Hint)
	}
}

func (r *Report) textHint(p *page, indent int, hint string) {
	if hint != "" {
		p.put(strings.Repeat(" ", indent)+"hint: ", indent+6, r.sentence(hint))
	}
}

// worst is the rule of the first finding of the highest level; nil if there is none.
func (r *Report) worst() *scan.Rule {
	var rule *scan.Rule
	var level scan.Level
	for _, t := range r.Targets {
		for _, f := range t.Result.Findings {
			if f.Level > level {
				rule, level = f.Rule, f.Level
			}
		}
	}
	return rule
}

// totals says how many findings there are, and whether they are all.
func (r *Report) totals() string {
	n := r.count().levels
	var parts []string
	for l := scan.LevelError; l >= scan.LevelNote; l-- {
		if n[l] > 0 {
			parts = append(parts, plural(n[l], l.String()))
		}
	}
	text := cmp.Or(strings.Join(parts, ", "), "no findings")
	if all := len(r.Targets) + len(r.Failed); all != 1 {
		text += " in " + plural(all, "target")
	}
	if more := r.leftOut(); more != "" {
		text += "; and " + more
	}
	if !r.Complete() {
		text += "; the audit is incomplete"
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// shortDigest is enough of a digest to know it again.
func shortDigest(d string) string {
	const n = len("sha256:") + 12
	return d[:min(n, len(d))]
}
