package launch

import (
	"bytes"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packed"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// services keeps what supervisors read: the configuration of supervisord, and the
// definitions of s6 services that are no shell scripts.
var services = &image.Probe[packed.Text]{
	Name: "service-definition", Version: 1,
	Want: func(e image.Entry) bool {
		ext := path.Ext(e.Path)
		return e.Size <= 64<<10 && (ext == ".conf" || ext == ".ini" || service(e.Path) || e.Mode&0o111 != 0 && ext == "")
	},
	Read: func(e image.Entry, b []byte) (packed.Text, bool) {
		ext := path.Ext(e.Path)
		switch {
		case int64(len(b)) < e.Size || bytes.IndexByte(b, 0) >= 0:
			return packed.Text{}, false
		case service(e.Path), (ext == ".conf" || ext == ".ini") && (bytes.Contains(b, []byte("program:")) || bytes.Contains(b, []byte("[supervisord]"))),
			ext == "" && bytes.HasPrefix(b, []byte("#!")) && bytes.Contains(b[:min(len(b), 128)], []byte("execlineb")):
			return packed.Pack(b), true
		}
		return packed.Text{}, false
	},
}

// service reports whether p is a part of the definition of an s6 service.
func service(p string) bool {
	return strings.Contains(p, "/s6-rc.d/") || strings.HasPrefix(p, "/etc/services.d/")
}

// supervises follows a program that starts several others, by a configuration or
// by directories. It returns false if c calls none.
func (t *tracer) supervises(c *call) bool {
	switch name := path.Base(c.argv[0].Text); {
	case name == "supervisord":
		t.supervisord(c)
	case c.argv[0].Text == "/init" && t.overlay():
		t.s6overlay(c)
	case name == "s6-svscan" || name == "runsvdir":
		t.directory(c, name)
	case name == "execlineb":
		t.execlineb(c)
	default:
		return false
	}
	return true
}

// part is a program that a supervisor starts, at a place of its configuration.
func (t *tracer) part(c *call, name string, at Place, argv []shell.Word) call {
	next := *c
	next.proc = c.proc.with(name, c.at, false)
	next.at, next.argv, next.vars = at, argv, c.vars.over(nil)
	return next
}

// directory follows the services of a directory: each of its own has a program
// called run (s6-svscan, runsvdir).
func (t *tracer) directory(c *call, name string) {
	rest := shell.Options{"-t": "t", "-c": "c", "-C": "C", "-d": "d"}.Parse(c.argv[1:], false).Rest
	dir := absolute(c.dir, ".")
	if len(rest) > 0 {
		if dir = ""; rest[0].Known {
			dir = absolute(c.dir, rest[0].Text)
		}
	}
	if dir == "" {
		t.hide(c, "which services %s starts is not known", name)
		return
	}
	started := false
	for _, run := range t.matching(path.Join(dir, "*", "run")) {
		started = true
		t.follow(t.part(c, name, Place{run, 0}, shell.Known(run.Path)))
	}
	if !started {
		t.hide(c, "the services that %s starts in %s are not known", name, dir)
	}
}

// matching are the files of the image whose paths match a pattern of path.Match, in
// the order of their paths.
func (t *tracer) matching(pattern string) []*image.File {
	if found, ok := t.matched[pattern]; ok {
		return found
	}
	prefix := pattern[:max(strings.IndexAny(pattern, "*?[\\"), 0)]
	byPath := map[string]*image.File{}
	var paths []string
	for f := range t.files() {
		if !strings.HasPrefix(f.Path, prefix) || f.Buried() || f.Mode.IsDir() {
			continue
		}
		if ok, err := path.Match(pattern, f.Path); err == nil && ok && byPath[f.Path] == nil {
			paths = append(paths, f.Path)
			byPath[f.Path] = f
		}
	}
	t.matched[pattern] = inOrder(paths, byPath)
	return t.matched[pattern]
}
