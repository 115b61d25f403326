package settings

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var words = Words{Rules: []string{"SBX205", "passwordless-sudo", "SBX401", "exposed-port"}, Limits: []string{"max-layers", "max-entries"}}

const whole = `# all keys
fail-on: warning
require: [privilege, environment]
isolation: gvisor
session-vars: [JOB_TOKEN]
sandboxes: [deployment/agent]
sandbox-user: agent
first-party: [/opt/agent]
forbid: [curl, nc]
require-reason: true
rules:
  SBX205: {level: warning}
  exposed-port:
    disabled: the pod's network policy closes all ports
limits:
  max-layers: 99
ignores:
  - rule: sbx205
    reason: the agent installs packages
    until: 2027-03-01
    path: dev/**
    layer: 3
    package: sudo
    value: ` + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"

func TestRead(t *testing.T) {
	f, err := Read("c.yaml", []byte(whole), words)
	if err != nil {
		t.Fatal(err)
	}
	f.lines = nil
	want := &File{
		Path: "c.yaml", FailOn: "warning", Require: []string{"privilege", "environment"}, Isolation: "gvisor",
		SessionVars: []string{"JOB_TOKEN"}, Sandboxes: []string{"deployment/agent"}, SandboxUser: "agent", FirstParty: []string{"/opt/agent"}, Forbid: []string{"curl", "nc"}, RequireReason: true,
		Rules: map[string]Rule{
			"SBX205":       {Line: 12, Level: "warning"},
			"exposed-port": {Line: 14, Disabled: "the pod's network policy closes all ports"},
		},
		Limits: map[string]int64{"max-layers": 99},
		Ignores: []Ignore{{
			Line: 18, Rule: "sbx205", Reason: "the agent installs packages", Until: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC),
			Path: "dev/**", Layer: "3", Package: "sudo", Value: strings.Repeat("0123456789abcdef", 4),
		}},
	}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("got  %+v\nwant %+v", f, want)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n"} {
		if f, err := Read("c.yaml", []byte(empty), words); err != nil || len(f.Defaults()) > 0 {
			t.Errorf("%q: %v, %v", empty, f, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"unknown key", "fail_on: error\n", "c.yaml:1: the configuration: there is no key fail_on; did you mean fail-on?"},
		{"unknown key inside", "ignores:\n  - rule: SBX205\n    untils: 2027-01-01\n", "c.yaml:3: ignores: there is no key untils; did you mean until?"},
		{"unknown rule", "rules:\n  SBX502: {level: note}\n", "c.yaml:2: rules: there is no key SBX502; did you mean SBX205?"},
		{"unknown ignored rule", "ignores:\n- rule: exposed-prot\n", "c.yaml:2: ignores: there is no rule exposed-prot; did you mean exposed-port?"},
		{"unknown level", "rules:\n  SBX205:\n    level: eror\n", "c.yaml:3: level: there is no value eror; did you mean error?"},
		{"unknown verdict", "require: [network, environmnt]\n", "c.yaml:1: require: there is no value environmnt; did you mean environment?"},
		{"unknown limit", "limits: {max-layer: 3}\n", "c.yaml:1: limits: there is no key max-layer; did you mean max-layers?"},
		{"no number", "limits: {max-layers: many}\n", "c.yaml:1: max-layers is no positive number"},
		{"no date", "ignores:\n- rule: SBX205\n  until: soon\n", "c.yaml:3: until is no date; write it as 2027-03-01"},
		{"no rule", "ignores:\n- reason: x\n", "c.yaml:2: ignores: an item names no rule"},
		{"no reason", "require-reason: true\nignores:\n- rule: SBX205\n", "c.yaml:3: ignores: an item has no reason, which require-reason asks for"},
		{"no list", "ignores: SBX205\n", "c.yaml:1: ignores is no list"},
		{"no mapping", "- a\n", "c.yaml:1: the configuration is no list of keys and values"},
		{"no value", "fail-on:\n", "c.yaml:1: fail-on has no value"},
		{"no bool", "require-reason: yup\n", "c.yaml:1: require-reason is neither true nor false"},
		{"twice", "fail-on: error\nfail-on: note\n", "c.yaml:2: fail-on is given twice"},
		{"nothing said of a rule", "rules:\n  SBX205: {}\n", "c.yaml:2: SBX205: give it a level, or say with disabled why it is turned off"},
		{"no reason to turn a rule off", "rules:\n  SBX205: {disabled: false}\n", "c.yaml:2: SBX205: disabled is no reason; say why the rule is turned off, or leave it out"},
		{"one that says yes", "rules:\n  SBX205: {level: note, disabled: Yes}\n", "c.yaml:2: SBX205: disabled is no reason; say why the rule is turned off, or leave it out"},
		{"a rule by id and by name", "rules:\n  exposed-port: {level: note}\n  SBX401: {level: error}\n", "c.yaml:3: SBX401: it is given twice, as exposed-port too"},
		{"both on a line", "rules: {passwordless-sudo: {level: note}, SBX205: {disabled: not ours}}\n", "c.yaml:1: SBX205: it is given twice, as passwordless-sudo too"},
		{"relative root", "first-party: [src]\n", "c.yaml:1: first-party: a directory is not absolute, or is the root of the image"},
		{"forbidden path", "forbid: [curl, /bin/nc]\n", "c.yaml:1: forbid: a program is named by its file's name, without a directory"},
		{"two documents", "fail-on: error\n---\nfail-on: note\n", "reading c.yaml: it holds more than one document"},
		{"all are told in order", "a: 1\nfail-on: no\n", "c.yaml:1: the configuration: there is no key a; one of fail-on, first-party, forbid, ignores, isolation, limits, require, require-reason, rules, sandbox-user, sandboxes, session-vars\nc.yaml:2: fail-on: there is no value no; one of error, warning, note, never"},
		{"broken", "a: b: c\n", "reading c.yaml: mapping values are not allowed in this context"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read("c.yaml", []byte(tt.text), words)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// A secret that was pasted where an identity belongs, or anywhere else, is in no error.
func TestErrorsHoldNoSecret(t *testing.T) {
	secret := "ghp_" + strings.Repeat("Ab3", 12) + "!"
	for _, text := range []string{
		"ignores:\n- rule: SBX305\n  value: %\n", "ignores:\n- rule: SBX205\n  value: %\n", "%: 1\n", "fail-on: \"%\"\n", "rules: {\"%\": {level: note}}\n",
		"ignores:\n- rule: \"%\"\n", "fail-on: [%\n", "a: %: b\n", "limits: {max-layers: %}\n", "ignores: {until: %}\n",
	} {
		_, err := Read("c.yaml", []byte(strings.ReplaceAll(text, "%", secret)), words)
		if err == nil || strings.Contains(err.Error(), secret[:20]) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestEveryKey fails when a key was added that nothing tests.
func TestEveryKey(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[File](), reflect.TypeFor[Rule](), reflect.TypeFor[Ignore]()} {
		for k, i := range keys(typ) {
			if !strings.Contains(whole, k+":") || typ.Field(i).Tag.Get("doc") == "" {
				t.Errorf("%s: %q is not in the test's file, or has no doc", typ, k)
			}
		}
	}
}

func TestDefaults(t *testing.T) {
	f, err := Read("c.yaml", []byte(whole), words)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range f.Defaults() {
		got = append(got, d.Flag+" "+strings.Join(d.Values, ","))
	}
	want := []string{"fail-on warning", "require privilege,environment", "isolation gvisor", "session-var JOB_TOKEN", "sandbox-user agent", "first-party /opt/agent", "forbid curl,nc", "max-layers 99"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFind(t *testing.T) {
	top := t.TempDir()
	repo := filepath.Join(top, "repo")
	deep := filepath.Join(repo, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(dir string) string {
		file := filepath.Join(dir, Name)
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	find := func() (string, []string) {
		s := Search{Root: func(dir string) bool { return dir == repo }}
		file, err := s.Find(deep)
		if err != nil {
			t.Fatal(err)
		}
		return file, s.Shared
	}
	write(top) // above the repository
	if file, _ := find(); file != "" {
		t.Errorf("found %s outside of the repository", file)
	}
	if want := write(repo); want != first(find()) {
		t.Errorf("found %s, want %s", first(find()), want)
	}
	want := write(filepath.Join(repo, "a"))
	if file, _ := find(); file != want {
		t.Errorf("found %s, want %s", file, want)
	}
	if err := os.Chmod(filepath.Join(repo, "a"), 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if file, shared := find(); file != filepath.Join(repo, Name) || !slices.Equal(shared, []string{want}) {
		t.Errorf("found %s and left out %s", file, shared)
	}
}

// TestFindPipe does not wait for what a pipe may give.
func TestFindPipe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, Name)
	if err := os.Symlink(os.DevNull, file); err != nil {
		t.Skip(err)
	}
	s := Search{Root: func(string) bool { return true }}
	if got, err := s.Find(dir); err == nil || !strings.Contains(err.Error(), "it is no regular file") {
		t.Errorf("found %s, %v", got, err)
	}
}

func first(file string, _ []string) string { return file }

func FuzzRead(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("a: &a [*a]\nrules: &r {SBX205: {level: &l note}}\nignores: [*l, *r]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		one, err := Read("c", b, words)
		two, again := Read("c", bytes.Clone(b), words)
		if (err == nil) != (again == nil) || !reflect.DeepEqual(one, two) {
			t.Error("read differently again")
		}
	})
}
