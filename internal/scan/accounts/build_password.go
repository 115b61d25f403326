package accounts

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

var (
	chpasswdOptions = shell.Options{"-c": "c", "--crypt-method": "c", "-R": "R", "--root": "R", "-P": "P", "--prefix": "P",
		"-s": "s", "--sha-rounds": "s"}
	passwdOptions = shell.Options{"-i": "i", "--inactive": "i", "-n": "n", "--mindays": "n", "--minimum": "n", "-w": "w", "--warndays": "w",
		"--warning": "w", "-x": "x", "--maxdays": "x", "--maximum": "x", "-R": "R", "--root": "R", "-r": "r", "--repository": "r"}
)

// feeds reads a heredoc or file that is given to a command that sets passwords.
func (r *run) feeds(s *syntax.Stmt, certain bool) {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return
	}
	for _, red := range s.Redirs {
		var text string
		switch red.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			text = r.input(red)
		case syntax.RdrIn:
		default:
			continue
		}
		if words := unprivileged(r.scope.Expand(c.Args...)); len(words) > 0 {
			switch path.Base(words[0].Text) {
			case "chpasswd", "passwd":
				r.password(words, text, certain)
			}
		}
	}
}

// password reads chpasswd(8) or passwd(1) with what stands on its standard input.
func (r *run) password(words []shell.Word, text string, certain bool) {
	if path.Base(words[0].Text) == "passwd" {
		if p := passwdOptions.Parse(words[1:], true); len(p.Rest) == 1 && !p.Flags["-d"] && !p.Flags["-l"] && !p.Flags["-S"] {
			r.sets(p.Rest[0].Text, text, certain)
		}
		return
	}
	encrypted := chpasswdOptions.Parse(words[1:], true).Flags
	if text == "" {
		r.sets("", "", certain)
	}
	for line := range strings.Lines(text) {
		user, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case !ok:
		case encrypted["-e"] || encrypted["--encrypted"]:
			r.field(user, shell.Word{Text: value, Known: !strings.Contains(value, "$(")}, certain)
		default:
			r.sets(user, value, certain)
		}
	}
}

// sets records that an account gets a password; value is its text as far as it is
// known.
func (r *run) sets(account, value string, certain bool) {
	computed := strings.Contains(value, "$(") || strings.Contains(value, "`")
	r.into.passwords = append(r.into.passwords, Password{
		Account: account, Told: value != "" && !strings.Contains(value, "$") && !computed, Computed: computed, Source: r.source(certain),
	})
}

// field records that an account gets what stands in its password field.
func (r *run) field(account string, w shell.Word, certain bool) {
	x := Password{Account: account, Source: r.source(certain)}
	if w.Known {
		x.Empty, x.Hash = passwordKind(w.Text)
		x.locked = !x.Empty && x.Hash == ""
	}
	r.into.passwords = append(r.into.passwords, x)
}

func (r *run) source(certain bool) Source {
	return Source{Instr: r.instr, Step: r.step, unsure: !certain}
}

// passwd reads passwd(1) as far as it needs no input.
func (r *run) passwd(p shell.Parsed, certain bool) {
	if len(p.Rest) != 1 || !p.Rest[0].Known {
		return
	}
	switch {
	case p.Flags["-d"] || p.Flags["--delete"]:
		r.field(p.Rest[0].Text, shell.Word{Known: true}, certain)
	case p.Flags["-l"] || p.Flags["--lock"]:
		r.field(p.Rest[0].Text, shell.Word{Text: "!", Known: true}, certain)
	}
}

// option reads the password that useradd and usermod are given.
func (r *run) option(p shell.Parsed, certain bool) {
	if len(p.Rest) != 1 || !p.Rest[0].Known {
		return
	}
	if w, ok := p.Values["p"]; ok {
		r.field(p.Rest[0].Text, w, certain)
	}
	if p.Flags["-L"] || p.Flags["--lock"] {
		r.field(p.Rest[0].Text, shell.Word{Text: "!", Known: true}, certain)
	}
}
