package scan

import (
	"slices"
	"time"
)

// An Ignore is a user's word that findings of a rule are accepted, or, of a baseline,
// that they are old. What it matches is not told as a finding, and never forgotten.
type Ignore struct {
	Rule   string    // id of the rule; as written, if there is none
	Reason string    // why; empty if the user gave none
	Until  time.Time // last day, UTC, on which it holds; zero if it has no end
	At     Location  // where it is written
	Wrong  string    // why it can't hold: it can't be read, or names no rule; empty if nothing is wrong
	Hint   string    // what the user may have meant; empty if unknown

	Expired  bool // its last day is over: it accepts nothing any more
	InSource bool // it stands in the Dockerfile or manifest that it is about
	Baseline bool // it stands for all that a baseline lists
	Matched  int  // how many places it matched so far, or would have if it had not expired
}

// Disabled is a rule that the user turned off.
type Disabled struct {
	Rule   *Rule
	Reason string
}

// prepare gives the findings of a rule the level that the user wants, and marks those
// that are accepted or old. They are asked about in the order of their places.
func (p *Pass) prepare(t *Target) {
	slices.SortStableFunc(p.findings, byPlace)
	for _, f := range p.findings {
		if l := p.Options.Levels[p.Rule.ID]; l != 0 {
			f.setLevel(l)
		}
	}
	t.contained(p.findings)
	if p.Options.Ignore == nil {
		return
	}
	for _, f := range p.findings {
		f.Ignored = p.Options.Ignore(p, f)
	}
}

// setLevel gives a finding another level than its rule did.
func (f *Finding) setLevel(to Level) {
	f.Lowered = f.Lowered || f.Level > LevelNote && to == LevelNote
	f.Level = to
}

// Review runs the rules about ignores, which come last, and adds to r what they find
// wrong with the given ones. No ignore accepts that, so opt.Ignore may only tell what is
// old. Nothing is added if r was audited without those rules.
func Review(r *Result, ignores []*Ignore, opt Options) {
	for _, rule := range r.Rules {
		if !rule.Last {
			continue
		}
		p := &Pass{Rule: rule, Image: r.Target.Image, Build: r.Target.Build, Options: opt, Ignores: ignores, facts: &facts{}, trace: newTrace(r.Target)}
		rule.Run(p)
		p.prepare(&r.Target)
		r.add(merge(p.findings))
	}
	sortFindings(r.Findings)
	sortFindings(r.Ignored)
}

// add takes findings in, apart those that are accepted or old.
func (r *Result) add(fs []*Finding) {
	for _, f := range fs {
		if f.Ignored != nil {
			r.Ignored = append(r.Ignored, f)
		} else {
			r.Findings = append(r.Findings, f)
		}
	}
}
