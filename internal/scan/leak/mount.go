package leak

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// Kept returns the files in which a RUN keeps a secret that is mounted for it, in
// order: by a copy, or by a redirection of what prints it. One that it removes again is
// left out; "" is one whose name is not known.
func Kept(s *dockerfile.Step) []string {
	m := mounts(s.Instr.Flags)
	if s.Instr.Cmd != "RUN" || s.Instr.Exec || len(s.Args) == 0 || len(m.files)+len(m.variables) == 0 {
		return nil
	}
	f, err := shell.Parse(s.Args[0])
	if err != nil {
		return nil
	}
	var kept outputs
	syntax.Walk(f, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok {
			kept.add(m.copies(st)...)
			kept.remove(st)
		}
		return true
	})
	return kept.staying()
}

// mounted are the secrets that a RUN has.
type mounted struct {
	files     []string
	variables []string
}

// mounts reads --mount=type=secret (Dockerfile reference, "RUN --mount=type=secret").
func mounts(flags []string) mounted {
	var m mounted
	for _, f := range flags {
		options, ok := strings.CutPrefix(f, "--mount=")
		if !ok || !slices.Contains(strings.Split(options, ","), "type=secret") {
			continue
		}
		var id, target, variable string
		for option := range strings.SplitSeq(options, ",") {
			switch k, v, _ := strings.Cut(option, "="); k {
			case "id":
				id = v
			case "target", "dst", "destination":
				target = v
			case "env":
				variable = v
			}
		}
		switch {
		case variable != "":
			m.variables = append(m.variables, variable)
		case target == "":
			target = "/run/secrets/" + id
		}
		if target != "" {
			m.files = append(m.files, target)
		}
	}
	return m
}

// copies returns the files that a command writes a secret to.
func (m mounted) copies(s *syntax.Stmt) []string {
	words := call(s)
	if len(words) == 0 {
		return nil
	}
	args := words[1:]
	switch path.Base(words[0].Text) {
	case "cp", "mv", "install":
		if n := len(args) - 1; n > 0 && slices.ContainsFunc(args[:n], m.isFile) {
			return regular(args[n])
		}
	case "cat":
		if slices.ContainsFunc(args, m.isFile) {
			return targets(s)
		}
	case "echo", "printf":
		if slices.ContainsFunc(args, m.expands) {
			return targets(s)
		}
	}
	return nil
}

func (m mounted) isFile(w shell.Word) bool { return w.Known && slices.Contains(m.files, w.Text) }

// expands reports whether a word has the value of a secret in it.
func (m mounted) expands(w shell.Word) bool {
	for _, v := range m.variables {
		if strings.Contains(w.Text, "$"+v) || strings.Contains(w.Text, "${"+v+"}") {
			return true
		}
	}
	for _, f := range m.files {
		if strings.Contains(w.Text, "$(cat "+f+")") {
			return true
		}
	}
	return false
}

// outputs are the files that a script writes, but for those that it removes.
type outputs struct {
	files   []string
	removed map[string]bool
}

func (o *outputs) add(files ...string) { o.files = append(o.files, files...) }

func (o *outputs) remove(s *syntax.Stmt) {
	words := call(s)
	if len(words) < 2 || path.Base(words[0].Text) != "rm" {
		return
	}
	if o.removed == nil {
		o.removed = map[string]bool{}
	}
	for _, w := range words[1:] {
		o.removed[w.Text] = true
	}
}

func (o *outputs) staying() []string {
	return slices.DeleteFunc(o.files, func(f string) bool { return o.removed[f] })
}
