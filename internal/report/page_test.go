package report

import (
	"slices"
	"strings"
	"testing"
)

func TestPut(t *testing.T) {
	for _, tt := range []struct {
		name, label, text, want string
	}{
		{"fits", "ab: ", "one two", "ab: one two\n"},
		{"wraps at the indent", "ab: ", "one two three four", "ab: one two\n    three four\n"},
		{"a long word stays whole", "ab: ", "one /a/path/longer/than/it two", "ab: one\n    /a/path/longer/than/it\n    two\n"},
		{"no line begins a command", "    ", "one two by ::error", "    one two by\n    \\x3a:error\n"},
		{"no line begins a command behind spaces", "    ", "one two by   ::error", "    one two by\n      \\x3a:error\n"},
		{"styles take no room", "ab: ", "\x1b[1mone\x1b[0m \x1b[2mtwo\x1b[0m x y", "ab: \x1b[1mone\x1b[0m \x1b[2mtwo\x1b[0m x\n    y\n"},
		{"nothing to say", "ab: ", "", "ab:\n"},
	} {
		p := &page{width: 14}
		if p.put(tt.label, 4, tt.text); p.String() != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, p.String(), tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	for in, want := range map[string]string{"short": "short", "exactly ten": "exactly..."} {
		if got := cut(in, 10); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestCutClauses(t *testing.T) {
	for in, want := range map[string]string{
		"it fits; all of it":                        "it fits; all of it",
		"the value is a secret; whoever pulls it":   "the value is a secret",
		"no USER: the container starts as root now": "no USER: the container ...",
	} {
		if got := cutClauses(in, 30); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// The evidence of a verdict stands in one column.
func TestVerdictsAlign(t *testing.T) {
	lines := strings.Split(formats()["txt"](t, newReport(imageResult())), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  4 network") })
	first, next := lines[at], lines[at+1]
	label, _, _ := strings.Cut(first, "only a manifest")
	if a, b := columns(label), len(next)-len(strings.TrimLeft(next, " ")); a != b {
		t.Errorf("columns %d and %d:\n%s\n%s", a, b, first, next)
	}
}
