package launch

import (
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// wrappers are programs that start the command after their options and change
// nothing that matters here, with their options that take a value.
var wrappers = map[string]shell.Options{
	"tini": tini, "tini-static": tini, "docker-init": tini,
	"dumb-init":    {"-r": "r", "--rewrite": "r"},
	"catatonit":    {},
	"nice":         {"-n": "n", "--adjustment": "n"},
	"ionice":       {"-c": "c", "--class": "c", "-n": "n", "--classdata": "n"},
	"nohup":        {},
	"setsid":       {},
	"stdbuf":       {"-i": "i", "--input": "i", "-o": "o", "--output": "o", "-e": "e", "--error": "e"},
	"busybox":      {},
	"with-contenv": {},
}

var (
	tini = shell.Options{"-p": "p", "-e": "e"}
	env  = shell.Options{"-u": "u", "--unset": "u", "-C": "C", "--chdir": "C", "-S": "S", "--split-string": "S"}
)

// unwrap returns the command that a wrapper starts. ok is false if argv is none.
func unwrap(argv []shell.Word) (rest []shell.Word, ok bool) {
	name := path.Base(argv[0].Text)
	if name == "env" {
		return unwrapEnv(argv[1:]), true
	}
	if name == "setpriv" && setpriv.Parse(argv[1:], false).keepsUser() {
		return setpriv.Parse(argv[1:], false).Rest, true
	}
	o, ok := wrappers[name]
	if !ok {
		return nil, false
	}
	return o.Parse(argv[1:], false).Rest, true
}

// unwrapEnv strips what env(1) takes before the command.
func unwrapEnv(words []shell.Word) []shell.Word {
	p := env.Parse(words, false)
	rest := p.Rest
	if s, ok := p.Values["S"]; ok {
		if !s.Known || strings.ContainsAny(s.Text, `\$"'`) {
			return []shell.Word{{Text: s.Text}}
		}
		rest = append(shell.Known(strings.Fields(s.Text)...), rest...)
	}
	for len(rest) > 0 && (rest[0].Text == "-" || strings.Contains(rest[0].Text, "=")) {
		rest = rest[1:]
	}
	return rest
}
