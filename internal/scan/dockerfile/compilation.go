package dockerfile

import (
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// A Compilation is a command of a RUN that compiles Python to bytecode.
type Compilation struct {
	Instr  *Instr
	Stage  *Stage
	Module string   // "compileall" or "py_compile"
	Beside bool     // bytecode goes where the sources are (-b), not to __pycache__
	Paths  []string // of directories and files, as written
	// DeletedBy is the instruction of the stage that then deletes the sources, as
	// its commands say: this one, or a later one. Nil if there is none, if some of the
	// same were compiled with Beside, too, or if a later instruction may bring them back.
	DeletedBy *Instr
	// Hidden is why the build goes on where a file does not compile: half a
	// sentence. Empty if such a failure ends the build, or if that is not known.
	Hidden string
}

// Compilations returns what compiles Python in the stages that the target needs,
// in the order of the Dockerfile, as far as the scripts of RUN can be parsed.
func (b *Build) Compilations() []Compilation {
	var out []Compilation
	for _, s := range b.File.Stages {
		if slices.Contains(b.Unused, s) {
			continue
		}
		x := &statusReader{stage: s}
		sh := b.shellBefore(s)
		for _, in := range s.Instrs {
			switch in.Cmd {
			case "SHELL":
				sh = in.Args
			case "COPY", "ADD":
				x.brings(in)
			case "RUN":
				x.instruction(in, sh)
			}
		}
		out = append(out, x.found...)
	}
	return out
}

// shellBefore returns the shell in force where a stage begins: the last one of
// the stages that it is based on.
func (b *Build) shellBefore(s *Stage) []string {
	sh := []string{"/bin/sh", "-c"}
	stages, _ := b.chain(s)
	for _, above := range stages[:len(stages)-1] {
		for _, in := range above.Instrs {
			if in.Cmd == "SHELL" {
				sh = in.Args
			}
		}
	}
	return sh
}

// instruction reads one RUN. Most neither compile nor delete what was compiled, and
// are not parsed.
func (x *statusReader) instruction(in *Instr, sh []string) {
	c, ok := in.form.(*instructions.RunCommand)
	compiles := strings.Contains(in.Text, "compileall") || strings.Contains(in.Text, "py_compile")
	if !ok || !compiles && (len(x.found) == 0 || !strings.Contains(in.Text, sources)) {
		return
	}
	x.instr = in
	words := runText(c.ShellDependantCmdLine)
	switch {
	case in.Exec:
		x.execute(arguments(words), place{})
	case len(words) == 1 && strings.HasPrefix(words[0], pipes) && len(in.Heredocs) > 0:
		body := in.Heredocs[0].Body
		first, _, _ := strings.Cut(body, "\n")
		if sh = strings.Fields(strings.TrimPrefix(first, "#!")); len(sh) > 0 && path.Base(sh[0]) == "env" {
			sh = sh[1:]
		}
		x.shell(sh, body, place{})
	case len(words) == 1:
		x.shell(sh, words[0], place{})
	}
}

// brings forgets the deletions of what a COPY or ADD may bring back.
func (x *statusReader) brings(in *Instr) {
	if len(in.Args) == 0 {
		return
	}
	to := in.Args[len(in.Args)-1]
	for i, c := range x.found {
		if slices.ContainsFunc(c.Paths, func(p string) bool {
			return path.IsAbs(p) != path.IsAbs(to) || within(p, path.Clean(to)) || within(path.Clean(to), p)
		}) {
			x.found[i].DeletedBy = nil
		}
	}
}

// sources is how scripts name all sources of a directory.
const sources = "*.py"

// compile records a command that compiles, behind whatever wrappers.
func (x *statusReader) compile(args []arg, at place) {
	for i := range len(args) - 1 {
		module := args[i+1].text
		if option := args[i].text; !strings.HasPrefix(option, "-") || !strings.HasSuffix(option, "m") || module != "compileall" && module != "py_compile" {
			continue
		}
		found, rest := options(args[i+2:], "-d -s -p -x -i -j -r -e -o --invalidation-mode --workers")
		c := Compilation{Instr: x.instr, Stage: x.stage, Module: module, Beside: module == "compileall" && has(found, "-b"), Hidden: at.lost}
		for _, a := range rest {
			if a.known {
				c.Paths = append(c.Paths, path.Clean(a.text))
			}
		}
		x.found = append(x.found, c)
		return
	}
}

// deletes records a command that deletes all sources of directories: "rm DIR/*.py",
// "find DIR -name '*.py' -delete" or "-exec rm". Where something narrows the search,
// it says nothing.
func (x *statusReader) deletes(args []arg) {
	var dirs []string
	switch args[0].text {
	case "rm":
		_, rest := options(args[1:], "")
		for _, a := range rest {
			if a.known && path.Base(a.text) == sources {
				dirs = append(dirs, path.Dir(a.text))
			}
		}
	case "find":
		removes := false
		for i, a := range args {
			removes = removes || a.text == "-delete" || strings.HasPrefix(a.text, "-exec") && i+1 < len(args) && path.Base(args[i+1].text) == "rm"
		}
		if removes {
			dirs = finds(args)
		}
	}
	x.deleted(dirs)
}

// finds returns the directories of which a find command prints all sources.
func finds(args []arg) []string {
	var dirs []string
	all := false
	for i, a := range args[1:] {
		switch {
		case i == len(dirs) && a.known && !strings.HasPrefix(a.text, "-") && a.text != "(" && a.text != "!":
			dirs = append(dirs, path.Clean(a.text))
		case a.text == "!" || a.text == "-not" || a.text == "-prune" || strings.HasSuffix(a.text, "path") || strings.HasSuffix(a.text, "depth"):
			return nil
		case a.text == "-name" && i+2 < len(args):
			all = all || args[i+2].text == sources
		}
	}
	if !all {
		return nil
	}
	return dirs
}

// deleted notes that the sources in directories and below are gone.
func (x *statusReader) deleted(dirs []string) {
	covers := func(c Compilation) bool {
		return slices.ContainsFunc(c.Paths, func(p string) bool {
			return slices.ContainsFunc(dirs, func(d string) bool { return within(p, d) || within(d, p) })
		})
	}
	if slices.ContainsFunc(x.found, func(c Compilation) bool { return c.Beside && covers(c) }) {
		return
	}
	for i, c := range x.found {
		if c.DeletedBy == nil && covers(c) {
			x.found[i].DeletedBy = x.instr
		}
	}
}
