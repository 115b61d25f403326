package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

// Ignores are all that a user wrote to accept findings: in the configuration, and in
// the Dockerfiles and manifests that are audited. They remember over the targets of a
// run what each of them matched.
type Ignores struct {
	Rules []*scan.Rule // that there are, whether turned off or not
	Today time.Time    // in UTC
	// NeedReason refuses those in Dockerfiles and manifests that have no reason.
	NeedReason bool

	entries []*entry
	read    map[dockerfile.Span][]*entry // of Dockerfiles and manifests, by their line
	count   map[string]int               // of those of each file
	within  map[*manifest.Manifest][]*entry
}

// An entry is one ignore with what it is about.
type entry struct {
	*scan.Ignore
	covers  func(*scan.Pass, *scan.Finding) bool
	holds   func(scan.Target) bool // whether a target has what it is about; nil if all have
	targets []*image.Image         // of the targets that it was held against
}

// Anew returns the ignores of the configuration as they were before anything was held
// against them, for a target that is judged apart.
func (s *Ignores) Anew() *Ignores {
	fresh := &Ignores{Rules: s.Rules, Today: s.Today, NeedReason: s.NeedReason}
	for _, e := range s.entries {
		if !e.InSource {
			i := *e.Ignore
			i.Matched = 0
			fresh.entries = append(fresh.entries, &entry{Ignore: &i, covers: e.covers, holds: e.holds})
		}
	}
	return fresh
}

// For returns what accepts the findings of a target: the configuration's ignores and
// those of its own Dockerfile and manifest.
func (s *Ignores) For(t scan.Target) func(*scan.Pass, *scan.Finding) *scan.Ignore {
	mine := append(s.inDockerfile(t), s.inManifest(t.Manifest)...)
	for _, e := range s.entries {
		if !e.InSource {
			mine = append(mine, e)
		}
	}
	byRule := map[string][]*entry{}
	for _, e := range mine {
		e.targets = append(e.targets, t.Image)
		if e.Wrong == "" {
			byRule[e.Rule] = append(byRule[e.Rule], e)
		}
	}
	return func(p *scan.Pass, f *scan.Finding) *scan.Ignore {
		var by *scan.Ignore
		for _, e := range byRule[f.Rule.ID] {
			if !e.covers(p, f) {
				continue
			}
			if e.Matched++; by == nil && !e.Expired {
				by = e.Ignore
			}
		}
		return by
	}
}

// Review adds to the results of a run what is wrong with the ignores: that one can't
// be read, is past its date, or matched nothing. It is said once, in the last result
// that the ignore was for.
func (s *Ignores) Review(results []*scan.Result, opt scan.Options) {
	wrong := map[*scan.Result][]*scan.Ignore{}
	for _, e := range s.entries {
		if !e.idle(results) {
			continue
		}
		for i := len(results) - 1; i >= 0; i-- {
			if slices.Contains(e.targets, results[i].Target.Image) {
				wrong[results[i]] = append(wrong[results[i]], e.Ignore)
				break
			}
		}
	}
	for _, r := range results {
		if len(wrong[r]) > 0 {
			scan.Review(r, wrong[r], opt)
		}
	}
}

// idle reports whether there is something to say about an ignore. That it matched
// nothing says nothing where its rule was not asked, or not in full, or not of what the
// ignore is about.
func (e *entry) idle(results []*scan.Result) bool {
	if e.Wrong != "" || e.Expired {
		return true
	}
	if e.Matched > 0 {
		return false
	}
	asked := false
	for _, r := range results {
		if !slices.Contains(e.targets, r.Target.Image) {
			continue
		}
		i := slices.IndexFunc(r.Rules, func(rule *scan.Rule) bool { return rule.ID == e.Rule })
		if i < 0 || !r.Rules[i].Judges(r.Target) || e.holds != nil && !e.holds(r.Target) {
			continue
		}
		if !r.Complete() {
			return false
		}
		asked = true
	}
	return asked
}

// add takes in an ignore, and finds out whether it can hold.
func (s *Ignores) add(e *entry) *entry {
	e.Expired = !e.Until.IsZero() && e.Until.Format(time.DateOnly) < s.Today.Format(time.DateOnly)
	if e.Wrong == "" || e.Rule != "" {
		if id, hint := s.rule(e.Rule); id == "" {
			e.Wrong, e.Hint = "there is no rule "+plainOr(e.Rule, "of that name"), hint
		} else {
			e.Rule = id
		}
	}
	s.entries = append(s.entries, e)
	return e
}

// rule returns the id of a rule by its id or name, or a hint if there is none.
func (s *Ignores) rule(word string) (id, hint string) {
	var words []string
	for _, r := range s.Rules {
		if strings.EqualFold(word, r.ID) || strings.EqualFold(word, r.Name) {
			return r.ID, ""
		}
		words = append(words, r.ID, r.Name)
	}
	if near := suggest.Nearest(word, words); near != "" {
		return "", "did you mean " + near + "?"
	}
	return "", "sandbox-audit rules lists them all"
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// plainOr quotes a word that can hold no secret.
func plainOr(word, otherwise string) string {
	if plainName.MatchString(word) {
		return fmt.Sprintf("%q", word)
	}
	return otherwise
}
