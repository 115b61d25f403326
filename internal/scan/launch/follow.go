package launch

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch/imports"
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

	proc   process // that runs it
	told   bool    // who it runs as was told on the way here
	aside  bool    // it prepares, or runs beside what the container is for
	beside bool    // it goes on running beside that: it was put in the background
}

func (c *call) key() string { return fmt.Sprint(c.at, c.argv, c.proc.state, c.dir) }

// A tracer follows calls to the end of every path.
type tracer struct {
	*system
	// open means that the environment and the arguments may differ from the
	// image's own: what depends on them goes both ways.
	open bool
	// loose means that only the environment may differ, and that its values count
	// all the same: only what a condition decides by them goes both ways.
	loose     bool
	loosened  bool // since this was last set to false, a condition was met that does
	budget    int  // statements that may still be read
	depth     int  // of scripts in scripts
	outcomes  []outcome
	seen      map[string]bool
	container vars // the environment the container was started with

	paths   []effect.Path
	losses  []effect.Loss
	written []Write // on every path that has ended
	counted bool    // one has
	refused string  // the tool with which paths drop that do not run as root
	refuses int     // how many do
	late    []effect.Import
	onArgv  []effect.Effect
	bound   []effect.Effect
	parents [][]Parent // of each path
	cut     bool       // a budget ran out
	ran     []Link
	started []Link
	later   []call // what is started besides what the container is for
	queued  map[string]bool
	done    map[string]bool // what was in later, and has turned out to be what it is for
}

const (
	maxStatements = 20000 // long ones count as several
	maxScripts    = 8
	maxHops       = 16
	maxLater      = 100
)

// trace follows every path that begins with argv.
func (s *system) trace(argv []shell.Word, mode mode) *tracer {
	t := &tracer{system: s, open: mode == anyStart, loose: mode == anyEnvironment, budget: maxStatements,
		seen: map[string]bool{}, queued: map[string]bool{}, done: map[string]bool{}}
	t.container = s.environment()
	t.follow(call{argv: argv, vars: t.container, dir: s.dir, proc: process{state: s.first}})
	t.budget = max(t.budget, maxStatements/2)
	for i := 0; i < len(t.later); i++ {
		if c := t.later[i]; !t.done[c.key()] {
			t.follow(c)
		}
	}
	return t
}

// mode says what of a start may differ from the image's own.
type mode uint8

const (
	asImage        mode = iota // nothing
	anyEnvironment             // the environment
	anyStart                   // the environment and the command
)

// besides notes a program that a script starts, to be followed if it is not what
// the container is for.
func (t *tracer) besides(c call) {
	if t.open || len(t.later) >= maxLater {
		t.cut = !t.open
		return
	}
	c.aside, c.told = true, true
	if key := c.key(); !t.queued[key] {
		t.queued[key] = true
		t.later = append(t.later, c)
	}
}

// end records how a path ends; once, if several paths end in the same way.
func (t *tracer) end(c *call, o outcome) {
	if c.told {
		return
	}
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

// hide ends a path that can't be followed, so that not all is known.
func (t *tracer) hide(c *call, format string, args ...any) {
	t.unclear(c, format, args...)
	t.cut = t.cut || !c.aside
}

// unclear says why more of a path can't be told, of which it is told how it ends.
func (t *tracer) unclear(c *call, format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	t.end(c, outcome{kind: hidden, reason: why})
	t.lose(c, why)
}

// follow follows a command to the end of its paths.
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
			t.executes(&c)
			t.given(&c, name.Name())
			return
		case !name.Known:
			t.unclear(&c, "what %s runs is not known", name.Name())
			c.proc.state.Lost = c.proc.state.Lost || c.aside
			t.executes(&c)
			t.given(&c, name.Name())
			return
		}
		f, problem := t.find(name.Text, c.dir, c.vars.text("PATH", searchPath))
		c.link(f)
		if problem != "" {
			t.unclear(&c, "%s", problem) // it fails
			return
		}
		t.executes(&c)
		t.runs(c.links[len(c.links)-1], c.proc)
		t.starts(c.links[len(c.links)-1])
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
	if t.supervises(c) {
		return nil, false
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
		return t.change(c, x)
	}
	if rest, ok := t.unwrap(c); ok {
		return rest, true
	}
	t.run(c, f, head)
	return nil, false
}

// run ends a path with a program that is not followed, or with Python.
func (t *tracer) run(c *call, f *image.File, head string) {
	name := path.Base(c.argv[0].Text)
	switch {
	case idles(name):
		t.keep(c, "%s does not change the user", name)
		t.idle(c)
	case imports.IsInterpreter(name):
		t.python(c, f)
	case f == nil && servers[name]:
		t.python(c, nil)
	case f == nil:
		t.opaque(c, t.missing(c.argv[0].Text))
	case head == elf:
		t.opaque(c, f.Path+" is an ELF binary")
	default:
		t.opaque(c, f.Path+" is no program that can be followed")
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
