package accounts

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// isPolicy reports whether sudo or doas read the file at p.
func isPolicy(p string) bool {
	return p == sudoersFile || strings.HasPrefix(p, sudoersDir+"/") || p == "/etc/doas.conf" || strings.HasPrefix(p, "/etc/doas.d/")
}

// pipe reads what is printed into a command that writes it to a file, or sets
// passwords by it.
func (r *run) pipe(c *syntax.BinaryCmd, certain bool) {
	if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
		return
	}
	call, ok := c.Y.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	text := r.printed(c.X)
	words := unprivileged(r.scope.Expand(call.Args...))
	if len(words) == 0 {
		return
	}
	switch path.Base(words[0].Text) {
	case "tee":
		for _, w := range words[1:] {
			if !strings.HasPrefix(w.Text, "-") {
				r.write(w.Text, text, certain)
			}
		}
	case "visudo": // its editor is told to write
		r.write(sudoersFile, text, certain)
	case "chpasswd", "passwd":
		r.password(words, text, certain)
	}
}

// unprivileged strips sudo and the variables it is given.
func unprivileged(words []shell.Word) []shell.Word {
	if len(words) > 0 && words[0].Text == "sudo" {
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0].Text, "-") || strings.Contains(words[0].Text, "=")) {
			words = words[1:]
		}
	}
	return words
}
