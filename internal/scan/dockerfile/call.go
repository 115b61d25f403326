package dockerfile

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call follows a simple command.
func (r *session) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a)
		}
		return
	}
	r.execute(r.args(c.Args))
}

// execute follows a command that is given as words.
func (r *session) execute(args []arg) {
	if len(args) == 0 {
		return
	}
	if !args[0].known {
		r.opaque("a command whose name is a variable")
		return
	}
	name, rest := args[0].text, args[1:]
	if body, ok := r.funcs[name]; ok {
		if r.depth > maxDepth {
			r.opaque("functions that call each other")
			return
		}
		before := r.left
		r.depth++
		r.stmt(body)
		r.depth, r.left = r.depth-1, before
		return
	}
	if r.program(name, rest) {
		return
	}
	name = path.Base(name)
	if !r.files(name, rest) && !r.tool(name, rest) && !r.wrapper(name, rest) && !harmless(name) {
		r.opaque(program(name))
	}
	if installs(name, rest) {
		r.installed(name)
	}
}

var programName = regexp.MustCompile(`^[a-z][a-z0-9._+-]{0,30}$`)

// program names a program in a message, if what stands there looks like one.
func program(name string) string {
	if programName.MatchString(name) {
		return name + ", whose effect on files is not known"
	}
	return "a program whose effect on files is not known"
}

// options takes the options off the arguments. with names those that take a
// value, in the next argument unless they hold it; found holds each option that
// is given, short ones one by one.
func options(args []arg, with string) (found map[string]string, rest []arg) {
	found = map[string]string{}
	takes := strings.Fields(with)
	valued := func(o string) bool {
		for _, t := range takes {
			if t == o {
				return true
			}
		}
		return false
	}
	for i := 0; i < len(args); i++ {
		a := args[i].text
		switch {
		case a == "--":
			return found, append(rest, args[i+1:]...)
		case strings.HasPrefix(a, "--"):
			name, value, has := strings.Cut(a, "=")
			if !has && valued(name) && i+1 < len(args) {
				i++
				value = args[i].text
			}
			found[name] = value
		case len(a) > 1 && a[0] == '-':
			for j := 1; j < len(a); j++ {
				o := "-" + a[j:j+1]
				if !valued(o) {
					found[o] = ""
					continue
				}
				if j+1 < len(a) {
					found[o] = a[j+1:]
				} else if i+1 < len(args) {
					i++
					found[o] = args[i].text
				}
				break
			}
		default:
			rest = append(rest, args[i])
		}
	}
	return found, rest
}

func has(found map[string]string, names ...string) bool {
	for _, n := range names {
		if _, ok := found[n]; ok {
			return true
		}
	}
	return false
}

// leading drops the options in front of the first other argument.
func leading(args []arg, with string) []arg {
	for i := 0; i < len(args); i++ {
		switch a := args[i].text; {
		case a == "--":
			return args[i+1:]
		case len(a) < 2 || a[0] != '-':
			return args[i:]
		case strings.Contains(" "+with+" ", " "+a+" "):
			i++
		}
	}
	return nil
}

// targets returns the absolute paths that arguments name. One that is not known
// makes the command opaque; a pattern that matches nothing names nothing.
func (r *session) targets(args []arg, why string) []string {
	var out []string
	for _, a := range args {
		names, ok := r.names(a)
		for _, f := range names {
			p := r.abs(f)
			ok = ok && p != ""
			out = append(out, p)
		}
		if !ok {
			r.opaque(why)
			return nil
		}
	}
	return out
}
