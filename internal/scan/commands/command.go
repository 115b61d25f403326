package commands

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A Command is one simple command.
type Command struct {
	// Words are the program and its arguments, without the programs that only start
	// it (sudo, env, exec); empty if variables are all that is set.
	Words []shell.Word
	Sets  []Variable // in front of it, or what export and declare set
	Line  int        // in the script, 1-based

	output string // the file that takes its output; empty if none does, or it is not known
	reads  string // the text that it is given as its input; empty if it is given none
}

// A Variable is a name with its value.
type Variable struct {
	Name  string
	Value shell.Word
}

// Name is the program's, without its directory; empty if it is not known.
func (c Command) Name() string {
	if len(c.Words) == 0 || !c.Words[0].Known {
		return ""
	}
	return path.Base(c.Words[0].Text)
}

// Args are the words behind the program.
func (c Command) Args() []shell.Word {
	if len(c.Words) == 0 {
		return nil
	}
	return c.Words[1:]
}

// Texts are the words as text; what is not known is empty.
func (c Command) Texts() []string {
	out := make([]string, len(c.Words))
	for i, w := range c.Words {
		if w.Known {
			out[i] = w.Text
		}
	}
	return out
}

// maxDepth is how deep texts behind -c are read into each other.
const maxDepth = 3

// Commands lists the commands of the script in the order of its text, wherever they
// stand: under conditions, in functions and substitutions, and in texts that are
// given to a shell. What can't be reached is left out.
func (s *Script) Commands() []Command { return s.commands(0) }

func (s *Script) commands(depth int) []Command {
	var out []Command
	for _, c := range s.own() {
		out = append(out, c)
		if inner := s.inner(c); inner != nil && depth < maxDepth {
			for _, x := range inner.commands(depth + 1) {
				x.Line = c.Line
				out = append(out, x)
			}
		}
	}
	return out
}

// own are the commands of the script without those of texts that it gives to a shell.
func (s *Script) own() []Command {
	var out []Command
	redirected := map[syntax.Command][]*syntax.Redirect{}
	s.walk(func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			redirected[n.Cmd] = n.Redirs
		case *syntax.CallExpr:
			c := s.Command(n)
			s.redirect(&c, redirected[n])
			out = append(out, c)
		case *syntax.DeclClause:
			out = append(out, Command{Sets: s.sets(n.Args), Line: int(n.Pos().Line())})
		}
		return true
	})
	return out
}

// redirect notes where the output of a command goes and what it reads (POSIX XCU 2.7).
func (s *Script) redirect(c *Command, list []*syntax.Redirect) {
	for _, r := range list {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			if to := s.Value(r.Word); (to.Known || homeDir.MatchString(to.Text)) && (r.N == nil || r.N.Value == "1") {
				c.output = to.Text
			}
		case syntax.Hdoc, syntax.DashHdoc:
			c.reads = s.Value(r.Hdoc).Text
		case syntax.WordHdoc:
			c.reads = s.Value(r.Word).Text
		}
	}
}

// Command is one call of the script.
func (s *Script) Command(n *syntax.CallExpr) Command {
	c := Command{Sets: s.sets(n.Assigns), Line: int(n.Pos().Line())}
	c.Words, c.Sets = unwrap(s.scope().Expand(n.Args...), c.Sets)
	return c
}

func (s *Script) sets(list []*syntax.Assign) []Variable {
	var out []Variable
	for _, a := range list {
		if a.Name != nil && !a.Naked && a.Array == nil {
			out = append(out, Variable{a.Name.Value, s.Value(a.Value)})
		}
	}
	return out
}

// inner is the script that a command gives to a shell as text, behind -c or as its
// input; nil if it gives none.
func (s *Script) inner(c Command) *Script {
	switch name := c.Name(); {
	case shell.Is(name) && c.reads != "" && c.readsCode():
		return parse(c.reads, s.outer)
	case !shell.Is(name) && name != "su" && name != "runuser":
		return nil
	}
	for i, w := range c.Words[1:] {
		if w.Known && (w.Text == "--command" || strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.HasSuffix(w.Text, "c")) && i+2 < len(c.Words) && c.Words[i+2].Known {
			return parse(c.Words[i+2].Text, s.outer)
		}
	}
	return nil
}

// wrappers start the command behind their options; those of their options that take
// a value, and how many operands come before the command.
var wrappers = map[string]struct {
	options  shell.Options
	operands int
}{
	"sudo":      {shell.Options{"-u": "u", "-g": "g", "-C": "C", "-h": "h", "-p": "p", "--user": "u", "--group": "g"}, 0},
	"env":       {shell.Options{"-u": "u", "-C": "C", "-S": "S", "--unset": "u", "--chdir": "C"}, 0},
	"exec":      {shell.Options{"-a": "a"}, 0},
	"command":   {nil, 0},
	"nohup":     {nil, 0},
	"time":      {nil, 0},
	"eatmydata": {nil, 0},
	"busybox":   {nil, 0},
	"tini":      {shell.Options{"-p": "p", "-e": "e"}, 0},
	"dumb-init": {shell.Options{"-r": "r", "--rewrite": "r"}, 0},
	"setsid":    {nil, 0},
	"doas":      {shell.Options{"-u": "u", "-C": "C"}, 0},
	"stdbuf":    {shell.Options{"-i": "i", "-o": "o", "-e": "e"}, 0},
	"gosu":      {nil, 1},
	"su-exec":   {nil, 1},
	"nice":      {shell.Options{"-n": "n"}, 0},
	"timeout":   {shell.Options{"-k": "k", "-s": "s"}, 1},
	"xargs":     {shell.Options{"-n": "n", "-I": "I", "-P": "P", "-d": "d", "-a": "a", "-L": "L", "-s": "s", "-E": "E"}, 0},
}

var assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)

// unwrap takes off what only starts a program.
func unwrap(words []shell.Word, sets []Variable) ([]shell.Word, []Variable) {
	for len(words) > 0 && words[0].Known {
		w, ok := wrappers[path.Base(words[0].Text)]
		if !ok {
			break
		}
		rest := w.options.Parse(words[1:], false).Rest
		rest = rest[min(w.operands, len(rest)):]
		for len(rest) > 0 && rest[0].Known && assignment.MatchString(rest[0].Text) {
			name, value, _ := strings.Cut(rest[0].Text, "=")
			sets = append(sets, Variable{name, shell.Word{Text: value, Known: true}})
			rest = rest[1:]
		}
		words = rest
	}
	return words, sets
}

// Input is the text that the script gives the command as its input, a heredoc's; empty
// if it gives none. What is not known stands as written.
func (c Command) Input() string { return c.reads }
