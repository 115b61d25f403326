package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// The exit codes that results lead to. Wrong use, which has no result, is 2.
//
//	0  nothing at or over the gate, every required verdict is pass, all was audited
//	1  a finding at or over the gate, or a required verdict that is not pass
//	3  the audit is incomplete; wins over 1, because nobody knows what was missed
const (
	ExitClean      = 0
	ExitFindings   = 1
	ExitIncomplete = 3
)

// A Gate is what a user lets through.
type Gate struct {
	FailOn  scan.Level  // findings from this level on are stopped; 0 for none
	Require []scan.Step // verdicts that must be pass, or accepted by the user
}

// Decide returns the exit code for the results of one run, and why it is not 0:
// one line that may quote a target, so clean it before printing. Failed are the
// names of targets that could not be opened at all and so have no result.
func (g Gate) Decide(results []*scan.Result, failed []string) (code int, reason string) {
	if why := incomplete(results, failed); why != "" {
		return ExitIncomplete, "exit 3: " + why
	}
	var why []string
	if s := g.stopped(results); s != "" {
		why = append(why, s)
	}
	why = append(why, g.unmet(results)...)
	if len(why) == 0 {
		return ExitClean, ""
	}
	return ExitFindings, "exit 1: " + strings.Join(why, "; ")
}

// incomplete says how many targets were not read in full, and names the first.
func incomplete(results []*scan.Result, failed []string) string {
	n, first := len(failed), ""
	if n > 0 {
		first = failed[0] + " could not be read"
	}
	for _, r := range results {
		if r.Complete() {
			continue
		}
		if n++; first == "" {
			first = r.Target.Name + ": " + gap(r)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s not audited in full (first: %s)", n, count(len(results)+len(failed), "target"), first)
}

// gap is the first reason why a result is incomplete.
func gap(r *scan.Result) string {
	for _, p := range r.Target.Image.Problems {
		if p.Kind == image.NotAudited {
			return p.String()
		}
	}
	for _, p := range r.Target.Unread() {
		return p.Span.String() + ": " + p.What
	}
	for _, p := range r.Target.Unjudged() {
		return fmt.Sprintf("%s:%d: %s", p.At.File, p.At.Line, p.What)
	}
	for _, b := range r.Broken {
		return fmt.Sprintf("rule %s broke: %v", b.Rule.ID, b.Err)
	}
	for _, u := range r.Unlisted {
		return fmt.Sprintf("%s of %s over the limit per rule", count(u.N, "finding"), u.Rule.ID)
	}
	return ""
}

// stopped counts the findings at or over the gate, and names the first of the
// worst level.
func (g Gate) stopped(results []*scan.Result) string {
	if g.FailOn == 0 {
		return ""
	}
	var n [scan.LevelError + 1]int
	var first *scan.Finding
	var in *scan.Result
	for _, r := range results {
		for _, f := range r.Findings {
			if f.Level < g.FailOn {
				continue
			}
			if n[f.Level]++; first == nil || f.Level > first.Level {
				first, in = f, r
			}
		}
	}
	if first == nil {
		return ""
	}
	var counts []string
	for l := scan.LevelError; l >= g.FailOn; l-- {
		if n[l] > 0 {
			counts = append(counts, count(n[l], l.String()))
		}
	}
	return fmt.Sprintf("%s at or over --fail-on %s (first: %s at %s)", strings.Join(counts, ", "), g.FailOn, first.Rule.ID, place(first.At, in.Target.Name))
}

// place is where a finding is, as far as one line has room for it.
func place(at scan.Location, target string) string {
	switch {
	case !at.Source.IsZero():
		return at.Lines().String()
	case at.Path != "":
		return at.Path
	case strings.HasPrefix(at.Field, "Args."):
		return "ARG " + strings.TrimPrefix(at.Field, "Args.") + " of the image's history"
	case at.Field != "":
		return at.Field + " of the image config"
	}
	return target
}

// unmet names the required verdicts that are not pass, each with the first target
// that has none.
func (g Gate) unmet(results []*scan.Result) []string {
	var out []string
	for _, s := range Steps() {
		if !slices.Contains(g.Require, s) {
			continue
		}
		for _, r := range results {
			if v := judge(r, s); v.Answer != Pass && v.Answer != Accepted {
				out = append(out, fmt.Sprintf("--require %s is %s for %s", s, v.Answer, r.Target.Name))
				break
			}
		}
	}
	return out
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
