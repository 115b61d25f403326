package dockerfile

import (
	"io"
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// program follows a file of the build that is run by its path, and reports whether
// it is a shell script whose text is known.
func (r *session) program(name string, args []arg) bool {
	if !strings.Contains(name, "/") {
		return false
	}
	text, ok := r.text(name)
	if !ok || !strings.HasPrefix(text, "#!") {
		return false
	}
	r.process(name, text, args)
	return true
}

// process follows a script in a shell of its own, which has none of this one's
// variables that are not exported.
func (r *session) process(name, text string, args []arg) {
	inner := &session{layer: r.layer, vars: map[string][]shell.Word{}, funcs: map[string]*syntax.Stmt{}, dir: r.dir, depth: r.depth, zero: name}
	for _, a := range args {
		inner.argv = append(inner.argv, shell.Word{Text: a.text, Known: a.known && a.glob == ""})
	}
	inner.script(text)
}

// text returns the text of a file that the build brought.
func (r *session) text(name string) (string, bool) {
	p := r.abs(name)
	if p == "" {
		return "", false
	}
	n := r.at(r.real(p, true))
	if n == nil || n.old || n.file == nil || n.file.Open == nil || n.file.Size > shell.MaxBytes || !r.spend(scriptWork) {
		return "", false
	}
	f, err := n.file.Open()
	if err != nil {
		return "", false // the context's files are read once more, and then that is told
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, shell.MaxBytes+1))
	return string(b), err == nil && len(b) <= shell.MaxBytes
}

// scriptWork is what reading a script counts for.
const scriptWork = 1000

// shellArgs follows a shell by its arguments: "-c TEXT", or a script.
func (r *session) shellArgs(args []arg) {
	for i, a := range args {
		switch {
		case !strings.HasPrefix(a.text, "-"):
			if text, ok := r.text(a.text); ok && a.known && a.glob == "" {
				r.process(a.text, text, args[i+1:])
			} else {
				r.opaque("a script whose effect on files is not known")
			}
			return
		case !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "c") && i+1 < len(args):
			if args[i+1].known {
				r.apart(func() { r.script(args[i+1].text) })
			} else {
				r.opaque("a script that is a variable")
			}
			return
		case a.text == "--version":
			return
		}
	}
	r.opaque("a script from standard input")
}

// source follows a script that is read into the shell. One that the build did not
// bring is taken to set variables only, such as a virtual environment's activate.
func (r *session) source(args []arg) {
	if len(args) == 0 {
		return
	}
	name := args[0].text
	if text, ok := r.text(name); ok && args[0].known {
		r.script(text)
		return
	}
	if p := r.abs(name); args[0].known && p != "" {
		if n := r.at(r.real(p, true)); n != nil && (n.file == nil || n.file.Base == nil) {
			r.opaque("a script that is read into the shell")
		}
	}
}

// arguments changes "$@": shift takes the first ones away, "set --" gives others.
func (r *session) arguments(name string, args []arg) {
	n, err := 1, error(nil)
	if name == "shift" && len(args) > 0 {
		n, err = strconv.Atoi(args[0].text)
	}
	switch {
	case r.maybe, err != nil, n < 0, name == "shift" && n > len(r.argv):
		r.argv = []shell.Word{{Text: `"$@"`, Any: true}}
	case name == "shift":
		r.argv = r.argv[n:]
	default:
		r.argv = nil
		for _, a := range args[1:] {
			r.argv = append(r.argv, shell.Word{Text: a.text, Known: a.known && a.glob == ""})
		}
	}
}

// exit ends the script, unless it says that the build fails: then nothing comes
// after it. Where it may not run, all that follows may not run either.
func (r *session) exit(args []arg) {
	if len(args) > 0 && args[0].known && strings.Trim(args[0].text, "0") != "" {
		return
	}
	if r.maybe {
		r.left = perhaps
	} else {
		r.left = surely
	}
}

// left is whether a script was left before its end.
type left uint8

const (
	stays left = iota
	perhaps
	surely
)

// interpreter returns the version of the Python that the commands of a stage find,
// as "312"; empty if it is not known.
func (r *session) interpreter() string {
	for _, name := range []string{"/usr/local/bin/python3", "/usr/bin/python3"} {
		if n := r.at(r.real(name, false)); n != nil && n.file != nil {
			if m := pythonName.FindStringSubmatch(path.Base(r.real(name, true))); m != nil {
				return m[1] + m[2]
			}
			return ""
		}
	}
	if m := pythonTag.FindStringSubmatch(r.base); m != nil {
		return m[1] + m[2]
	}
	return ""
}
