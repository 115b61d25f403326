package launch

import (
	"cmp"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch/imports"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// python follows a program of Python.
func (t *tracer) python(c *call, f *image.File) {
	command := imports.Parse(c.argv[1:])
	name := path.Base(c.argv[0].Text)
	if servers[name] {
		command = imports.Command{What: imports.ByName, Target: shell.Word{Text: name, Known: true}, Args: c.argv[1:], SafePath: true}
	}
	main, modules := t.imports(imports.Start{
		Command: command, Called: t.called(c), File: f, Dir: c.dir, Getenv: c.vars.getenv,
	})
	level, _, set := c.vars.getenv("PYTHONOPTIMIZE")
	in := program{command: command, modules: modules, dir: c.dir, optimized: command.Optimize > 0 || set && level != "" && !command.NoEnv}
	if at := t.called(c); imports.IsInterpreter(path.Base(at)) {
		in.executable = at
	}
	switch {
	case main.Status == imports.Standard:
		t.standard(c, command)
	case main.Status == imports.Third, main.Status == imports.Unknown && servers[name]:
		t.serve(c, in, main)
	case main.Status == imports.Own:
		t.runs(Link{Path: file(main), File: main.File, By: c.at}, c.proc)
		t.analysed(c, t.analyse(c, main, in, ""))
	case command.What == imports.Input && command.Unclear == "":
		t.keep(c, "%s runs what it is given, as root", c.argv[0].Text)
		t.given(c, "Python")
	case main.Status == imports.Absent && t.exact && c.proc.state.Privileged() == effect.User:
		t.given(c, command.Target.Name()) // it comes from outside: untrusted code itself, of which only the process matters
	default:
		t.opaque(c, "Python: "+main.Why)
	}
}

// servers are programs of others, by which Python serves an application, that an image
// has where they were installed: they may be in a base that was not read.
var servers = map[string]bool{"uvicorn": true, "gunicorn": true, "hypercorn": true, "granian": true, "daphne": true, "waitress-serve": true}

// file is the path of the file that holds a module; empty if none does.
func file(m imports.Module) string {
	if m.File == nil {
		return ""
	}
	return m.File.Path
}

// called is the path by which a program was found, links not followed.
func (t *tracer) called(c *call) string {
	name := c.argv[0].Text
	if strings.Contains(name, "/") {
		return absolute(c.dir, name)
	}
	for d := range strings.SplitSeq(c.vars.text("PATH", searchPath), ":") {
		if p := path.Join("/", d, name); t.lookup(p) != nil {
			return p
		}
	}
	return ""
}

// getenv is what a program sees of a variable.
func (v vars) getenv(name string) (text string, known, set bool) {
	x, ok := v[name]
	if !ok || !x.exported || len(x.words) != 1 {
		return "", false, false
	}
	return x.words[0].Text, x.words[0].Known && !x.maybe, true
}

// standard ends a path with a program of the standard library.
func (t *tracer) standard(c *call, command imports.Command) {
	switch name := command.Target.Text; {
	case command.What == imports.ByName && (name == "http.server" || name == "asyncio" || name == "code" || name == "pdb" || name == "idlelib"):
		t.keep(c, "python -m %s does not change the user", name)
		t.ended(c, effect.Path{Past: c.proc.trail.h, State: c.proc.state,
			Sink: effect.Sink{Kind: effect.ServeSink, Call: "python -m " + name, Place: c.at.shown()}})
	default:
		t.keep(c, "Python does not change the user")
		t.idle(c)
	}
}

// serve follows a program that somebody else made. What it serves, if it says that
// in the usual form, is the image's own; that runs first.
func (t *tracer) serve(c *call, in program, main imports.Module) {
	command := in.command
	call := cmp.Or(path.Base(file(main)), command.Target.Name())
	if command.What == imports.ByName {
		call = "python -m " + command.Target.Text
	}
	if name := path.Base(c.argv[0].Text); servers[name] {
		call = name
	}
	hand := effect.Sink{Kind: effect.HandOffSink, Call: call, Place: c.at.shown()}
	if app, dir, ok := served(command.Args); ok {
		in.modules.Prefer(absolute(c.dir, dir))
		if m := in.modules.Find(app); m.Status == imports.Own {
			out := t.analyse(c, m, in, app)
			for i, p := range out.Paths {
				if p.Sink.Kind == effect.EndSink {
					out.Paths[i].Sink = hand
				}
			}
			t.analysed(c, out)
			return
		}
	}
	t.analysed(c, effect.Outcome{Complete: true, Paths: []effect.Path{{State: c.proc.state, Sink: hand}}})
}

// served is the module in the "module:application" that servers are given, and the
// directory in which it is, relative to the working directory.
func served(args []shell.Word) (module, dir string, ok bool) {
	dir = "."
	for i, w := range args {
		name, value, found := strings.Cut(w.Text, "=")
		if name == "--app-dir" || name == "--chdir" {
			if dir = value; !found && i+1 < len(args) {
				dir = args[i+1].Text
			}
		}
		name, app, found := strings.Cut(w.Text, ":")
		if !ok && found && w.Known && identifier(name) && identifier(strings.TrimSuffix(app, "()")) {
			module, ok = name, true
		}
	}
	return module, dir, ok
}

// identifier reports whether s is a dotted name.
func identifier(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || part[0] <= '9' {
			return false
		}
	}
	return true
}
