package launch

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// scope is what words may refer to where st stands.
func (s *script) scope(st *state) *shell.Scope {
	return &shell.Scope{
		Var:  func(name string) ([]shell.Word, bool) { return s.variable(name, st) },
		Args: st.args, Zero: s.zero, Open: s.open || s.base != "", Subst: printed,
	}
}

func (s *script) variable(name string, st *state) ([]shell.Word, bool) {
	if v, ok := st.vars[name]; ok {
		return v.words, true
	}
	switch name {
	case "UID", "EUID":
		switch s.bash {
		case accounts.Yes:
			return shell.Known("0"), true
		case accounts.Unknown:
			return unknown.words, true
		}
	case "BASH_SOURCE":
		return []shell.Word{s.zero}, true
	case "RANDOM", "SECONDS", "LINENO", "PPID", "FUNCNAME", "IFS":
		return unknown.words, true
	}
	return nil, false
}

// printed is what the commands print that ask who they run as: a path that is
// followed runs as root until it changes the user.
func printed(c *syntax.CmdSubst) shell.Word {
	if len(c.Stmts) != 1 {
		return shell.Word{}
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return shell.Word{}
	}
	var words []string
	for _, w := range call.Args {
		words = append(words, w.Lit())
	}
	switch strings.Join(words, " ") {
	case "id -u", "id -ur", "id -ru", "id -u -r", "id -g", "/usr/bin/id -u":
		return shell.Word{Text: "0", Known: true}
	case "id -un", "id -nu", "id -u -n", "whoami", "id -gn", "id -ng":
		return shell.Word{Text: "root", Known: true}
	}
	return shell.Word{}
}

// assign sets variables.
func (s *script) assign(assigns []*syntax.Assign, st *state, export bool) {
	for _, a := range assigns {
		if a.Name == nil {
			continue
		}
		old, set := st.vars[a.Name.Value]
		v := old
		switch scope := s.scope(st); {
		case a.Naked && !export:
			continue
		case a.Naked && !set:
			continue // exported, should it be set later
		case a.Naked:
		case a.Index != nil:
			v.words = unknown.words
		case a.Array != nil:
			if !a.Append {
				v.words = nil
			}
			for _, e := range a.Array.Elems {
				v.words = append(v.words[:len(v.words):len(v.words)], scope.Expand(e.Value)...)
			}
		case a.Append:
			v.words = unknown.words
		default:
			v.words = []shell.Word{scope.Value(a.Value)}
		}
		v.exported = v.exported || export
		st.vars[a.Name.Value] = v
	}
}

// call takes a path through a simple command.
func (s *script) call(c *syntax.CallExpr, st *state) *state {
	s.substitutions(c, st)
	if len(c.Args) == 0 {
		s.assign(c.Assigns, st, false)
		return st
	}
	words := s.scope(st).Expand(c.Args...)
	for len(words) > 1 && words[0].Known && (words[0].Text == "command" || words[0].Text == "builtin") {
		if words = words[1:]; strings.HasPrefix(words[0].Text, "-") {
			return st // asks what a command is
		}
	}
	if len(words) == 0 {
		return st
	}
	name := words[0]
	if name.Any {
		at := s.from
		at.at = s.place(c)
		s.keep(&at, "%s runs as root, whatever it is", name.Text)
		return st
	}
	if f, ok := s.funcs[name.Text]; ok && name.Known {
		return s.inside(f.file, nil, func() *state {
			return s.function(c, words[1:], st, func(st *state) *state { return s.stmt(f.body, st) })
		})
	}
	if name.Known {
		if out, ok := s.builtin(c, words, st); ok {
			return out
		}
	}
	if !setup(words) {
		st.tails = []call{s.next(c, words, st)}
	}
	return st
}

// next is a command as it is run from where st stands.
func (s *script) next(c *syntax.CallExpr, words []shell.Word, st *state) call {
	after := st.clone()
	s.assign(c.Assigns, after, true)
	return call{argv: words, vars: after.vars.exported(), dir: st.dir, at: s.place(c), links: s.from.links}
}

// substitutions takes a path through what runs inside a command's words.
func (s *script) substitutions(c *syntax.CallExpr, st *state) {
	syntax.Walk(c, func(n syntax.Node) bool {
		var stmts []*syntax.Stmt
		switch n := n.(type) {
		case *syntax.CmdSubst:
			stmts = n.Stmts
		case *syntax.ProcSubst:
			stmts = n.Stmts
		default:
			return true
		}
		s.subshell(st, false, func(st *state) *state { return s.list(stmts, st) })
		return false
	})
}

// builtin takes a path through a builtin that changes the state or ends the path.
// ok is false if the command is none.
func (s *script) builtin(c *syntax.CallExpr, words []shell.Word, st *state) (out *state, ok bool) {
	args := words[1:]
	switch words[0].Text {
	case "exec":
		return s.exec(c, args, st), true
	case "exit":
		if len(args) == 1 && args[0].Known && args[0].Text != "0" {
			st.tails = nil // a failure: the container stops
		}
		s.ends = append(s.ends, st)
		return nil, true
	case "return":
		s.returns = append(s.returns, st)
		return nil, true
	case "break", "continue":
		s.breaks = append(s.breaks, st)
		return nil, true
	case "set":
		st.args = positional(args, st.args)
	case "shift":
		st.args = shift(args, st.args)
	case "cd", "pushd":
		to := ""
		if len(args) == 1 && args[0].Known {
			to = absolute(st.dir, args[0].Text)
		}
		st.dir = to
	case "popd":
		st.dir = ""
	case "unset":
		for _, w := range args {
			st.vars[w.Text] = unset
		}
	case "read", "getopts", "mapfile", "readarray", "let":
		for _, w := range args {
			if syntax.ValidName(w.Text) {
				st.vars[w.Text] = unknown
			}
		}
	case "eval":
		return s.eval(c, args, st), true
	case ".", "source":
		return s.source(c, args, st), true
	default:
		return nil, false
	}
	return st, true
}

func (s *script) exec(c *syntax.CallExpr, args []shell.Word, st *state) *state {
	p := shell.Options{"-a": "a"}.Parse(args, false)
	if len(p.Rest) == 0 {
		return st // redirections only
	}
	st.tails = []call{s.next(c, p.Rest, st)}
	s.ends = append(s.ends, st)
	return nil
}

// positional is "$@" after set(1): its operands, if it has any.
func positional(words, old []shell.Word) []shell.Word {
	for i, w := range words {
		switch {
		case w.Known && w.Text == "--":
			return words[i+1:]
		case !w.Known || w.Text == "" || w.Text[0] != '-' && w.Text[0] != '+':
			if i > 0 && (words[i-1].Text == "-o" || strings.HasSuffix(words[i-1].Text, "o")) {
				continue // the name of an option
			}
			return words[i:]
		}
	}
	return old
}

func shift(words, args []shell.Word) []shell.Word {
	n := 1
	if len(words) > 0 {
		var err error
		if n, err = strconv.Atoi(words[0].Text); err != nil || n < 0 {
			return []shell.Word{{Text: `"$@"`, Any: true}}
		}
	}
	for ; n > 0 && len(args) > 0 && !args[0].Any; n-- {
		args = args[1:]
	}
	return args
}

func (s *script) eval(c *syntax.CallExpr, words []shell.Word, st *state) *state {
	for _, w := range words {
		if !w.Known {
			s.hideAt(c, "what eval runs, %s, is not known", w.Text)
			return st
		}
	}
	f, err := shell.Parse(shell.Source(words))
	if err != nil || s.calls >= maxCalls {
		s.hideAt(c, "what eval runs can't be read")
		return st
	}
	here := s.place(c)
	s.calls++
	st = s.inside(s.file, &here, func() *state { return s.list(f.Stmts, st) })
	s.calls--
	return st
}

// source takes a path through a file that is read as a part of the script.
func (s *script) source(c *syntax.CallExpr, words []shell.Word, st *state) *state {
	if len(words) == 0 {
		return st
	}
	name := words[0]
	f := s.lookup(absolute(st.dir, name.Text))
	if !name.Known || f == nil {
		s.hideAt(c, "the file that is sourced, %s, is not known", name.Text)
		return st
	}
	parsed, problem := s.parse(f)
	if problem != "" {
		s.hideAt(c, "%s", problem)
		return st
	}
	args := st.args
	if len(words) > 1 {
		args = words[1:]
	}
	return s.inside(f, nil, func() *state {
		return s.function(c, args, st, func(st *state) *state { return s.list(parsed.Stmts, st) })
	})
}

// idle are the commands that scripts use to prepare and to report: they end, and
// run no code but their own.
var idle = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`
		: [ test true false echo printf pwd type hash alias unalias trap wait ulimit umask shopt times jobs disown
		command builtin enable readonly declare typeset local export
		chown chmod chgrp mkdir rmdir rm cp mv ln touch install mktemp mkfifo mknod setfacl stat ls du df find
		cat head tac wc cut tr sort uniq sed awk gawk mawk grep egrep fgrep tee od xxd base64 md5sum sha256sum
		basename dirname readlink realpath date hostname uname id whoami groups getent nproc seq expr which env printenv
		useradd adduser usermod userdel deluser groupadd addgroup groupmod groupdel delgroup passwd chpasswd gpasswd
		mount umount sysctl ip iptables ip6tables ipset nft ldconfig update-ca-certificates locale-gen
		tar gzip gunzip unzip xz envsubst jq logger sync kill nc ping`) {
		m[name] = true
	}
	return m
}()

// setup reports whether a command prepares only, and is not what the container is
// for.
func setup(words []shell.Word) bool {
	if !words[0].Known {
		return false
	}
	switch name := path.Base(words[0].Text); name {
	case "env":
		return len(words) == 1
	case "find":
		return !execs(words)
	case "sleep":
		return len(words) == 2 && strings.Trim(words[1].Text, "0123456789.smh") == ""
	case "tail":
		return !slices.ContainsFunc(words[1:], func(w shell.Word) bool {
			return strings.HasPrefix(strings.ToLower(w.Text), "-f") || strings.HasPrefix(w.Text, "--f")
		})
	default:
		return idle[name]
	}
}

// idles reports whether a command, by its name, does nothing for anyone: what runs
// in the container later is run from outside.
func idles(name string) bool { return name == "sleep" || name == "tail" || idle[name] }

// execs reports whether find(1) runs something that is not itself setup.
func execs(words []shell.Word) bool {
	for i, w := range words {
		if strings.HasPrefix(w.Text, "-exec") || strings.HasPrefix(w.Text, "-ok") {
			return i+1 == len(words) || !setup(words[i+1:])
		}
	}
	return false
}
