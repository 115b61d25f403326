package leak

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// InCommand returns the credentials in a command line or script: what gives itself
// away, and what commands take as a password or token.
func InCommand(text string) []Credential {
	s := sink{}
	s.text(text)
	if f, err := shell.Parse(text); err == nil {
		syntax.Walk(f, func(n syntax.Node) bool {
			if st, ok := n.(*syntax.Stmt); ok {
				s.statement(st)
			}
			return true
		})
	}
	return s.kept
}

// text reads a short text: what has a form, and what stands under a name.
func (s *sink) text(text string) {
	s.search(whole([]byte(text)), false)
	s.hits(text, 0)
}

// statement reads one command with its redirections.
func (s *sink) statement(st *syntax.Stmt) {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	words := unwrap(unset.Expand(call.Args...))
	if len(words) == 0 || !words[0].Known {
		return
	}
	name, args := path.Base(words[0].Text), words[1:]
	s.options(args)
	if flag, ok := passwordFlags[name]; ok {
		s.flag(flag, args)
	}
	s.login(name, args)
	s.configure(args)
	if name == "echo" || name == "printf" {
		for _, r := range st.Redirs {
			if r.Op == syntax.RdrOut || r.Op == syntax.AppOut || r.Op == syntax.RdrClob {
				s.written(args, unset.Value(r.Word))
			}
		}
	}
}

// unset is a scope in which no variable is known.
var unset = &shell.Scope{Open: true, Var: func(string) ([]shell.Word, bool) { return nil, false }}

// unwrap strips sudo and env with their options and variables.
func unwrap(words []shell.Word) []shell.Word {
	for len(words) > 0 && (words[0].Text == "sudo" || words[0].Text == "env" || words[0].Text == "exec") {
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0].Text, "-") || strings.Contains(words[0].Text, "=")) {
			words = words[1:]
		}
	}
	return words
}

// options reads "--api-key VALUE". The text's own forms cover "--api-key=VALUE".
func (s *sink) options(args []shell.Word) {
	for i := 0; i+1 < len(args); i++ {
		name, long := strings.CutPrefix(args[i].Text, "--")
		if v := args[i+1]; long && v.Known && !strings.HasPrefix(v.Text, "-") && !strings.Contains(name, "=") {
			s.named(name, v.Text, 0)
		}
	}
}

// passwordFlags are the short options by which programs take a password.
var passwordFlags = map[string]string{
	"mysql": "-p", "mysqldump": "-p", "mysqladmin": "-p", "mariadb": "-p", "sshpass": "-p", "redis-cli": "-a", "mongo": "-p", "mongosh": "-p",
	"ldapsearch": "-w", "ldapadd": "-w", "curl": "-u",
}

// flag reads the value of a short option, attached or following.
func (s *sink) flag(flag string, args []shell.Word) {
	for i, a := range args {
		value, ok := strings.CutPrefix(a.Text, flag)
		if !ok || !a.Known {
			continue
		}
		if value == "" && i+1 < len(args) && args[i+1].Known {
			value = args[i+1].Text
		}
		if flag == "-u" {
			_, value, _ = strings.Cut(value, ":")
		}
		s.named("password", value, 0)
	}
}

// login reads the credentials of commands that log in: "docker login -p VALUE", "wandb
// login VALUE", "curl --user NAME:VALUE".
func (s *sink) login(name string, args []shell.Word) {
	for i, a := range args {
		if a.Text == "--user" && name == "curl" && i+1 < len(args) && args[i+1].Known {
			_, value, _ := strings.Cut(args[i+1].Text, ":")
			s.named("password", value, 0)
		}
		if a.Text != "login" && a.Text != "auth" || i > 1 {
			continue
		}
		s.flag("-p", args[i+1:])
		if name == "wandb" || name == "snyk" || name == "netlify" {
			for _, v := range args[i+1:] {
				if v.Known && !strings.HasPrefix(v.Text, "-") {
					s.named("token", v.Text, 0)
				}
			}
		}
	}
}

// configure reads "aws configure set NAME VALUE", "npm config set NAME VALUE" and the
// like.
func (s *sink) configure(args []shell.Word) {
	for i := 1; i+1 < len(args); i++ {
		if args[i].Text != "set" || args[i-1].Text != "configure" && args[i-1].Text != "config" {
			continue
		}
		name, value, _ := strings.Cut(args[i+1].Text, "=")
		if value == "" && i+2 < len(args) && args[i+2].Known {
			value = args[i+2].Text
		}
		s.named(name[strings.LastIndexAny(name, ":.")+1:], value, 0)
	}
}

// written reads "echo VALUE > FILE" where the file is called like a credential.
func (s *sink) written(args []shell.Word, file shell.Word) {
	base := strings.TrimLeft(path.Base(file.Text), "._")
	name := strings.TrimSuffix(base, path.Ext(base))
	if len(args) == 0 || !file.Known || !secret.Named(name) {
		return
	}
	if v := args[len(args)-1]; v.Known && !strings.ContainsAny(v.Text, " \n") {
		s.named(name, v.Text, 0)
	}
}
