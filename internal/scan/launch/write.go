package launch

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A Write is something that a script does to a path, and that fails on a filesystem
// which is read-only (EROFS in open(2), mkdir(2), chown(2) and the like).
type Write struct {
	Path    string // absolute, in the image; symbolic links of its parents followed as far as they are known
	Command string // "mkdir"; ">" for a redirection
	By      Place
}

// maxWrites bounds how many writes one path carries.
const maxWrites = 64

// redirects notes the files that a statement writes its output to.
func (s *script) redirects(x *syntax.Stmt, st *state) {
	for _, r := range x.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			s.writes(s.scope(st).Value(r.Word), ">", s.place(r), st)
		}
	}
}

// writes notes a write to a path that no environment can change, and that is on the
// root filesystem.
func (s *script) writes(to shell.Word, command string, at Place, st *state) {
	name := absolute(st.dir, to.Text)
	if !to.Known || to.Loose || to.Text == "" || name == "" || len(st.proc.writes) >= maxWrites {
		return
	}
	name = s.real(name)
	for _, dir := range []string{"/dev", "/proc", "/sys"} {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return
		}
	}
	st.proc.writes = append(slices.Clip(st.proc.writes), Write{name, command, at})
}

// real is a path with the links followed that lead to its directory.
func (s *system) real(name string) string {
	dir, base := path.Split(name)
	for dir = path.Clean(dir); dir != "/"; dir, base = path.Dir(dir), path.Join(path.Base(dir), base) {
		if f := s.lookup(dir); f != nil {
			return path.Join(f.Path, base)
		}
	}
	if rest, ok := strings.CutPrefix(name, "/var/run/"); ok { // a link in every distribution
		return path.Join("/run", rest)
	}
	return name
}

// changes notes what a command that prepares does to files.
func (s *script) changes(words []shell.Word, at Place, st *state) {
	command := path.Base(words[0].Text)
	for _, w := range s.changed(command, words[1:], st) {
		s.writes(w, command, at, st)
	}
}

// changed are the operands that a command changes on every filesystem that lets it; none
// of a command that may find all done.
func (s *script) changed(command string, args []shell.Word, st *state) []shell.Word {
	p := writeOptions.Parse(args, true)
	switch command {
	case "mkdir":
		return slices.DeleteFunc(p.Rest, func(w shell.Word) bool { return (p.Flags["-p"] || p.Flags["--parents"]) && s.mayBe(w, st) })
	case "touch", "tee", "mkfifo", "mknod":
		return p.Rest
	case "chown", "chmod", "chgrp":
		return p.Rest[min(1, len(p.Rest)):]
	case "sed":
		if !p.Flags["-i"] && !p.Flags["--in-place"] || len(p.Rest) < 2 {
			return nil
		}
		return p.Rest[len(p.Rest)-1:]
	case "cp", "mv", "ln", "install":
		if p.Flags["-d"] || p.Flags["-t"] || p.Flags["-n"] || p.Flags["-u"] || len(p.Rest) < 2 {
			return nil
		}
		to := p.Rest[len(p.Rest)-1]
		if from := p.Rest[0]; s.isDirectory(to, st) && to.Known && from.Known {
			to.Text = path.Join(to.Text, path.Base(from.Text))
		}
		return []shell.Word{to}
	}
	return nil
}

// writeOptions are the options with values of the commands that write.
var writeOptions = shell.Options{"-m": "m", "--mode": "m", "-o": "o", "--owner": "o", "-g": "g", "--group": "g",
	"--reference": "r", "-e": "e", "--expression": "e", "--date": "D"}

// mayBe reports whether a directory is there, or may be as far as is known.
func (s *script) mayBe(w shell.Word, st *state) bool { return s.base != "" || s.isDirectory(w, st) }

// isDirectory reports whether a directory is there, or more of them were looked for than
// a script needs.
func (s *script) isDirectory(w shell.Word, st *state) bool {
	name := absolute(st.dir, w.Text)
	if f := s.lookup(name); f != nil || strings.HasSuffix(w.Text, "/") {
		return f == nil || f.Mode.IsDir()
	}
	if name == "" || name == "/" || s.searched == maxWrites {
		return true
	}
	s.searched++
	for f := range s.files() { // layers need not list a directory to have files in it
		if !f.Buried() && strings.HasPrefix(f.Path, name+"/") {
			return true
		}
	}
	return false
}

// common are the writes that two paths have in common.
func common(a, b []Write) []Write {
	return slices.DeleteFunc(slices.Clone(a), func(w Write) bool {
		return !slices.ContainsFunc(b, func(o Write) bool { return o.Path == w.Path })
	})
}

// wrote takes over what a path has written by where it ends, or is lost.
func (t *tracer) wrote(c *call) {
	switch {
	case c.aside || c.beside:
	case !t.counted:
		t.counted, t.written = true, c.proc.writes
	default:
		t.written = common(t.written, c.proc.writes)
	}
}
