package python

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A script is a file that Python runs, whatever its name. The launcher of an entry point
// is none: it has nothing to read.
type script struct {
	egg string // the distribution whose entry point it is, if setuptools says so in it
}

// scripts reads the first lines of files that their names do not tell already.
var scripts = &image.Probe[script]{
	Name: "python-script", Version: 3, Head: 512, Needles: []string{"#!"},
	Want: func(e image.Entry) bool { return e.Size > 2 && !telling(e.Path) },
	Read: func(e image.Entry, b []byte) (script, bool) {
		if !bytes.HasPrefix(b, []byte("#!")) || e.Size == int64(len(b)) && launcher.Match(b) {
			return script{}, false
		}
		text := string(b)
		if _, rest, _ := strings.Cut(text, "\n"); !hashbang(text) || strings.HasPrefix(rest, zipMagic) {
			return script{}, false
		}
		s := script{}
		if m := easyInstall.FindStringSubmatch(text); m != nil {
			s.egg = m[1]
		}
		return s, true
	},
}

// easyInstall is how setuptools begins the scripts of eggs and of "develop".
var easyInstall = regexp.MustCompile(`(?m)^# EASY-INSTALL-(?:ENTRY-|DEV-)?SCRIPT: '([^'=]+)`)

// isSource reports whether f is Python source: by its name, or by its first line.
// Stubs (.pyi) are none: nothing runs them. Nor is an empty file, such as the usual
// __init__.py: it has nothing to read.
func isSource(f *image.File) bool {
	if !f.Mode.IsRegular() || f.Size == 0 {
		return false
	}
	switch path.Ext(f.Path) {
	case ".py", ".pyw":
		return true
	}
	_, ok := scripts.Of(f)
	return ok
}

// telling reports whether the name of p says enough: that it is Python source, or no
// script at all.
func telling(p string) bool {
	switch path.Ext(p) {
	case ".py", ".pyw", ".pyi", ".pyc", ".so", ".o", ".a", ".gz", ".h", ".html", ".json", ".png", ".svg", ".list", ".md5sums":
		return true
	}
	return false
}

// extended reports whether p ends in an extension. A version is none: pip3.13.
func extended(p string) bool {
	ext := path.Ext(p)
	return len(ext) > 1 && (ext[1] < '0' || ext[1] > '9')
}

var interpreter = regexp.MustCompile(`^(i?python|pypy)[0-9.]*(t|d|dbg|-dbg)?$`)

// hashbang reports whether text is to be run by Python: by its first line
// (execve(2)), also through env(1), or by the second of a shell script that pip and
// uv write where the interpreter's path is too long for the first or not fixed.
func hashbang(text string) bool {
	line, rest, _ := strings.Cut(text, "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 {
		return false
	}
	name := path.Base(words[0])
	switch name {
	case "env":
		name = path.Base(enved(words[1:]))
	case "sh":
		second, _, _ := strings.Cut(rest, "\n")
		quoted, ok := strings.CutPrefix(second, "'''exec' ")
		if !ok {
			return false
		}
		for _, w := range strings.FieldsFunc(quoted, func(r rune) bool { return r == '"' || r == '\'' || r == ' ' || r == ')' }) {
			if interpreter.MatchString(path.Base(w)) {
				return true
			}
		}
		return false
	}
	return interpreter.MatchString(name)
}

// enved returns the command that env runs: what is behind options and assignments.
func enved(args []string) string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-u" || a == "--unset" || a == "-C" || a == "--chdir":
			i++
		case strings.HasPrefix(a, "-S") && len(a) > 2:
			return a[2:]
		case !strings.HasPrefix(a, "-") && !strings.Contains(a, "="):
			return a
		}
	}
	return ""
}
