package main

import (
	"bufio"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Every option of every command is in the page, in characters that every reader has.
func TestMan(t *testing.T) {
	root := newRoot(process{}, new(int))
	var b strings.Builder
	m := manual{bufio.NewWriter(&b)}
	m.write(root, "2026-01-02")
	if err := m.Flush(); err != nil {
		t.Fatal(err)
	}
	page := strings.Replace(b.String(), "\n.nr HY 0\n.ad l\n", "\n", 1)
	for _, c := range available(root) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(page, roff("--"+f.Name)) {
				t.Errorf("the page has no --%s of %s", f.Name, c.Name())
			}
		})
	}
	if at := regexp.MustCompile(`[^\n -~]`).FindString(page); at != "" {
		t.Errorf("the page has %q", at)
	}
	if at := regexp.MustCompile(`(?m)^(?:'|\.[^A-Z]).*`).FindString(page); at != "" {
		t.Errorf("the page has a line that is read as a request: %s", at)
	}
}

func TestManText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"characters that roff reads", `.a '\n' -b ~/"c" ^` + "`", `\&.a \(aq\en\(aq \-b \(ti/\(dqc\(dq \(ha\(ga` + "\n"},
		{"paragraphs", "\na\nb\n\nc\n", "a\nb\n.PP\nc\n"},
		{"lines as they are", "a:\n  b c\n  d\n\ne", "a:\n.EX\n  b c\n  d\n.EE\n.PP\ne\n"},
		{"as they are to the end", "\tb", ".EX\n\tb\n.EE\n"},
		{"a list", "  0    nothing\n       at all\n  much more\nend", ".TP\n.B 0\nnothing\nat all\n.TP\n.B much\nmore\nend\n"},
		{"a short line in a list", "  0    nothing\n  1", ".TP\n.B 0\nnothing\n.TP\n.B 1\n"},
	} {
		var b strings.Builder
		m := manual{bufio.NewWriter(&b)}
		m.text(c.text)
		if err := m.Flush(); err != nil || b.String() != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.name, b.String(), c.want, err)
		}
	}
}
