// Package imports says what a Python of an image runs and imports: it reads the
// interpreter's command line, lays out the path on which that interpreter looks
// for modules, and finds them there, as source, as bytecode or in a zip file. It
// runs nothing. What the image does not tell is said to be not known, never to be
// absent.
package imports

import (
	"path"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A Command is how Python is started (Python, "Command line and environment").
type Command struct {
	What   What
	Target shell.Word   // the file, the name of the module, or the text
	Args   []shell.Word // what follows it: sys.argv[1:]

	Isolated   bool // -I
	SafePath   bool // -P
	NoEnv      bool // -E: PYTHON variables do not count
	NoUserSite bool // -s
	NoSite     bool // -S
	Optimize   int  // 1 for -O, 2 for -OO
	Inspect    bool // -i: what is typed follows

	// Unclear is why the command line can't be read; empty if it can.
	Unclear string
}

// What a command runs.
type What uint8

// The kinds of what is run.
const (
	Input   What = iota // whatever standard input holds
	File                // a script, bytecode, a directory or a zip file
	ByName              // -m
	Text                // -c
	Nothing             // --version, --help
)

var interpreter = regexp.MustCompile(`^(python|pypy)[0-9.]*t?$`)

// IsInterpreter reports whether the program at p is Python, by its name.
func IsInterpreter(p string) bool { return interpreter.MatchString(path.Base(p)) }

// Parse reads the command line of an interpreter, without its first word.
func Parse(words []shell.Word) Command {
	c := Command{}
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case !w.Known:
			if w.Any {
				c.Unclear = w.Name() + " may be options"
				return c
			}
			return c.run(File, words[i:]) // a quoted word: seldom an option
		case w.Text == "-":
			c.Args = words[i+1:]
			return c
		case w.Text == "--":
			return c.run(File, words[i+1:])
		case !strings.HasPrefix(w.Text, "-") || w.Text == "":
			return c.run(File, words[i:])
		case strings.HasPrefix(w.Text, "--"):
			if c.long(w.Text); c.What == Nothing {
				return c
			}
			if w.Text == "--check-hash-based-pycs" {
				i++
			}
			continue
		}
		next, done := c.cluster(w, words[i+1:])
		if done {
			return c
		}
		i += next
	}
	return c
}

func (c *Command) long(text string) {
	if strings.HasPrefix(text, "--help") || text == "--version" {
		c.What = Nothing
	}
}

// cluster reads "-IBc": the letters up to one that takes a value. It returns how
// many of the words that follow were taken, and whether the rest is the program's.
func (c *Command) cluster(w shell.Word, rest []shell.Word) (taken int, done bool) {
	for i := 1; i < len(w.Text); i++ {
		value := w.Text[i+1:]
		switch w.Text[i] {
		case 'I':
			c.Isolated, c.SafePath, c.NoEnv, c.NoUserSite = true, true, true, true
		case 'P':
			c.SafePath = true
		case 'E':
			c.NoEnv = true
		case 's':
			c.NoUserSite = true
		case 'S':
			c.NoSite = true
		case 'O':
			c.Optimize++
		case 'i':
			c.Inspect = true
		case 'h', 'V', '?':
			c.What = Nothing
			return 0, true
		case 'W', 'X':
			if value == "" {
				return 1, false
			}
			return 0, false
		case 'c', 'm':
			what := Text
			if w.Text[i] == 'm' {
				what = ByName
			}
			if value != "" {
				rest = append([]shell.Word{{Text: value, Known: true, Loose: w.Loose, Holds: w.Holds}}, rest...)
			}
			*c = c.run(what, rest)
			return 0, true
		}
	}
	return 0, false
}

// run notes what is run, if anything is.
func (c Command) run(what What, words []shell.Word) Command {
	if len(words) == 0 {
		return c
	}
	c.What, c.Target, c.Args = what, words[0], words[1:]
	return c
}
