package main

import (
	"bytes"
	"os"
	"testing"
)

// The order is --color, NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE, CLICOLOR and TERM, and
// the terminal last. Standard output of a test is no terminal; what would be coloured on
// one is tried on a terminal's own device where there is one.
func TestColour(t *testing.T) {
	for _, tt := range []struct {
		name  string
		color string
		file  string
		env   map[string]string
		want  bool
	}{
		{"no terminal", "auto", "", nil, false},
		{"always", "always", "", nil, true},
		{"always beats NO_COLOR", "always", "", map[string]string{"NO_COLOR": "1"}, true},
		{"always into a file", "always", "x", nil, true},
		{"never beats force", "never", "", map[string]string{"CLICOLOR_FORCE": "1", "FORCE_COLOR": "1"}, false},
		{"CLICOLOR_FORCE", "auto", "", map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"CLICOLOR_FORCE=0 is none", "auto", "", map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{"FORCE_COLOR", "auto", "", map[string]string{"FORCE_COLOR": "1"}, true},
		{"FORCE_COLOR=0 is none", "auto", "", map[string]string{"FORCE_COLOR": "0"}, false},
		{"an empty FORCE_COLOR is none", "auto", "", map[string]string{"FORCE_COLOR": ""}, false},
		{"NO_COLOR beats force", "auto", "", map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1", "FORCE_COLOR": "1"}, false},
		{"NO_COLOR=0 is set, too", "auto", "", map[string]string{"NO_COLOR": "0", "CLICOLOR_FORCE": "1"}, false},
		{"an empty NO_COLOR is none", "auto", "", map[string]string{"NO_COLOR": "", "CLICOLOR_FORCE": "1"}, true},
		{"force beats TERM=dumb", "auto", "", map[string]string{"TERM": "dumb", "CLICOLOR_FORCE": "1"}, true},
		{"force beats CLICOLOR=0", "auto", "", map[string]string{"CLICOLOR": "0", "FORCE_COLOR": "1"}, true},
		{"a file is not coloured by force", "auto", "x", map[string]string{"CLICOLOR_FORCE": "1"}, false},
	} {
		a := &audit{options: options{color: tt.color}, proc: process{stdout: new(bytes.Buffer), getenv: func(name string) string { return tt.env[name] }}}
		if got := a.colour(output{format: "text", file: tt.file}); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

// TestColourOfATerminal needs a device that is one.
func TestColourOfATerminal(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil || !isTerminal(tty) {
		t.Skip("there is no terminal to be had")
	}
	defer tty.Close()
	for name, want := range map[string]bool{"": true, "NO_COLOR=1": false, "TERM=dumb": false, "CLICOLOR=0": false, "CLICOLOR=1": true} {
		a := &audit{options: options{color: "auto"}, proc: process{stdout: tty, getenv: func(v string) string {
			if len(name) > len(v) && name[:len(v)] == v {
				return name[len(v)+1:]
			}
			return ""
		}}}
		if got := a.colour(output{format: "text"}); got != want {
			t.Errorf("with %q: got %v", name, got)
		}
	}
}
