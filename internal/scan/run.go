package scan

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// Run judges t with rules. It does no I/O and does not fail: a rule that breaks
// is told in Result.Broken.
func Run(t Target, rules []*Rule, opt Options, lim limits.Limits) *Result {
	t.Isolation = opt.Isolation
	tr := newTrace(t)
	shared := &facts{}
	passes := make([]*Pass, len(rules))
	broken := make([]error, len(rules))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range rules {
		passes[i] = &Pass{Rule: r, Image: t.Image, Build: t.Build, Ignore: t.Ignore, Options: opt, facts: shared, trace: tr}
		passes[i].Manifest, passes[i].Workload, passes[i].NoImage = t.Manifest, t.Workload, t.NoImage
		passes[i].Containers, passes[i].set = t.Containers, t.set
		switch {
		case r.Last || !r.Judges(t):
			continue
		case r.Config && t.Image.NoConfig && r.Where&InManifest == 0:
			passes[i].Unknownf(Location{}, "a directory has no config that says how a container starts; give the image")
			continue
		}
		g.Go(func() error {
			defer func() {
				if v := recover(); v != nil {
					broken[i] = fmt.Errorf("panic: %v", v)
				}
			}()
			r.Run(passes[i])
			return nil
		})
	}
	_ = g.Wait() // rules do not fail; they break, which is recorded

	res := &Result{Target: t, Rules: rules, Disabled: opt.Disabled}
	narrow := newFocus(t)
	for i, p := range passes {
		if broken[i] != nil {
			res.Broken = append(res.Broken, Broken{p.Rule, broken[i]})
		}
		p.prepare(&t)
		merged := merge(p.findings)
		if over := len(merged) - lim.FindingsPerRule; over > 0 {
			res.Unlisted = append(res.Unlisted, Unlisted{p.Rule, over})
			merged = merged[:lim.FindingsPerRule]
		}
		narrow.findings(merged)
		res.add(merged)
		for _, c := range p.claims {
			narrow.notes(c.Flow)
			narrow.at(&c.At)
			res.Claims = append(res.Claims, *c)
		}
	}
	sortFindings(res.Findings)
	sortFindings(res.Ignored)
	return res
}

func sortFindings(fs []*Finding) {
	slices.SortStableFunc(fs, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.Rule.Step, b.Rule.Step), cmp.Compare(b.Level, a.Level), a.At.compare(b.At),
			cmp.Compare(a.Rule.ID, b.Rule.ID), cmp.Compare(a.Message, b.Message))
	})
}

// Judges reports whether the rule can say anything about t.
func (r *Rule) Judges(t Target) bool {
	switch {
	case t.Manifest != nil && r.Where&InManifest != 0:
		return true
	case t.NoImage:
		return false
	case t.Image.Predicted:
		return r.Where&InDockerfile != 0
	}
	return r.Where&InImage != 0 || r.Where&InDockerfile != 0 && t.Build != nil
}
