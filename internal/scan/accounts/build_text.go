package accounts

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// input is the text that a redirection gives a command.
func (r *run) input(red *syntax.Redirect) string {
	if red.Op == syntax.WordHdoc {
		return r.scope.Value(red.Word).Text
	}
	return r.scope.Value(red.Hdoc).Text
}

// printed is the text that echo or printf prints, or cat from a heredoc.
func (r *run) printed(s *syntax.Stmt) string {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return ""
	}
	switch c.Args[0].Lit() {
	case "cat":
		for _, red := range s.Redirs {
			if red.Op == syntax.Hdoc || red.Op == syntax.DashHdoc || red.Op == syntax.WordHdoc {
				return r.input(red)
			}
		}
		return ""
	case "echo", "printf":
	default:
		return ""
	}
	words := r.scope.Expand(c.Args[1:]...)
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		words = words[1:]
	}
	text := shell.Source(words)
	if c.Args[0].Lit() == "printf" && len(words) > 1 && strings.Contains(words[0].Text, "%s") {
		text = format(words)
	}
	return strings.ReplaceAll(text, `\n`, "\n")
}

// format is what printf(1) makes of a format that only has "%s".
func format(words []shell.Word) string {
	text := words[0].Text
	for _, w := range words[1:] {
		text = strings.Replace(text, "%s", w.Text, 1)
	}
	return text
}

// write takes text that goes to a file.
func (r *run) write(target, text string, certain bool) {
	if isPolicy(target) {
		r.into.written = append(r.into.written, written{target, text, r.instr, certain})
		return
	}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 4 || strings.Contains(f[0], "$") {
			continue // too short for a line, or whose it is, is not known
		}
		whole := !strings.Contains(line, "$")
		switch {
		case target == "/etc/shadow":
			r.field(f[0], shell.Word{Text: f[1], Known: true}, certain)
		case target == "/etc/passwd" && whole:
			r.make(parseAccount(Source{Instr: r.instr}, f), certain)
			if f[1] != "x" {
				r.field(f[0], shell.Word{Text: f[1], Known: true}, certain)
			}
		case target == "/etc/group" && whole:
			r.into.madeGroups = append(r.into.madeGroups, parseGroup(Source{Instr: r.instr}, f))
		}
	}
}
