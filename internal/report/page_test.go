package report

import "testing"

func TestPut(t *testing.T) {
	for _, tt := range []struct {
		name, label, text, want string
	}{
		{"fits", "ab: ", "one two", "ab: one two\n"},
		{"wraps at the indent", "ab: ", "one two three four", "ab: one two\n    three four\n"},
		{"a long word stays whole", "ab: ", "one /a/path/longer/than/it two", "ab: one\n    /a/path/longer/than/it\n    two\n"},
		{"no line begins a command", "    ", "one two by ::error", "    one two by\n    \\x3a:error\n"},
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
