package report

import (
	"cmp"
	"io"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// Reasoning writes for a person how one rule judged each target: what it found, also
// what is accepted, what it showed to be good, what it can't tell, and why its word is
// not all. Targets that could not be opened are left out.
func Reasoning(w io.Writer, r *Report, rule *scan.Rule, opt TextOptions) error {
	p := &page{width: max(60, cmp.Or(opt.Width, 100)), color: opt.Color}
	for i, t := range r.Targets {
		if i > 0 {
			p.blank()
		}
		r.textName(p, &t.Result.Target)
		before := p.Len()
		r.ruleFindings(p, t.Result, rule)
		r.ruleClaims(p, t.Result, rule)
		if p.Len() == before {
			p.blank()
			p.put("  ", 2, r.silence(t.Result, rule))
		}
		r.ruleGaps(p, t.Result, rule)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// silence says why a rule says nothing of a target.
func (r *Report) silence(res *scan.Result, rule *scan.Rule) string {
	for _, d := range res.Disabled {
		if d.Rule == rule {
			return "not judged: the rule is turned off: " + cmp.Or(r.sentence(d.Reason), "without a reason")
		}
	}
	switch {
	case !rule.Judges(res.Target) && res.Target.NoImage:
		return "not judged: the rule does not judge manifests"
	case !rule.Judges(res.Target) && res.Target.Image.Predicted:
		return "not judged: the rule does not judge Dockerfiles"
	case !rule.Judges(res.Target):
		return "not judged: the rule does not judge images"
	}
	return "no findings: nothing that the rule looks for is in what was read"
}

func (r *Report) ruleFindings(p *page, res *scan.Result, rule *scan.Rule) {
	q := r.quoter(res)
	helped := map[*scan.Rule]bool{}
	for _, f := range append(res.Findings[:len(res.Findings):len(res.Findings)], res.Ignored...) {
		if f.Rule != rule {
			continue
		}
		p.blank()
		r.textFinding(p, q, f, helped)
		if f.Ignored != nil {
			p.put(strings.Repeat(" ", margin), margin, r.sentence(policy.Acceptance(f.Ignored)))
		}
	}
}

func (r *Report) ruleClaims(p *page, res *scan.Result, rule *scan.Rule) {
	for _, c := range res.Claims {
		if c.Rule != rule {
			continue
		}
		p.blank()
		label := p.style(yellow, "unknown")
		if c.Shown {
			label = p.style(green, "shown  ")
		}
		p.put("  "+label+"  ", margin, r.told(scan.Note{At: c.At, Message: c.Text}, &res.Target))
		r.textFlow(p, margin, c.Flow, &res.Target)
	}
}

// ruleGaps says why what a rule tells may not be all.
func (r *Report) ruleGaps(p *page, res *scan.Result, rule *scan.Rule) {
	var gaps []gap
	for _, g := range r.notAudited(res) {
		if g.Rule == nil || g.Rule == rule {
			gaps = append(gaps, g)
		}
	}
	r.textGaps(p, "not audited", gaps)
}
