package policy

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

func TestParsePragma(t *testing.T) {
	day := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		text string
		want pragma
		none bool
	}{
		{text: "sandbox-audit: ignore=SBX205", want: pragma{rules: []string{"SBX205"}}},
		{text: `sandbox-audit: ignore=SBX205,root-user reason="it is = meant" until=2027-03-01 scope=stage`,
			want: pragma{rules: []string{"SBX205", "root-user"}, reason: "it is = meant", until: day, scope: "stage"}},
		{text: "Sandbox-Audit:IGNORE = SBX205 until=2027-03-01 reason='x'", want: pragma{rules: []string{"SBX205"}, until: day, reason: "x"}},
		// D88: the reason may stand on the same line, however it is set off.
		{text: "sandbox-audit: ignore=SBX205 - because", want: pragma{rules: []string{"SBX205"}, reason: "because"}},
		{text: "sandbox-audit ignore=SBX205 # why not", want: pragma{rules: []string{"SBX205"}, reason: "why not"}},
		{text: "sandbox-audit: ignore=SBX205 until=2027-03-01 -- a = b", want: pragma{rules: []string{"SBX205"}, until: day, reason: "a = b"}},
		{text: "sandbox-audit: ignore=SBX205 because", want: pragma{rules: []string{"SBX205"}, wrong: "what it says can't be read"}},
		{text: "sandbox-audit: ignore=SBX205 SBX206", want: pragma{rules: []string{"SBX205"}, wrong: "what it says can't be read"}},
		{text: `sandbox-audit: ignore=SBX205 reason="open`, want: pragma{rules: []string{"SBX205"}, wrong: "what it says can't be read"}},
		{text: "sandbox-audit: skip SBX205", want: pragma{wrong: "what it says can't be read"}},
		{text: "sandbox-audit:", want: pragma{wrong: "it names no rule"}},
		{text: "sandbox-audit: ignore=,", want: pragma{wrong: "it names no rule"}},
		{text: "sandbox-audit: ignore=SBX205 until=1.3.2027", want: pragma{rules: []string{"SBX205"}, wrong: "its until is no date"}},
		{text: "sandbox-audit: ignore=SBX205 scope=all", want: pragma{rules: []string{"SBX205"}, scope: "all", wrong: "its scope is none"}},
		{text: "sandbox-audit: ignore=SBX205 raeson=x", want: pragma{rules: []string{"SBX205"}, wrong: "it has the key raeson, which is unknown"}},
		{text: "sandbox-audit: ignore=SBX205 until=2020-01-01 until=2027-03-01", want: pragma{rules: []string{"SBX205"}, until: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), wrong: "it has until twice"}},
		{text: "sandbox-audit: ignore=SBX205 ignore=SBX206", want: pragma{rules: []string{"SBX205"}, wrong: "it has ignore twice"}},
		{text: "sandbox-audit: ignore=SBX205 --", want: pragma{rules: []string{"SBX205"}}}, // says nothing
		{text: `sandbox-audit: ignore=SBX205 reason="-"`, want: pragma{rules: []string{"SBX205"}}},
		{text: "sandbox-audit-ignore: SBX205", want: pragma{wrong: "what it says can't be read"}},
		{text: "sandbox-audit disable=SBX205", want: pragma{wrong: "it has the key disable, which is unknown"}},
		{text: "sandbox-audit looks at this", none: true},
		{text: "check=skip=all", none: true},
		{text: "see sandbox-audit: ignore=SBX205", none: true},
	} {
		got, ok := parsePragma(tt.text)
		got.hint = ""
		if ok == tt.none || strings.Join(got.rules, ",") != strings.Join(tt.want.rules, ",") || got.reason != tt.want.reason ||
			!got.until.Equal(tt.want.until) || got.scope != tt.want.scope || got.wrong != tt.want.wrong {
			t.Errorf("%s:\n got %+v %v\nwant %+v", tt.text, got, ok, tt.want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"dev/Dockerfile", "dev/Dockerfile", true},
		{"dev/Dockerfile", "Dockerfile", false},
		{"Dockerfile", "dev/Dockerfile", false},
		{"./dev/*", "dev/Dockerfile", true},
		{"dev/", "dev/a/Dockerfile", true},
		{"**/Dockerfile*", "a/b/Dockerfile.dev", true},
		{"**/Dockerfile", "Dockerfile", true},
		{"/app/**/*_test.py", "/app/a/b/x_test.py", true},
		{"/app/*.py", "/app/a/x.py", false},
		{"/app/**/x/**/y", "/app/x/1/x/2/y", true},
		{"/app/**", "/application/x", false},
	} {
		g, err := newGlob(tt.pattern)
		if err != nil || g.matches(tt.path) != tt.want {
			t.Errorf("%s of %s: want %v (%v)", tt.pattern, tt.path, tt.want, err)
		}
	}
	if _, err := newGlob("a/[b"); err == nil {
		t.Error("a broken glob was taken")
	}
}

var sudo = &scan.Rule{ID: "SBX205", Name: "passwordless-sudo", Step: scan.Privilege, Level: scan.LevelError, Where: scan.InImage | scan.InDockerfile}

func TestScope(t *testing.T) {
	layers := []*image.Layer{{Index: 0, DiffID: "sha256:" + strings.Repeat("ab", 32)}, {Index: 1, DiffID: "sha256:" + strings.Repeat("cd", 32)}}
	f := &scan.Finding{Rule: sudo, Values: []string{"id"}, At: scan.Location{
		Source: dockerfile.Span{Path: "repo/dev/Dockerfile", Start: 3}, Layer: layers[1], Path: "/etc/sudoers.d/agent",
	}}
	rel := func(p string) string { return strings.TrimPrefix(p, "repo/") }
	for _, tt := range []struct {
		scope Scope
		want  bool
	}{
		{Scope{}, true},
		{Scope{Path: "dev/**"}, true},
		{Scope{Path: "prod/**"}, false},
		{Scope{Path: "/etc/sudoers.d/*"}, true},
		{Scope{Path: "/etc/*"}, false},
		{Scope{Layer: "2"}, true},
		{Scope{Layer: "1"}, false},
		{Scope{Layer: "sha256:cdcdcdcdcdcd"}, true},
		{Scope{Layer: "cdcdcdcdcdcd"}, true},
		{Scope{Layer: "abababababab"}, false},
		{Scope{Value: "id"}, true},
		{Scope{Value: "other"}, false},
		{Scope{Path: "dev/**", Layer: "1"}, false},
		{Scope{Package: "sudo"}, false}, // of no file
	} {
		covers, err := tt.scope.compile(rel)
		if err != nil || covers(nil, f) != tt.want {
			t.Errorf("%+v: want %v (%v)", tt.scope, tt.want, err)
		}
	}
	for _, s := range []Scope{{Path: "["}, {Layer: "0"}, {Layer: "last"}, {Layer: "sha256:ab"}} {
		if _, err := s.compile(rel); err == nil {
			t.Errorf("%+v was taken", s)
		}
	}
}

// ignoring runs one rule that finds a thing in each line of a Dockerfile, and returns
// the lines that are found and those that are ignored.
func ignoring(t *testing.T, text string, s *Ignores) (res *scan.Result, found, ignored []int) {
	t.Helper()
	file, err := dockerfile.Parse("Dockerfile", []byte(text), limits.Default())
	if err != nil {
		t.Fatal(err)
	}
	b, err := file.Build("", nil)
	if err != nil {
		t.Fatal(err)
	}
	rule := *sudo
	rule.Run = func(p *scan.Pass) {
		for n := 1; n <= strings.Count(text, "\n"); n++ {
			p.Reportf(scan.Location{Source: dockerfile.Span{Path: "Dockerfile", Start: n, End: n}}, "found")
		}
	}
	s.Rules = []*scan.Rule{&rule, {ID: "SBX401", Name: "exposed-port"}}
	img, err := scan.Predict(t.Context(), image.NewScanner(nil, limits.Default()), b, nil, "none")
	if err != nil {
		t.Fatal(err)
	}
	target := scan.Target{Name: "x", Kind: "dockerfile", Image: img, Build: b}
	res = scan.Run(target, []*scan.Rule{&rule}, scan.Options{Ignore: s.For(target)}, limits.Default())
	lines := func(fs []*scan.Finding) (out []int) {
		for _, f := range fs {
			out = append(out, f.At.Source.Start)
		}
		return out
	}
	return res, lines(res.Findings), lines(res.Ignored)
}

func TestIgnoresInDockerfile(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []int
	}{
		{"the instruction below, D86", "FROM a\n# sandbox-audit: ignore=SBX205\nADD x /\nADD y /\n", []int{3}},
		{"over other comments and blank lines", "FROM a\n# sandbox-audit: ignore=SBX205\n# why\n\nADD x /\n", []int{5}},
		{"all lines of it", "FROM a\n# sandbox-audit: ignore=SBX205\nRUN a \\\n && b\nRUN c\n", []int{3, 4}},
		{"inside of it", "FROM a\nRUN a \\\n# sandbox-audit: ignore=SBX205\n b\n", []int{2, 3, 4}},
		{"by name", "FROM a\n# sandbox-audit: ignore=Passwordless-Sudo\nADD x /\n", []int{3}},
		{"another rule", "FROM a\n# sandbox-audit: ignore=SBX401\nADD x /\n", nil},
		{"several rules", "FROM a\n# sandbox-audit: ignore=SBX401,SBX205\nADD x /\n", []int{3}},
		{"the first instruction", "# sandbox-audit: ignore=SBX205\nFROM a\nADD x /\n", []int{2}},
		{"the file", "# sandbox-audit: ignore=SBX205\n\nFROM a\nADD x /\n", []int{1, 2, 3, 4}},
		{"the file, by its scope", "# sandbox-audit: ignore=SBX205 scope=file\nFROM a\nADD x /\n", []int{1, 2, 3}},
		{"no file in the middle", "FROM a\n# sandbox-audit: ignore=SBX205 scope=file\nADD x /\n", nil},
		{"a stage, D87", "FROM a AS one\nADD x /\n# sandbox-audit: ignore=SBX205 scope=stage\nFROM b\nADD x /\n", []int{4, 5}},
		{"no stage below", "FROM a\n# sandbox-audit: ignore=SBX205 scope=stage\nADD x /\n", nil},
		{"nothing below", "FROM a\n# sandbox-audit: ignore=SBX205\n", nil},
		{"a heredoc", "FROM a\nRUN <<E\n# sandbox-audit: ignore=SBX205\nE\n", nil},
		{"expired", "FROM a\n# sandbox-audit: ignore=SBX205 until=2026-02-28\nADD x /\n", nil},
		{"the last day", "FROM a\n# sandbox-audit: ignore=SBX205 until=2026-03-01\nADD x /\n", []int{3}},
		{"BuildKit's", "# check=skip=all\n\nFROM a\n# check=skip=SBX205\nADD x /\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, found, ignored := ignoring(t, tt.text, &Ignores{Today: time.Date(2026, 3, 1, 23, 59, 0, 0, time.UTC)})
			if !slices.Equal(ignored, tt.want) || len(found)+len(ignored) != strings.Count(tt.text, "\n") {
				t.Errorf("ignored %v, want %v; found %v", ignored, tt.want, found)
			}
		})
	}
	if _, _, ignored := ignoring(t, "FROM a\n# sandbox-audit: ignore=SBX205\nADD x /\n", &Ignores{NeedReason: true}); ignored != nil {
		t.Error("an ignore without a reason was taken")
	}
}

// A file made of ignores costs no more than one with many, and what is over is said.
func TestMostIgnores(t *testing.T) {
	s := &Ignores{}
	res, _, _ := ignoring(t, "FROM a\n"+strings.Repeat("# sandbox-audit: ignore=SBX205\n", mostIgnores+5)+"ADD x /\n", s)
	if n := len(s.entries); n != mostIgnores+1 {
		t.Fatalf("%d entries", n)
	}
	if last := s.entries[mostIgnores]; last.Wrong != "the file has more than 1000" || !last.idle([]*scan.Result{res}) {
		t.Errorf("the last one: %q", last.Wrong)
	}
}

func TestIgnoresInManifest(t *testing.T) {
	text := "# sandbox-audit: ignore=SBX205 scope=file\nservices:\n  a:\n    # sandbox-audit: ignore=SBX401 - meant\n    privileged: true\n    user: root # sandbox-audit: ignore=SBX401\n    cap_add: [ALL]\n"
	s := &Ignores{Rules: []*scan.Rule{sudo, {ID: "SBX401", Name: "exposed-port"}}}
	m := &manifest.Manifest{Kind: manifest.Compose, Files: []manifest.File{{Name: "compose.yaml", Text: []byte(text)}}}
	ask := s.For(scan.ManifestTarget("compose.yaml", m, nil))
	var got []string
	for _, rule := range s.Rules {
		for n := 1; n <= 7; n++ {
			if i := ask(nil, &scan.Finding{Rule: rule, At: scan.Location{Manifest: true, Source: dockerfile.Span{Path: "compose.yaml", Start: n, End: n}}}); i != nil && n > 4 {
				got = append(got, rule.ID+" "+string(rune('0'+n))+" "+i.Reason)
			}
		}
	}
	want := []string{"SBX205 5 ", "SBX205 6 ", "SBX205 7 ", "SBX401 5 meant", "SBX401 6 "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An accepted finding does not stop the gate, and does not make a verdict pass: it is
// accepted, and only if nothing else is missing.
func TestAcceptedVerdict(t *testing.T) {
	by := &scan.Ignore{Rule: "SBX205", Reason: "meant", Until: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), At: scan.Location{Source: dockerfile.Span{Path: "Dockerfile", Start: 2, End: 2}}}
	result := func(ignored *scan.Ignore) *scan.Result {
		r := shown()
		rule := r.Rules[slices.IndexFunc(r.Rules, func(rule *scan.Rule) bool { return rule.ID == "SBX205" })]
		r.Claims = slices.DeleteFunc(r.Claims, func(c scan.Claim) bool { return c.Rule == rule })
		r.Ignored = []*scan.Finding{{Rule: rule, Level: scan.LevelError, Message: "agent may run ALL", Ignored: ignored}}
		return r
	}
	all := Gate{FailOn: scan.LevelNote, Require: []scan.Step{scan.Privilege}}
	v := judge(result(by), scan.Privilege)
	if v.Answer != Accepted || v.Evidence[0].Text != "accepted by Dockerfile:2 until 2027-03-01: meant; that is: agent may run ALL" {
		t.Errorf("got %v: %+v", v.Answer, v.Evidence[0])
	}
	if code, why := all.Decide([]*scan.Result{result(by)}, nil); code != ExitClean {
		t.Errorf("exit %d: %s", code, why)
	}
	missing := result(by)
	missing.Claims = slices.DeleteFunc(missing.Claims, func(c scan.Claim) bool { return c.Rule.ID == "SBX206" })
	if v := judge(missing, scan.Privilege); v.Answer != Unknown {
		t.Errorf("with something missing: %v", v.Answer)
	}
	old := result(&scan.Ignore{Baseline: true, Reason: "recorded in the baseline b.json"})
	if v := judge(old, scan.Privilege); v.Answer != Fail {
		t.Errorf("a finding of the baseline: %v", v.Answer)
	}
	off := shown()
	rule := off.Rules[slices.IndexFunc(off.Rules, func(rule *scan.Rule) bool { return rule.ID == "SBX205" })]
	off.Disabled = []scan.Disabled{{Rule: rule, Reason: "no sudo"}}
	off.Rules = slices.DeleteFunc(off.Rules, func(r *scan.Rule) bool { return r == rule })
	off.Claims = slices.DeleteFunc(off.Claims, func(c scan.Claim) bool { return c.Rule == rule })
	if v := judge(off, scan.Privilege); v.Answer != Unknown || v.Evidence[0].Text != "turned off by the configuration: SBX205" {
		t.Errorf("a rule that is turned off: %v, %s", v.Answer, v.Evidence[0].Text)
	}
	for _, tt := range []struct {
		off  scan.Rule
		want Answer
	}{ // one that shows nothing for a verdict, but could fail it
		{scan.Rule{ID: "SBX212", Step: scan.Privilege, Level: scan.LevelWarning, Where: scan.InImage}, Unknown},
		{scan.Rule{ID: "SBX213", Step: scan.Privilege, Level: scan.LevelNote, Where: scan.InImage}, Pass},
		{scan.Rule{ID: "SBX501", Step: scan.Runtime, Level: scan.LevelError, Where: scan.InManifest}, Pass}, // without a manifest
		{scan.Rule{ID: "SBX602", Step: scan.Supply, Level: scan.LevelWarning, Where: scan.InImage}, Pass},
	} {
		r := shown()
		r.Disabled = []scan.Disabled{{Rule: &tt.off, Reason: "not ours"}}
		if v := judge(r, scan.Privilege); v.Answer != tt.want {
			t.Errorf("%s turned off: %v, want %v", tt.off.ID, v.Answer, tt.want)
		}
	}
}

// A finding that is only a note by the user's word does not make a verdict pass, also not
// where the rule has shown something else.
func TestLoweredVerdict(t *testing.T) {
	for _, tt := range []struct {
		name    string
		finding scan.Finding
		ignored *scan.Ignore
		want    Answer
	}{
		{"a note", scan.Finding{Level: scan.LevelNote}, nil, Pass},
		{"lowered", scan.Finding{Level: scan.LevelNote, Lowered: true}, nil, Unknown},
		{"lowered and old", scan.Finding{Level: scan.LevelNote, Lowered: true}, &scan.Ignore{Baseline: true}, Unknown},
		{"lowered and accepted", scan.Finding{Level: scan.LevelNote, Lowered: true}, &scan.Ignore{}, Accepted},
		{"not lowered so far", scan.Finding{Level: scan.LevelWarning}, nil, Fail},
	} {
		r := shown()
		f := tt.finding
		f.Rule, f.Ignored = r.Rules[slices.IndexFunc(r.Rules, func(rule *scan.Rule) bool { return rule.ID == "SBX205" })], tt.ignored
		if f.Ignored != nil {
			r.Ignored = []*scan.Finding{&f}
		} else {
			r.Findings = []*scan.Finding{&f}
		}
		if v := judge(r, scan.Privilege); v.Answer != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, v.Answer, tt.want)
		}
	}
}

// TestIdle tells of an ignore that matched nothing only where what it is about was judged.
func TestIdle(t *testing.T) {
	rule := &scan.Rule{ID: "SBX501", Name: "privileged", Where: scan.InImage | scan.InDockerfile | scan.InManifest}
	one := &manifest.Workload{Name: "one", At: manifest.Place{File: "compose.yaml", Line: 3}}
	two := &manifest.Workload{Name: "two", At: manifest.Place{File: "compose.yaml", Line: 6}}
	text := "# sandbox-audit: ignore=SBX501 scope=file\nservices:\n  one:\n    image: a # sandbox-audit: ignore=SBX501\n\n  two:\n    image: a # sandbox-audit: ignore=SBX501\n"
	m := &manifest.Manifest{Kind: manifest.Compose, Workloads: []*manifest.Workload{one, two}, Files: []manifest.File{{Name: "compose.yaml", Text: []byte(text)}}}
	rel := func(p string) string { return p }
	for _, tt := range []struct {
		name     string
		scope    Scope
		workload *manifest.Workload
		image    bool
		want     []int // lines of those that are told; 0 for that of the configuration
	}{
		{"all of the rule", Scope{}, one, false, []int{0, 1, 4}},
		{"the other workload", Scope{}, two, false, []int{0, 1, 7}},
		{"none of them", Scope{}, &manifest.Workload{At: manifest.Place{File: "other.yaml"}}, false, []int{0}},
		{"this file", Scope{Path: "*.yaml"}, one, false, []int{0, 1, 4}},
		{"another file", Scope{Path: "dev/"}, one, false, []int{1, 4}},
		{"a path of an image that is not there", Scope{Path: "/etc/**"}, one, false, []int{1, 4}},
		{"a path of an image", Scope{Path: "/etc/**"}, one, true, []int{0, 1, 4}},
		{"a layer of an image that is not there", Scope{Layer: "1"}, one, false, []int{1, 4}},
	} {
		s := &Ignores{Rules: []*scan.Rule{rule}}
		if err := s.Add("SBX501", "", time.Time{}, scan.Location{}, tt.scope, rel); err != nil {
			t.Fatal(err)
		}
		target := scan.ManifestTarget("compose.yaml", m, tt.workload)
		target.NoImage, target.Image = !tt.image, &image.Image{Predicted: !tt.image}
		s.For(target)
		var got []int
		for _, e := range s.entries {
			if e.idle([]*scan.Result{{Target: target, Rules: s.Rules}}) {
				got = append(got, e.At.Source.Start)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: told of %v, want %v", tt.name, got, tt.want)
		}
	}
}
