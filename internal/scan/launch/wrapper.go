package launch

import (
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A wrapper is a program that starts the command after its options, as who it runs
// itself.
type wrapper struct {
	options  shell.Options // those that take a value
	operands int           // words before the command: the duration of timeout(1)
	stays    bool          // it lives on while the command runs
}

var wrappers = map[string]wrapper{
	"tini": {options: tini, stays: true}, "tini-static": {options: tini, stays: true}, "docker-init": {options: tini, stays: true},
	"dumb-init":        {options: shell.Options{"-r": "r", "--rewrite": "r"}, stays: true},
	"catatonit":        {stays: true},
	"timeout":          {options: shell.Options{"-k": "k", "--kill-after": "k", "-s": "s", "--signal": "s"}, operands: 1, stays: true},
	"nice":             {options: shell.Options{"-n": "n", "--adjustment": "n"}},
	"ionice":           {options: shell.Options{"-c": "c", "--class": "c", "-n": "n", "--classdata": "n"}},
	"chrt":             {options: shell.Options{"-T": "T", "-P": "P", "-D": "D"}, operands: 1},
	"taskset":          {operands: 1},
	"prlimit":          {},
	"nohup":            {},
	"setsid":           {},
	"time":             {options: shell.Options{"-f": "f", "-o": "o"}, stays: true},
	"dbus-run-session": {options: shell.Options{"--config-file": "c", "--dbus-daemon": "d"}, stays: true},
	"ssh-agent":        {options: shell.Options{"-a": "a", "-t": "t"}, stays: true},
	"stdbuf":           {options: shell.Options{"-i": "i", "--input": "i", "-o": "o", "--output": "o", "-e": "e", "--error": "e"}},
	"busybox":          {},
	"envdir":           {operands: 1},
	"s6-envdir":        {operands: 1},
	"with-contenv":     {},
}

var tini = shell.Options{"-p": "p", "-e": "e"}

// unwrap returns the command that a wrapper starts, and makes c's process what it
// is then. ok is false if c calls none.
func (t *tracer) unwrap(c *call) (rest []shell.Word, ok bool) {
	name := path.Base(c.argv[0].Text)
	switch name {
	case "env":
		return t.env(c, c.argv[1:]), true
	case "chpst":
		return chpst.Parse(c.argv[1:], false).Rest, true
	case "setpriv":
		p := setpriv.Parse(c.argv[1:], false)
		t.setpriv(c, p.Parsed, effect.ID{}, effect.GroupsUnknown)
		return p.Rest, true
	}
	w, ok := wrappers[name]
	if !ok {
		return nil, false
	}
	rest = w.options.Parse(c.argv[1:], false).Rest
	if w.stays {
		c.proc = c.proc.with(name, c.at, false)
	}
	if w.operands > 0 {
		t.operand(c, name, rest)
		rest = rest[min(w.operands, len(rest)):]
	}
	if name == "with-contenv" {
		t.contained(c)
	}
	return rest, true
}

// operand does what the word before a wrapper's command says: a directory holds
// variables for it.
func (t *tracer) operand(c *call, name string, words []shell.Word) {
	if !strings.HasSuffix(name, "envdir") || len(words) == 0 {
		return
	}
	if strings.Contains(words[0].Text, "container_environment") {
		t.contained(c)
		return
	}
	c.vars = c.vars.over(nil)
	for _, n := range t.watched {
		if !c.vars[n].exported {
			c.vars[n] = value{words: []shell.Word{{Holds: n}}, exported: true, maybe: true}
		}
	}
}

// over returns v with what o has besides.
func (v vars) over(o vars) vars {
	out := vars{}
	for name, x := range o {
		out[name] = x
	}
	for name, x := range v {
		out[name] = x
	}
	return out
}

// env returns the command that env(1) starts, and gives c the environment that it
// makes.
func (t *tracer) env(c *call, words []shell.Word) []shell.Word {
	c.vars = c.vars.over(nil)
	for len(words) > 0 {
		w := words[0]
		switch {
		case w.Known && (w.Text == "-" || w.Text == "--ignore-environment"):
			t.clear(c, "env -i", nil)
			words = words[1:]
		case w.Known && w.Text == "--":
			return t.assignments(c, words[1:])
		case w.Known && strings.HasPrefix(w.Text, "--"):
			words = t.envLong(c, w, words[1:])
		case w.Known && strings.HasPrefix(w.Text, "-"):
			words = t.envShort(c, w, words[1:])
		default:
			return t.assignments(c, words)
		}
	}
	return nil
}

func (t *tracer) envLong(c *call, w shell.Word, rest []shell.Word) []shell.Word {
	name, text, attached := strings.Cut(w.Text, "=")
	const remove = "--unset" // as getopt_long(3) takes it: any beginning of it will do
	if !strings.HasPrefix(remove, name) && name != "--chdir" && name != "--split-string" || name == "--" {
		return rest
	}
	value := shell.Word{Text: text, Known: true}
	if !attached && len(rest) > 0 {
		value, rest = rest[0], rest[1:]
	}
	return t.envOption(c, name[2:3], value, rest)
}

func (t *tracer) envShort(c *call, w shell.Word, rest []shell.Word) []shell.Word {
	for i := 1; i < len(w.Text); i++ {
		switch letter := w.Text[i : i+1]; letter {
		case "i":
			t.clear(c, "env -i", nil)
		case "u", "C", "S":
			value := shell.Word{Text: w.Text[i+1:], Known: true}
			if value.Text == "" && len(rest) > 0 {
				value, rest = rest[0], rest[1:]
			}
			return t.envOption(c, letter, value, rest)
		}
	}
	return rest
}

// envOption does what an option with a value says.
func (t *tracer) envOption(c *call, letter string, value shell.Word, rest []shell.Word) []shell.Word {
	switch letter {
	case "u":
		t.remove(c, "env -u "+value.Name(), value)
	case "c", "C":
		c.dir = ""
		if value.Known {
			c.dir = absolute(c.dir, value.Text)
		}
	default:
		if !value.Known || strings.ContainsAny(value.Text, `\$"'`) {
			return []shell.Word{{Text: value.Text}}
		}
		return append(shell.Known(strings.Fields(value.Text)...), rest...)
	}
	return rest
}

// assignments sets the variables before a command, and returns the command.
func (t *tracer) assignments(c *call, words []shell.Word) []shell.Word {
	for len(words) > 0 && strings.Contains(words[0].Text, "=") {
		w := words[0]
		name, text, _ := strings.Cut(w.Text, "=")
		c.vars[name] = value{words: []shell.Word{{Text: text, Known: w.Known, Loose: w.Loose, Holds: w.Holds}}, exported: true}
		words = words[1:]
	}
	return words
}

// remove takes a variable out of the environment of c.
func (t *tracer) remove(c *call, call string, name shell.Word) {
	switch {
	case !name.Known:
		for _, n := range t.watched {
			if x, ok := c.vars[n]; ok {
				x.maybe = true
				c.vars[n] = x
			}
		}
		return
	case t.bit(name.Text) != 0 && c.vars[name.Text].exported:
		c.proc.did(effect.RemoveVariable, call, c.at, t.bit(name.Text), "")
	}
	delete(c.vars, name.Text)
}

// clear takes every variable but some out of the environment of c.
func (t *tracer) clear(c *call, call string, keep []string) {
	was, _ := t.environ(c.vars)
	old := c.vars
	c.vars = vars{}
	for _, n := range keep {
		if x, ok := old[n]; ok {
			c.vars[n] = x
		}
	}
	is, _ := t.environ(c.vars)
	if was&^is != 0 {
		c.proc.did(effect.RemoveVariable, call, c.at, was&^is, "")
	}
}
