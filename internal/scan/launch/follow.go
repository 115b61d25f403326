package launch

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A call is a command about to replace what runs.
type call struct {
	argv []shell.Word
	vars vars
	dir  string // empty if unknown
	at   Place
	// accounts means that a script made or changed some on the way here.
	accounts bool
	links    []Link // the way here
}

// A tracer follows calls to the end of every path.
type tracer struct {
	*system
	// open means that the environment and the arguments may differ from the
	// image's own: what depends on them goes both ways.
	open     bool
	budget   int // statements that may still be read
	depth    int // of scripts in scripts
	outcomes []outcome
	seen     map[string]bool
}

const (
	maxStatements = 20000 // long ones count as several
	maxScripts    = 8
	maxHops       = 16
)

// trace returns how each path ends that begins with argv.
func (s *system) trace(argv []shell.Word, open bool) []outcome {
	t := &tracer{system: s, open: open, budget: maxStatements, seen: map[string]bool{}}
	t.follow(call{argv: argv, vars: s.environment(), dir: s.dir})
	return t.outcomes
}

// end records how a path ends; once, if several paths end in the same way.
func (t *tracer) end(c *call, o outcome) {
	o.at, o.links = c.at, c.links
	key := fmt.Sprint(o.kind, o.at, o.reason, o.user.Spec)
	if !t.seen[key] {
		t.seen[key] = true
		t.outcomes = append(t.outcomes, o)
	}
}

func (t *tracer) keep(c *call, format string, args ...any) {
	t.end(c, outcome{kind: kept, reason: fmt.Sprintf(format, args...)})
}

func (t *tracer) hide(c *call, format string, args ...any) {
	t.end(c, outcome{kind: hidden, reason: fmt.Sprintf(format, args...)})
}

// follow follows a command through wrappers and "#!" lines.
func (t *tracer) follow(c call) {
	for range maxHops {
		if len(c.argv) == 0 {
			t.hide(&c, "no command is given")
			return
		}
		name := c.argv[0]
		switch {
		case name.Any:
			t.keep(&c, "%s runs as root, whatever it is", name.Name())
			return
		case !name.Known:
			t.hide(&c, "what %s runs is not known", name.Name())
			return
		}
		f, problem := t.find(name.Text, c.dir, c.vars.text("PATH", searchPath))
		c.link(f)
		if problem != "" {
			t.hide(&c, "%s", problem)
			return
		}
		rest, more := t.step(&c, f)
		if !more {
			return
		}
		c.argv = rest
	}
	t.hide(&c, "more than %d programs start one another", maxHops)
}

// step follows one program. It returns the command that the program starts, or
// false if the path has ended.
func (t *tracer) step(c *call, f *image.File) ([]shell.Word, bool) {
	name := c.argv[0].Text
	head := ""
	if f != nil {
		if f.Fate.How == image.Perhaps {
			t.hide(c, "a command that could not be understood may have changed %s", f.Path)
			return nil, false
		}
		head, _ = heads.Of(f)
	}
	if strings.HasPrefix(head, "#!") {
		script := absolute(c.dir, name)
		if !strings.Contains(name, "/") {
			script = f.Path
		}
		words := append(interpreter(head), script)
		return append(shell.Known(words...), c.argv[1:]...), true
	}
	if shell.Is(name) {
		t.shell(c)
		return nil, false
	}
	if x, ok := changeOf(c.argv); ok {
		t.change(c, x)
		return nil, false
	}
	if rest, ok := unwrap(c.argv); ok {
		return rest, true
	}
	t.program(c, f, head)
	return nil, false
}

// program ends a path with a program that is not followed.
func (t *tracer) program(c *call, f *image.File, head string) {
	name := path.Base(c.argv[0].Text)
	switch {
	case idles(name):
		t.keep(c, "%s does not change the user", name)
	case strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy"):
		t.hide(c, "Python: not followed by this version")
	case f == nil:
		t.hide(c, "%s", t.missing(c.argv[0].Text))
	case head == elf:
		t.hide(c, "%s is an ELF binary", f.Path)
	default:
		t.hide(c, "%s is no program that can be followed", f.Path)
	}
}

// link adds the program to the way.
func (c *call) link(f *image.File) {
	l := Link{File: f, By: c.at}
	for _, w := range c.argv {
		l.Argv = append(l.Argv, w.Text)
	}
	if f != nil {
		l.Path = f.Path
	}
	c.links = append(slices.Clip(c.links), l)
}

// change ends a path with a change of user.
func (t *tracer) change(c *call, x change) {
	o := outcome{how: x.how, loose: x.user.Loose}
	for _, w := range x.args {
		o.args = append(o.args, w.Text)
	}
	if !x.user.Known {
		o.kind, o.reason = hidden, fmt.Sprintf("the user that %s changes to, %s, is not known", x.how, x.user.Name())
		t.end(c, o)
		return
	}
	if x.user.Text == "" {
		o.kind, o.reason = hidden, x.how+" is given no user"
		t.end(c, o)
		return
	}
	o.user = t.user(x.user.Text)
	root := o.user.IsRoot()
	switch renamed := c.accounts && !numeric(x.user.Text); {
	case x.flaw != "":
		o.kind, o.reason = kept, x.how+": "+x.flaw
	case root == accounts.Yes:
		o.kind, o.reason = kept, fmt.Sprintf("%s %s keeps uid 0", x.how, x.user.Text)
	case renamed:
		if o.loose = true; root == accounts.Unknown {
			o.user = accounts.User{Spec: x.user.Text, UID: -1, GID: -1}
		}
		t.final(c, x.rest)
	case root == accounts.Unknown || o.user.Problem != "":
		o.kind, o.reason = hidden, fmt.Sprintf("%s %s: %s", x.how, x.user.Text, cmp.Or(o.user.Problem, o.user.Unknown))
	default:
		t.final(c, x.rest)
	}
	t.end(c, o)
}

// numeric reports whether a user is given by number: no account counts then.
func numeric(user string) bool {
	name, _, _ := strings.Cut(user, ":")
	_, err := strconv.Atoi(name)
	return err == nil
}

// final adds the program that runs after the drop to the way.
func (t *tracer) final(c *call, argv []shell.Word) {
	if len(argv) == 0 || !argv[0].Known {
		return
	}
	f, _ := t.find(argv[0].Text, c.dir, c.vars.text("PATH", searchPath))
	next := *c
	next.argv = argv
	next.link(f)
	c.links = next.links
}
