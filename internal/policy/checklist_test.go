package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// shown is a result in which every rule that the checklist rests on exists and
// showed its part.
func shown() *scan.Result {
	r := &scan.Result{Target: scan.Target{Name: "agent:1", Image: &image.Image{}}}
	for _, s := range Steps() {
		for _, id := range required(s) {
			rule := &scan.Rule{ID: id, Step: s, Where: scan.InImage | scan.InDockerfile}
			if id == "SBX508" {
				rule.Step, rule.Where = scan.Runtime, scan.InManifest
			}
			r.Rules = append(r.Rules, rule)
			r.Claims = append(r.Claims, scan.Claim{Rule: rule, Shown: true, Text: id + " is good"})
		}
	}
	return r
}

func ruleOf(r *scan.Result, id string) *scan.Rule {
	return r.Rules[slices.IndexFunc(r.Rules, func(rule *scan.Rule) bool { return rule.ID == id })]
}

func without(r *scan.Result, id string) {
	r.Claims = slices.DeleteFunc(r.Claims, func(c scan.Claim) bool { return c.Rule.ID == id })
}

func find(r *scan.Result, id string, level scan.Level) {
	r.Findings = append(r.Findings, &scan.Finding{Rule: ruleOf(r, id), Level: level, Message: id + " is bad"})
}

func TestChecklist(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*scan.Result)
		want   string // bytecode, privilege, environment, network
		first  string // evidence of privilege
	}{
		{"all shown", func(*scan.Result) {}, "pass pass pass pass", "shown SBX201 SBX201 is good"},
		{"a warning fails its step", func(r *scan.Result) { find(r, "SBX203", scan.LevelWarning) },
			"pass fail pass pass", "found SBX203 SBX203 is bad"},
		{"a note does not", func(r *scan.Result) { find(r, "SBX203", scan.LevelNote) },
			"pass pass pass pass", "shown SBX201 SBX201 is good"},
		{"a rule that shows nothing", func(r *scan.Result) { without(r, "SBX205"); without(r, "SBX211") },
			"pass unknown pass pass", "missing  not shown: SBX205 SBX211"},
		{"a rule that this version lacks", func(r *scan.Result) {
			without(r, "SBX205")
			r.Rules = slices.DeleteFunc(r.Rules, func(rule *scan.Rule) bool { return rule.ID == "SBX205" })
		}, "pass unknown pass pass", "missing  not checked by this version: SBX205"},
		{"a rule that needs the image", func(r *scan.Result) {
			r.Target.Image.Predicted = true
			ruleOf(r, "SBX207").Where = scan.InImage
			without(r, "SBX207")
		}, "pass unknown pass pass", "missing  a Dockerfile alone can't show it, give the image: SBX207"},
		{"no manifest", func(r *scan.Result) { without(r, "SBX508") }, "pass pass pass unknown", "shown SBX201 SBX201 is good"},
		{"a finding in a manifest fails the network", func(r *scan.Result) { find(r, "SBX508", scan.LevelWarning) },
			"pass pass pass fail", "shown SBX201 SBX201 is good"},
		{"unknown by any rule of the step", func(r *scan.Result) {
			extra := &scan.Rule{ID: "SBX204", Step: scan.Privilege}
			r.Claims = append(r.Claims, scan.Claim{Rule: extra, Text: "give the base image"})
		}, "pass unknown pass pass", "missing SBX204 give the base image"},
		{"incomplete audit", func(r *scan.Result) {
			r.Target.Image.Problems = []image.Problem{{Kind: image.NotAudited}}
		}, "unknown unknown unknown unknown", "missing  the audit is incomplete: what was not read could decide otherwise"},
		{"broken rule", func(r *scan.Result) {
			r.Broken = []scan.Broken{{Rule: ruleOf(r, "SBX101"), Err: errors.New("panic")}}
		}, "unknown unknown unknown unknown", "missing  the audit is incomplete: what was not read could decide otherwise"},
		{"a finding wins over an incomplete audit", func(r *scan.Result) {
			r.Target.Image.Problems = []image.Problem{{Kind: image.NotAudited}}
			find(r, "SBX201", scan.LevelError)
		}, "unknown fail unknown unknown", "found SBX201 SBX201 is bad"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := shown()
			tt.change(r)
			var answers []string
			var first string
			for _, v := range Checklist(r) {
				answers = append(answers, v.Answer.String())
				if v.Step == scan.Privilege {
					e := v.Evidence[0]
					first = e.Kind.String() + " " + e.Rule + " " + e.Text
				}
			}
			if got := strings.Join(answers, " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if first != tt.first {
				t.Errorf("first evidence: got %q, want %q", first, tt.first)
			}
		})
	}
}

func TestChecklistOrder(t *testing.T) {
	r := shown()
	find(r, "SBX201", scan.LevelError)
	find(r, "SBX206", scan.LevelWarning)
	r.Claims = append(r.Claims, r.Claims...) // said twice, told once
	var got []string
	for _, e := range Checklist(r)[1].Evidence {
		got = append(got, e.Kind.String()+" "+e.Rule)
	}
	want := []string{"found SBX201", "found SBX206"}
	for _, id := range required(scan.Privilege) {
		want = append(want, "shown "+id)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDecide(t *testing.T) {
	at := scan.Location{Source: dockerfile.Span{Path: "Dockerfile", Start: 3, End: 3}}
	result := func(complete bool, levels ...scan.Level) *scan.Result {
		r := shown()
		for i, l := range levels {
			r.Findings = append(r.Findings, &scan.Finding{Rule: r.Rules[i], Level: l, At: at})
		}
		if !complete {
			r.Target.Image.Problems = []image.Problem{
				{Kind: image.Remark, Layer: -1, What: "fine"},
				{Kind: image.NotAudited, Layer: -1, What: "unexpected EOF"}}
		}
		return r
	}
	nowhere := result(true, scan.LevelError)
	nowhere.Findings[0].At = scan.Location{}
	broken := result(true)
	broken.Broken = []scan.Broken{{Rule: broken.Rules[0], Err: errors.New("panic: x")}}
	over := result(true)
	over.Unlisted = []scan.Unlisted{{Rule: over.Rules[0], N: 7}}
	unread := result(true)
	unread.Target.Image.Predicted = true
	unread.Target.Build = &dockerfile.Build{File: &dockerfile.File{Problems: []dockerfile.Problem{
		{Span: at.Source, What: "unknown instruction FRM", Fatal: true}}}}

	all := []scan.Step{scan.Network, scan.Bytecode}
	for _, tt := range []struct {
		name   string
		gate   Gate
		in     []*scan.Result
		failed []string
		code   int
		reason string
	}{
		{"nothing", Gate{FailOn: scan.LevelNote}, []*scan.Result{result(true)}, nil, 0, ""},
		{"under the gate", Gate{FailOn: scan.LevelError}, []*scan.Result{result(true, scan.LevelWarning, scan.LevelNote)}, nil, 0, ""},
		{"never", Gate{}, []*scan.Result{result(true, scan.LevelError)}, nil, 0, ""},
		{"at the gate", Gate{FailOn: scan.LevelError}, []*scan.Result{result(true, scan.LevelNote, scan.LevelError), result(true, scan.LevelError)}, nil, 1,
			"exit 1: 2 errors at or over --fail-on error (first: SBX102 at Dockerfile:3)"},
		{"over the gate, the worst is named", Gate{FailOn: scan.LevelNote}, []*scan.Result{result(true, scan.LevelNote, scan.LevelError, scan.LevelWarning)}, nil, 1,
			"exit 1: 1 error, 1 warning, 1 note at or over --fail-on note (first: SBX102 at Dockerfile:3)"},
		{"a finding without a place", Gate{FailOn: scan.LevelError}, []*scan.Result{nowhere}, nil, 1,
			"exit 1: 1 error at or over --fail-on error (first: SBX101 at agent:1)"},
		{"required and pass", Gate{Require: all}, []*scan.Result{result(true)}, nil, 0, ""},
		{"required and fail", Gate{Require: all}, []*scan.Result{result(true), result(true, scan.LevelError)}, nil, 1,
			"exit 1: --require bytecode is fail for agent:1"},
		{"both", Gate{scan.LevelError, all}, []*scan.Result{result(true, scan.LevelError)}, nil, 1,
			"exit 1: 1 error at or over --fail-on error (first: SBX101 at Dockerfile:3); --require bytecode is fail for agent:1"},
		// D84: an audit that could not read something never looks clean.
		{"incomplete wins", Gate{FailOn: scan.LevelError}, []*scan.Result{result(true), result(false, scan.LevelError)}, nil, 3,
			"exit 3: 1 of 2 targets not audited in full (first: agent:1: unexpected EOF)"},
		{"incomplete even if never", Gate{}, []*scan.Result{result(false)}, nil, 3,
			"exit 3: 1 of 1 target not audited in full (first: agent:1: unexpected EOF)"},
		{"a target that could not be opened", Gate{}, []*scan.Result{result(false)}, []string{"gone.tar"}, 3,
			"exit 3: 2 of 2 targets not audited in full (first: gone.tar could not be read)"},
		{"broken rule", Gate{}, []*scan.Result{broken}, nil, 3,
			"exit 3: 1 of 1 target not audited in full (first: agent:1: rule SBX101 broke: panic: x)"},
		{"over the limit", Gate{}, []*scan.Result{over}, nil, 3,
			"exit 3: 1 of 1 target not audited in full (first: agent:1: 7 findings of SBX101 over the limit per rule)"},
		{"unread instruction", Gate{}, []*scan.Result{unread}, nil, 3,
			"exit 3: 1 of 1 target not audited in full (first: agent:1: Dockerfile:3: unknown instruction FRM)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, reason := tt.gate.Decide(tt.in, tt.failed)
			if code != tt.code || reason != tt.reason {
				t.Errorf("got %d %q\nwant %d %q", code, reason, tt.code, tt.reason)
			}
		})
	}
}
