package launch

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// shell follows a shell: the text after -c, or a script.
func (t *tracer) shell(c *call) {
	text, words, file := shellArgs(c.argv[1:])
	switch {
	case t.depth >= maxScripts:
		t.hide(c, "more than %d scripts run one another", maxScripts)
	case text != nil && !text.Known:
		t.unclear(c, "the command that %s -c runs, %s, is not known", c.argv[0].Text, text.Name())
		t.given(c, text.Name())
	case text != nil:
		if len(words) == 0 {
			words = c.argv[:1]
		}
		parsed, err := shell.Parse(text.Text)
		if err != nil {
			t.hide(c, "%v", err)
			return
		}
		t.script(*c, parsed, nil, words[0], words[1:])
	case file == nil, file.Any:
		t.keep(c, "%s runs what it is given, as root", c.argv[0].Text)
		t.given(c, "a shell")
	case !file.Known:
		t.hide(c, "which script %s runs, %s, is not known", c.argv[0].Text, file.Name())
	default:
		t.file(c, *file, words)
	}
}

// shellArgs takes the arguments of a shell apart (POSIX XCU, sh): either the text
// after -c with "$0" and "$@", or a script with "$@".
func shellArgs(words []shell.Word) (text *shell.Word, args []shell.Word, file *shell.Word) {
	command := false
	for len(words) > 0 {
		w := words[0]
		if !w.Known || len(w.Text) < 2 || w.Text[0] != '-' && w.Text[0] != '+' {
			break
		}
		words = words[1:]
		if w.Text == "--" {
			break
		}
		if strings.HasPrefix(w.Text, "--") {
			if w.Text == "--rcfile" || w.Text == "--init-file" {
				words = words[min(1, len(words)):]
			}
			continue
		}
		command = command || strings.Contains(w.Text, "c") && w.Text[0] == '-'
		n := strings.Count(w.Text, "o") + strings.Count(w.Text, "O")
		words = words[min(n, len(words)):]
		if strings.Contains(w.Text, "s") && w.Text[0] == '-' && !command {
			return nil, nil, nil
		}
	}
	switch {
	case len(words) == 0:
		return nil, nil, nil
	case command:
		return &words[0], words[1:], nil
	}
	return nil, words[1:], &words[0]
}

// file follows a script that a shell is given by name.
func (t *tracer) file(c *call, name shell.Word, args []shell.Word) {
	f := t.lookup(absolute(c.dir, name.Text))
	if f == nil && !strings.Contains(name.Text, "/") {
		f, _ = t.find(name.Text, c.dir, c.vars.text("PATH", searchPath))
	}
	switch {
	case f == nil && t.exact:
		t.hide(c, "the script %s is not in the image", name.Text)
		return
	case f == nil:
		t.hide(c, "%s", t.missing(name.Text))
		return
	}
	parsed, problem := t.parse(f)
	if problem != "" {
		t.hide(c, "%s", problem)
		return
	}
	t.script(*c, parsed, f, name, args)
}
