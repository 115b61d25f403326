// Package policy turns results into decisions: what is accepted or old, the
// checklist's verdicts and the exit code. It promises never to say pass for what was
// not shown or is only accepted, never to let an incomplete audit look like a clean
// one, and to say of every ignore that accepts nothing that it does not. It knows no
// rule but by id, and no format but that of its baselines.
package policy

import (
	"slices"
	"strings"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// An Answer is what the audit says to one question of the checklist.
type Answer uint8

// The answers. The zero Answer is Unknown: a pass must be shown.
const (
	Unknown  Answer = iota // not decidable from what was given
	Pass                   // shown, with evidence
	Fail                   // there is a finding at warning or above
	Accepted               // there is one, and all such findings are accepted by the user; nothing is missing
)

func (a Answer) String() string { return [...]string{"unknown", "pass", "fail", "accepted"}[a] }

// A Verdict is the answer to one question of the checklist and what it rests on.
type Verdict struct {
	Step     scan.Step
	Answer   Answer
	Evidence []Evidence // what decided the answer first; never empty
}

// Evidence is one sentence of what a verdict rests on.
type Evidence struct {
	Kind EvidenceKind
	Rule string        // id; empty if the sentence is about the audit as a whole
	At   scan.Location // zero if it is about the target as a whole
	Text string        // may quote the target: clean before printing
	Flow []scan.Note   // what happens when the container runs, in order, as far as it decides
}

// EvidenceKind says which way a piece of evidence points.
type EvidenceKind uint8

// The kinds of evidence.
const (
	Found   EvidenceKind = iota // a finding at warning or above: decides for fail
	Missing                     // not known, and what is missing: decides for unknown
	Shown                       // shown to be good
	Waived                      // a finding at warning or above that the user accepts, and why: decides for accepted
)

func (k EvidenceKind) String() string { return [...]string{"found", "missing", "shown", "accepted"}[k] }

// Steps returns the steps that have a verdict, in the order of the checklist.
func Steps() []scan.Step {
	return []scan.Step{scan.Bytecode, scan.Privilege, scan.Environment, scan.Network}
}

// required returns the ids of the rules that must each show their part for a step
// to pass. Findings and claims of these rules count for the step even where the
// rule itself belongs to another one, as that on a manifest's egress does.
func required(s scan.Step) []string {
	switch s {
	case scan.Bytecode:
		return []string{"SBX101", "SBX102", "SBX103", "SBX104"}
	case scan.Privilege:
		return []string{"SBX201", "SBX202", "SBX203", "SBX205", "SBX206", "SBX207", "SBX208", "SBX210", "SBX211"}
	case scan.Environment:
		return []string{"SBX301", "SBX302", "SBX303", "SBX304", "SBX305", "SBX306", "SBX307", "SBX308", "SBX309"}
	case scan.Network:
		return []string{"SBX401", "SBX402", "SBX406", "SBX408", "SBX508"}
	}
	return nil
}

// counted returns the ids of rules on how a sandbox is run whose findings and claims
// count for a step too: a manifest can undo what the image does.
func counted(s scan.Step) []string {
	switch s {
	case scan.Bytecode:
		return []string{"SBX517"}
	case scan.Privilege:
		return []string{"SBX501", "SBX506", "SBX511", "SBX518"}
	case scan.Environment:
		return []string{"SBX510"}
	case scan.Network:
		return []string{"SBX509", "SBX513"}
	}
	return nil
}

// Checklist answers the four questions about one target, in the order of Steps.
func Checklist(r *scan.Result) []Verdict {
	var out []Verdict
	for _, s := range Steps() {
		out = append(out, judge(r, s))
	}
	return out
}

func judge(r *scan.Result, s scan.Step) Verdict {
	found, shown := findings(r, s), claims(r, s, true)
	if len(found) > 0 {
		return Verdict{s, Fail, append(found, shown...)}
	}
	missing := append(claims(r, s, false), gaps(r, s)...)
	if !r.Complete() {
		missing = append(missing, Evidence{Kind: Missing, Text: "the audit is incomplete: what was not read could decide otherwise"})
	}
	accepted := waived(r, s)
	if len(missing) > 0 {
		return Verdict{s, Unknown, append(append(missing, accepted...), shown...)}
	}
	if len(accepted) > 0 {
		return Verdict{s, Accepted, append(accepted, shown...)}
	}
	return Verdict{s, Pass, shown}
}

// concerns reports whether what a rule says counts for a step.
func concerns(r *scan.Rule, s scan.Step) bool {
	return r.Step == s || slices.Contains(required(s), r.ID) || slices.Contains(counted(s), r.ID)
}

func findings(r *scan.Result, s scan.Step) []Evidence {
	var out []Evidence
	for _, f := range r.Findings {
		if concerns(f.Rule, s) && f.Level >= scan.LevelWarning {
			out = append(out, Evidence{Found, f.Rule.ID, f.At, f.Message, f.Flow})
		}
	}
	for _, f := range r.Ignored { // that a finding is old does not make it good
		if f.Ignored.Baseline && concerns(f.Rule, s) && f.Level >= scan.LevelWarning {
			out = append(out, Evidence{Found, f.Rule.ID, f.At, f.Ignored.Reason + ": " + f.Message, f.Flow})
		}
	}
	return out
}

// waived returns the findings that the user accepts, each with why.
func waived(r *scan.Result, s scan.Step) []Evidence {
	var out []Evidence
	for _, f := range r.Ignored {
		if !f.Ignored.Baseline && concerns(f.Rule, s) && counts(f) {
			out = append(out, Evidence{Waived, f.Rule.ID, f.At, Acceptance(f.Ignored) + "; that is: " + f.Message, f.Flow})
		}
	}
	return out
}

// Acceptance says in words why a finding is not told as one: "accepted by Dockerfile:3
// until 2027-03-01: the VM is the boundary".
func Acceptance(i *scan.Ignore) string {
	if i.Baseline {
		return i.Reason
	}
	text := "accepted by " + i.At.Source.String()
	if !i.Until.IsZero() {
		text += " until " + i.Until.Format(time.DateOnly)
	}
	if i.Reason == "" {
		return text + ", without a reason"
	}
	return text + ": " + i.Reason
}

// claims returns what rules claimed, in the order of the result; a sentence that
// is said twice about one place counts once.
func claims(r *scan.Result, s scan.Step, shown bool) []Evidence {
	kind := Missing
	if shown {
		kind = Shown
	}
	var out []Evidence
	seen := map[scan.Note]bool{}
	for _, c := range r.Claims {
		said := scan.Note{At: c.At, Message: c.Text}
		if c.Shown == shown && concerns(c.Rule, s) && !seen[said] {
			seen[said] = true
			out = append(out, Evidence{kind, c.Rule.ID, c.At, c.Text, c.Flow})
		}
	}
	return out
}

// gaps names the required rules that showed nothing, by the reason why.
func gaps(r *scan.Result, s scan.Step) []Evidence {
	var absent, off, image, bare, manifest, silent []string
	lowered := lowered(r, s)
	for _, id := range required(s) {
		i := slices.IndexFunc(r.Rules, func(rule *scan.Rule) bool { return rule.ID == id })
		switch {
		case slices.ContainsFunc(r.Disabled, func(d scan.Disabled) bool { return d.Rule.ID == id }):
			off = append(off, id)
		case i < 0:
			absent = append(absent, id)
		case slices.Contains(lowered, id):
		case claimed(r, id):
		case r.Target.NoImage && r.Rules[i].Where&scan.InManifest == 0:
			bare = append(bare, id)
		case r.Rules[i].Where&(scan.InImage|scan.InDockerfile) == 0:
			manifest = append(manifest, id)
		case r.Target.Image.Predicted && r.Rules[i].Where&scan.InDockerfile == 0:
			image = append(image, id)
		default:
			silent = append(silent, id)
		}
	}
	for _, d := range r.Disabled { // a rule that shows nothing could still have failed the step
		if d.Rule.Level >= scan.LevelWarning && concerns(d.Rule, s) && d.Rule.Judges(r.Target) && !slices.Contains(off, d.Rule.ID) {
			off = append(off, d.Rule.ID)
		}
	}
	slices.Sort(off)
	var out []Evidence
	add := func(what string, ids []string) {
		if len(ids) > 0 {
			out = append(out, Evidence{Kind: Missing, Text: what + ": " + strings.Join(ids, " ")})
		}
	}
	if s != scan.Network { // how it is run decides that one, where the image is not given
		add("a manifest alone can't show it, give the image too", bare)
	}
	add("found, and lowered to a note, which is no pass", lowered)
	add("not shown", silent)
	add("a Dockerfile alone can't show it, give the image", image)
	add("only a manifest can show it", manifest)
	add("turned off by the configuration", off)
	add("not checked by this version", absent)
	return out
}

// lowered returns the ids of the rules whose findings would fail a step, were they not
// notes by the user's word. Those of a baseline are among them.
func lowered(r *scan.Result, s scan.Step) []string {
	var out []string
	for _, f := range slices.Concat(r.Findings, r.Ignored) {
		if f.Lowered && concerns(f.Rule, s) && (f.Ignored == nil || f.Ignored.Baseline) {
			out = append(out, f.Rule.ID)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// counts reports whether a finding decides a verdict.
func counts(f *scan.Finding) bool { return f.Level >= scan.LevelWarning || f.Lowered }

// claimed reports whether a rule said anything for a verdict: that it was shown, or
// what is missing, which is told for itself, or what is accepted.
func claimed(r *scan.Result, id string) bool {
	for _, f := range r.Ignored {
		if f.Rule.ID == id && !f.Ignored.Baseline && counts(f) {
			return true
		}
	}
	return slices.ContainsFunc(r.Claims, func(c scan.Claim) bool { return c.Rule.ID == id })
}
