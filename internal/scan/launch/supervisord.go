package launch

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A section is one part of a configuration of supervisord (supervisord.org,
// "Configuration File").
type section struct {
	name   string // "program:web"
	file   *image.File
	line   int
	values map[string]setting
}

type setting struct {
	text string
	line int
}

// maxSections bounds how many programs one supervisor may start.
const maxSections = 200

// supervisord follows the programs that supervisord starts: each is a child that
// changes its user just before it is executed.
func (t *tracer) supervisord(c *call) {
	f := t.supervisorConfig(c)
	if f == nil {
		t.hide(c, "the configuration of supervisord is not among the files that are known")
		return
	}
	sections, why := t.sections(f)
	if why != "" {
		t.hide(c, "%s", why)
		return
	}
	for _, s := range sections {
		if u := s.values["user"]; s.name == "supervisord" && u.text != "" {
			x := change{how: "supervisord", user: t.expanded(c, s, u.text), group: shell.Word{Known: true}}
			if x.user.Text == "root" || t.already(c, x.user) {
				continue
			}
			here := *c
			here.at = Place{s.file, u.line}
			x.rest = shell.Known("supervisord")
			if _, ok := t.change(&here, x); !ok {
				return
			}
			c.proc, c.told = here.proc, here.told
		}
	}
	started := false
	for _, s := range sections {
		kind, _, _ := strings.Cut(s.name, ":")
		if kind == "program" || kind == "eventlistener" || kind == "fcgi-program" {
			started = true
			t.supervised(c, s)
		}
	}
	if !started {
		t.hide(c, "%s names no program", f.Path)
	}
}

// already reports whether c runs as the user: then supervisord changes nothing.
func (t *tracer) already(c *call, user shell.Word) bool {
	uid := c.proc.state.UID.Effective
	u := t.user(user.Text)
	return user.Known && uid.Known && u.Known && int64(u.UID) == uid.Num
}

func (t *tracer) supervisorConfig(c *call) *image.File {
	p := shell.Options{"-c": "c", "--configuration": "c", "-u": "u", "--user": "u", "-d": "x", "-l": "x", "-j": "x", "-e": "x", "-y": "x", "-z": "x", "-q": "x", "-i": "x"}.Parse(c.argv[1:], true)
	if w, ok := p.Values["c"]; ok {
		if !w.Known {
			return nil
		}
		return t.lookup(absolute(c.dir, w.Text))
	}
	for _, at := range []string{"../etc/supervisord.conf", "../supervisord.conf", "supervisord.conf", "etc/supervisord.conf", "/etc/supervisord.conf", "/etc/supervisor/supervisord.conf"} {
		if f := t.lookup(absolute(c.dir, at)); f != nil && f.Mode.IsRegular() {
			return f
		}
	}
	return nil
}

// supervised follows one program.
func (t *tracer) supervised(c *call, s section) {
	command := s.values["command"]
	argv := t.words(c, s, command.text)
	next := t.part(c, "supervisord", Place{s.file, command.line}, argv)
	if s.values["autostart"].text == "false" {
		next.aside, next.told = true, true
	}
	if d := s.values["directory"].text; d != "" {
		next.dir = absolute(c.dir, d)
	}
	for pair := range splitPairs(s.values["environment"].text) {
		name, text, _ := strings.Cut(pair, "=")
		w := t.expanded(c, s, strings.Trim(strings.TrimSpace(text), `"'`))
		next.vars[strings.TrimSpace(name)] = value{words: []shell.Word{w}, exported: true}
	}
	if u := s.values["user"]; u.text != "" {
		user := t.expanded(c, s, u.text)
		if !t.already(&next, user) {
			next.at.Line = u.line
			x := change{how: "supervisord", user: user, rest: argv, args: shell.Known("supervisord"), group: shell.Word{Known: true}}
			rest, ok := t.change(&next, x)
			if !ok {
				return
			}
			next.argv, next.at.Line = rest, command.line
		}
	}
	t.follow(next)
}
