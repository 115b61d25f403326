// Package compare tells what a target has that another one had not, what it has no
// more, and what it still has. It promises never to call fixed what may only have
// become unreadable, and never to know a finding by a line, a digest or a tag: it
// compares by what baselines do.
package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// A Side is one of the two that are compared.
type Side struct {
	Name    string           // as the user typed it
	Result  *scan.Result     // nil if it could not be read, or if only a record of it is given
	Record  *policy.Baseline // that record, of the old side only
	Failure string           // why it could not be read; empty if it was
	Hint    string           // what the user can do about that; may be empty
}

// Complete reports whether all of the side was audited.
func (s Side) Complete() bool {
	return s.Failure == "" && (s.Result == nil || s.Result.Complete())
}

// A Comparison is all that the two sides tell together. A finding of the new side is in
// one of Brought, PerhapsBrought, Remaining and Accepted, one of the old side's that is
// gone in one of Fixed, PerhapsFixed and Turned.
type Comparison struct {
	Old, New  Side
	Identical bool // both are the same image: the same layers and config

	Verdicts       []Verdict
	Brought        []Change // the old side had not
	PerhapsBrought []Change // the old side perhaps had, but could not tell
	Fixed          []Change // of the old side; the new one has not
	PerhapsFixed   []Change // of the old side; the new one perhaps has, but can't tell
	Turned         []Change // of the old side; the new one has another finding in that place
	Remaining      []Change // both have
	Accepted       []Change // the new side's user accepts

	Elsewhere int // findings of the record that are of another Dockerfile, manifest or image than the new side
	Layers    []Layer
	Settings  []Setting
}

// A Verdict is the answer to one question of the checklist on both sides.
type Verdict struct {
	Step               scan.Step
	Old, New           policy.Answer
	OldKnown, NewKnown bool // whether that side was audited at all
}

// Change says how the answer changed: above 0 for the better, below for the worse, 0 if
// it did not or one side has none.
func (v Verdict) Change() int {
	if !v.OldKnown || !v.NewKnown {
		return 0
	}
	order := []policy.Answer{policy.Fail, policy.Unknown, policy.Accepted, policy.Pass}
	return cmp.Compare(slices.Index(order, v.New), slices.Index(order, v.Old))
}

// A Change is a finding of one side, held against the other.
type Change struct {
	Rule     *scan.Rule      // nil if only its record is known, and this version has no such rule
	Finding  *scan.Finding   // nil if only its record is known
	Recorded policy.Recorded // that record; else zero
	Doubt    string          // what the other side could not tell, where that decides
	Was      string          // what it was on the old side, if that is something else: "a warning"
	Worse    bool            // that was less bad
	Now      string          // id of the rule that has a finding in its place now
}

// Again judges the old side again, with what tells why a finding is left out.
type Again func(ignore func(*scan.Pass, *scan.Finding) *scan.Ignore) *scan.Result

// Of compares two sides. The new one was judged with the old one's Known as baseline.
// Rules are all of this version; again is not called if the old side has no result.
func Of(before, after Side, rules []*scan.Rule, repoPath func(string) string, again Again) *Comparison {
	c := &Comparison{Old: before, New: after}
	c.verdicts()
	sightOld, sightNew := sightOf(before, after), sightOf(after, before)
	if after.Result != nil {
		c.newSide(sightOld)
	}
	switch {
	case before.Record != nil:
		c.recorded(sightNew, rules, repoPath)
	case before.Result != nil:
		c.oldSide(sightNew, repoPath, again)
	}
	c.layers()
	c.settings()
	c.Identical = identical(before.Result, after.Result)
	return c
}

// Known is what the old side had, as a baseline for the new one.
func Known(before Side, repoPath func(string) string) *policy.Baseline {
	switch {
	case before.Record != nil:
		return before.Record
	case before.Result == nil:
		return &policy.Baseline{Name: before.Name}
	}
	b := policy.Record(before.Name, []*scan.Result{before.Result}, repoPath)
	b.OfImage = true
	return b
}

func (c *Comparison) verdicts() {
	before, after := answers(c.Old), answers(c.New)
	for i, s := range policy.Steps() {
		v := Verdict{Step: s}
		if before != nil {
			v.Old, v.OldKnown = before[i].Answer, true
		}
		if after != nil {
			v.New, v.NewKnown = after[i].Answer, true
		}
		c.Verdicts = append(c.Verdicts, v)
	}
}

func answers(s Side) []policy.Verdict {
	if s.Result == nil {
		return nil
	}
	return policy.Checklist(s.Result)
}

// newSide sorts the findings of the new side.
func (c *Comparison) newSide(old *sight) {
	was := statesOf(c.Old.Result)
	for _, f := range c.New.Result.Findings {
		ch := Change{Rule: f.Rule, Finding: f, Doubt: old.doubtAll(f)}
		if was.accepted(f) {
			ch.Was = "accepted"
		}
		if ch.Doubt != "" {
			c.PerhapsBrought = append(c.PerhapsBrought, ch)
		} else {
			c.Brought = append(c.Brought, ch)
		}
	}
	for _, f := range c.New.Result.Ignored {
		ch := Change{Rule: f.Rule, Finding: f}
		if !f.Ignored.Baseline {
			c.Accepted = append(c.Accepted, ch)
			continue
		}
		ch.Was, ch.Worse = was.change(f)
		c.Remaining = append(c.Remaining, ch)
	}
}

// oldSide judges the old side again, to tell its findings that are gone from those that
// are there still: place by place, as one finding can be about many.
func (c *Comparison) oldSide(now *sight, repoPath func(string) string, again Again) {
	still := func(*scan.Pass, *scan.Finding) *scan.Ignore { return nil }
	if c.New.Result != nil {
		still = everything(c.New, repoPath).For(c.Old.Result.Target, repoPath)
	}
	turned, doubts := reasons{}, reasons{}
	others := c.newPlaces()
	res := again(func(p *scan.Pass, f *scan.Finding) *scan.Ignore {
		if i := still(p, f); i != nil {
			return i
		}
		if id := others[place{f.Rule.Step, f.At.Path}]; id != "" {
			return turned.of(id)
		}
		if why := now.doubt(f.Rule, f.At); why != "" {
			return doubts.of(why)
		}
		return nil
	})
	c.Old.Result = res
	for _, f := range res.Findings {
		c.Fixed = append(c.Fixed, Change{Rule: f.Rule, Finding: f})
	}
	for _, f := range res.Ignored {
		switch ch := (Change{Rule: f.Rule, Finding: f}); {
		case doubts[f.Ignored.Reason] == f.Ignored:
			ch.Doubt = f.Ignored.Reason
			c.PerhapsFixed = append(c.PerhapsFixed, ch)
		case turned[f.Ignored.Reason] == f.Ignored:
			ch.Now = f.Ignored.Reason
			c.Turned = append(c.Turned, ch)
		}
	}
}

// reasons are why findings of the old side are set apart, one for each text: findings
// of one instruction that are set apart for the same reason stay together.
type reasons map[string]*scan.Ignore

func (r reasons) of(text string) *scan.Ignore {
	if r[text] == nil {
		r[text] = &scan.Ignore{Baseline: true, Reason: text}
	}
	return r[text]
}

// everything is all that a side has, also what its user accepts, whatever it is called.
func everything(s Side, repoPath func(string) string) *policy.Baseline {
	res := *s.Result
	res.Findings = nil
	for _, f := range slices.Concat(s.Result.Findings, s.Result.Ignored) {
		open := *f
		open.Ignored = nil
		res.Findings = append(res.Findings, &open)
	}
	res.Ignored = nil
	b := policy.Record(s.Name, []*scan.Result{&res}, repoPath)
	b.OfImage = true
	return b
}

// A place is a path with a finding of a step: one that another rule of the step reports
// there now is the same thing in another state, as a secret that a layer hides.
type place struct {
	step scan.Step
	path string
}

// newPlaces are the places of what the new side brought, with the rule.
func (c *Comparison) newPlaces() map[place]string {
	out := map[place]string{}
	for _, ch := range slices.Concat(c.Brought, c.PerhapsBrought) {
		for _, at := range places(ch.Finding) {
			if k := (place{ch.Rule.Step, at.Path}); k.path != "" && out[k] == "" {
				out[k] = ch.Rule.ID
			}
		}
	}
	return out
}

// recorded sorts what a record has and the new side has not.
func (c *Comparison) recorded(now *sight, rules []*scan.Rule, repoPath func(string) string) {
	have, origins := &policy.Baseline{}, []string(nil)
	if c.New.Result != nil {
		have = everything(c.New, repoPath)
		origins = policy.Origins([]*scan.Result{c.New.Result}, repoPath)
	}
	for _, e := range c.Old.Record.Gone(have) {
		ch := Change{Recorded: e}
		if i := slices.IndexFunc(rules, func(r *scan.Rule) bool { return r.ID == e.Rule }); i >= 0 {
			ch.Rule = rules[i]
		}
		switch {
		case c.New.Result != nil && !slices.Contains(origins, e.Origin):
			c.Elsewhere += e.Count
			continue
		case ch.Rule == nil:
			ch.Doubt = fmt.Sprintf("this version has no rule %s", e.Rule)
		default:
			ch.Doubt = now.doubt(ch.Rule, locate(e))
		}
		if ch.Doubt != "" {
			c.PerhapsFixed = append(c.PerhapsFixed, ch)
		} else {
			c.Fixed = append(c.Fixed, ch)
		}
	}
}

// locate is the place of a record, as far as it says.
func locate(e policy.Recorded) scan.Location {
	if len(e.Place) > 0 && e.Place[0] == '/' {
		return scan.Location{Path: e.Place}
	}
	return scan.Location{Field: e.Place}
}

func places(f *scan.Finding) []scan.Location {
	if f.Places != nil {
		return f.Places
	}
	return []scan.Location{f.At}
}

// subject is what a place is called: a path in the image or a setting.
func subject(at scan.Location) string { return cmp.Or(at.Path, at.Field) }
