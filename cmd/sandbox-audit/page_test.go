package main

import (
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/rules"
)

func TestOnTerminal(t *testing.T) {
	const markdown = "# SBX1 a\n\nSome `code` and\n**bold** [text](https://example.org/x), [here](../x.md), [CWE-1](https://cwe.example/1).\n\n" +
		"- one two three four five six seven\n- b\n\n```sh\nrun  it   # as it is, however long the line may be\n```\n"
	for _, tt := range []struct {
		name  string
		width int
		color bool
		want  string
	}{
		{"without colour, code keeps its quotes", 30, false, "SBX1 a\n\nSome `code` and bold text\n(https://example.org/x), here,\nCWE-1.\n\n" +
			"- one two three four five six\n  seven\n- b\n\n    run  it   # as it is, however long the line may be\n"},
		{"with colour", 0, true, "\x1b[1mSBX1\x1b[0m \x1b[1ma\x1b[0m\n\nSome \x1b[36mcode\x1b[0m and \x1b[1mbold\x1b[0m text (https://example.org/x), here, CWE-1.\n\n" +
			"- one two three four five six seven\n- b\n\n    run  it   # as it is, however long the line may be\n"},
	} {
		if got := onTerminal(markdown, tt.width, tt.color); got != tt.want {
			t.Errorf("%s:\n%q, want\n%q", tt.name, got, tt.want)
		}
	}
}

// Every page shows whole, and no mark of Markdown is left in it.
func TestPagesOnTerminal(t *testing.T) {
	for _, r := range rules.All() {
		page := onTerminal(rules.Doc(r.ID).Markdown, 80, true)
		for _, mark := range []string{"```", "](", "**", "\n#"} {
			if strings.Contains(page, mark) {
				t.Errorf("%s: %q is left", r.ID, mark)
			}
		}
		for line := range strings.Lines(page) {
			line = style.ReplaceAllString(strings.TrimRight(line, "\n"), "")
			if len([]rune(line)) > 80 && !strings.HasPrefix(line, "    ") && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%s: %q is too long", r.ID, line)
			}
		}
	}
}
