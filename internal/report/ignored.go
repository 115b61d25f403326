package report

import (
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// jsonIgnored is a finding that is accepted or old.
type jsonIgnored struct {
	jsonFinding
	Ignored jsonWhy `json:"ignored"`
}

// jsonWhy says why it is.
type jsonWhy struct {
	By         string    `json:"by"`
	Reason     string    `json:"reason,omitempty"`
	Until      string    `json:"until,omitempty"`
	Dockerfile *jsonSpan `json:"dockerfile,omitempty"`
	Config     *jsonSpan `json:"config,omitempty"`
	Manifest   *jsonSpan `json:"manifest,omitempty"`
}

func (r *Report) jsonIgnored(q *quoter, res *scan.Result, names []string) []jsonIgnored {
	out := []jsonIgnored{}
	for i, f := range res.Ignored {
		by := f.Ignored
		why := jsonWhy{By: "ignore", Reason: r.sentence(by.Reason)}
		at := r.jsonSpan(by.At.Source)
		switch {
		case by.Baseline:
			why.By = "baseline"
		case !by.InSource:
			why.Config = at
		case by.At.Manifest:
			why.Manifest = at
		default:
			why.Dockerfile = at
		}
		if !by.Until.IsZero() {
			why.Until = by.Until.Format("2006-01-02")
		}
		out = append(out, jsonIgnored{r.jsonFinding(f, names[i], q), why})
	}
	return out
}

// names are the fingerprints of the findings of a result, and of those that are
// accepted or old.
func (r *Report) names(res *scan.Result) (open, ignored []string) {
	all := *res
	all.Findings = slices.Concat(res.Findings, res.Ignored)
	names := policy.Fingerprints(&all, r.repoPath)
	return names[:len(res.Findings)], names[len(res.Findings):]
}

// counts are what every format tells in numbers.
type counts struct {
	levels   [scan.LevelError + 1]int // findings, by level
	accepted int                      // findings that an ignore accepts
	old      int                      // findings of the baseline
	off      int                      // rules turned off
}

func (r *Report) count() counts {
	var c counts
	for _, t := range r.Targets {
		for _, f := range t.Result.Findings {
			c.levels[f.Level]++
		}
		for _, f := range t.Result.Ignored {
			if f.Ignored.Baseline {
				c.old++
			} else {
				c.accepted++
			}
		}
		c.off = max(c.off, len(t.Result.Disabled))
	}
	return c
}

// leftOut says how many findings are not told as such, and how many rules were not
// asked; empty if that is none.
func (r *Report) leftOut() string {
	c := r.count()
	var parts []string
	if c.accepted > 0 {
		parts = append(parts, plural(c.accepted, "ignored finding"))
	}
	if c.old > 0 {
		parts = append(parts, plural(c.old, "finding")+" of the baseline")
	}
	if c.off > 0 {
		parts = append(parts, plural(c.off, "rule")+" turned off")
	}
	return strings.Join(parts, ", ")
}

// ignored tells of the findings that are accepted or old, if that was asked for: each
// with the reason, until when, and where that is written.
func (r *Report) ignored(res *scan.Result) []gap {
	if !r.ShowIgnored {
		return nil
	}
	var out []gap
	for _, f := range res.Ignored {
		out = append(out, gap{
			What:   f.Level.String() + " " + f.Rule.ID + " " + f.Rule.Name + ": " + r.accepted(f),
			Source: f.At.Source, Rule: f.Rule, Layer: f.At.Layer, Entry: r.clean(f.At.Path),
		})
	}
	return out
}

// accepted is the message of a finding that is accepted or old, and why it is.
func (r *Report) accepted(f *scan.Finding) string {
	return r.sentence(f.Message) + " (" + r.sentence(policy.Acceptance(f.Ignored)) + ")"
}

// why names the ways in which findings of a rule are accepted or old.
func (r *Report) why(res *scan.Result, rule *scan.Rule) string {
	var out []string
	for _, f := range res.Ignored {
		if f.Rule != rule {
			continue
		}
		if text := r.sentence(policy.Acceptance(f.Ignored)); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, "; ")
}

// suppression says in SARIF's words why a finding is accepted or old (SARIF 2.1.0, 3.35).
func (r *Report) suppression(i *scan.Ignore) *sarif.Suppression {
	kind := "external"
	if i.InSource {
		kind = "inSource"
	}
	s := sarif.NewSuppression().WithKind(kind).WithStatus("accepted")
	if text := r.sentence(policy.Acceptance(i)); text != "" {
		s.WithJustification(text)
	}
	return s
}

// suppressAll writes for every result whether it is suppressed, if one is: consumers
// take a list that only some have for one that was forgotten (SARIF 2.1.0, 3.27.23).
func suppressAll(run map[string]any) {
	results, _ := run["results"].([]any)
	suppressed := func(e any) bool { m, ok := e.(map[string]any); return ok && m["suppressions"] != nil }
	if !slices.ContainsFunc(results, suppressed) {
		return
	}
	for _, e := range results {
		if m, ok := e.(map[string]any); ok && m["suppressions"] == nil {
			m["suppressions"] = []any{}
		}
	}
}
