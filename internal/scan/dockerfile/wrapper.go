package dockerfile

import (
	"slices"
	"strings"
)

// wrapper follows commands that run the command in their arguments, and reports
// whether name is one of them.
func (r *session) wrapper(name string, args []arg) bool {
	skip := 0
	var rest []arg
	switch name {
	case "sh", "bash", "ash", "dash":
		r.shellArgs(args)
		return true
	case "eval":
		r.eval(args)
		return true
	case "command", "builtin", "exec", "nohup", "time", "setsid":
		rest = leading(args, "-a")
	case "env":
		rest = leading(args, "-u --unset -C --chdir")
	case "sudo", "doas":
		rest = leading(args, "-u -g -U -p -h --user --group")
	case "nice", "ionice", "stdbuf", "chrt":
		rest = leading(args, "-n -c -p -i -o -e --adjustment")
	case "timeout":
		rest, skip = leading(args, "-s -k --signal --kill-after"), 1
	case "gosu", "su-exec":
		rest, skip = args, 1
	case "xargs":
		rest = leading(args, "-n -P -L -d -a -s -E -I")
		if len(rest) > 0 {
			rest = append(slices.Clone(rest), arg{text: "an argument from standard input"})
		}
	default:
		return false
	}
	for name == "env" || name == "sudo" {
		if len(rest) == 0 || !strings.Contains(rest[0].text, "=") {
			break
		}
		rest = rest[1:]
	}
	if len(rest) > skip && r.spend(1) {
		r.execute(rest[skip:])
	}
	return true
}

func (r *session) eval(args []arg) {
	var words []string
	for _, a := range args {
		if !a.known {
			r.opaque("eval of a variable")
			return
		}
		words = append(words, a.text)
	}
	r.script(strings.Join(words, " "))
}
