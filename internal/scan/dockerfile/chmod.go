package dockerfile

import (
	"io/fs"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A Chmod is one path that a chmod(1) in a RUN instruction names. It may or may not
// run: conditions are not looked at.
type Chmod struct {
	Step *Step
	Path string // absolute
	Mode string // as written: "4755", "u+s"
	Deep bool   // with all below

	change modeChange
}

// Apply returns what becomes of a mode.
func (c Chmod) Apply(m fs.FileMode) fs.FileMode { return c.change(m) }

// Chmods returns the changes of mode that RUN instructions make by name, in order,
// as far as mode and path are known. It tells of files whose like the prediction
// does not have: those of a base image.
func (b *Build) Chmods() []Chmod {
	var out []Chmod
	for _, s := range b.Steps {
		if s.Instr.Cmd != "RUN" {
			continue
		}
		r := &chmods{step: s, dir: s.Dir}
		if s.Instr.Exec {
			r.command(shell.Known(s.Args...))
		} else if len(s.Shell) == 0 || shell.Is(s.Shell[0]) {
			r.script(strings.Join(s.Args, " "))
		}
		out = append(out, r.found...)
	}
	return out
}

// chmods collects those of one instruction.
type chmods struct {
	step  *Step
	dir   string // empty if not known
	found []Chmod
}

func (r *chmods) script(text string) {
	f, err := shell.Parse(text)
	if err != nil {
		return // the prediction says so
	}
	scope := &shell.Scope{Open: true, Var: func(name string) ([]shell.Word, bool) {
		value, known, set := r.step.Getenv(name)
		return []shell.Word{{Text: value, Known: known}}, set
	}}
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			r.command(scope.Expand(c.Args...))
		}
		return true
	})
}

func (r *chmods) command(words []shell.Word) {
	if len(words) > 0 && words[0].Known && words[0].Text == "sudo" {
		words = words[1:]
	}
	if len(words) == 0 || !words[0].Known {
		return
	}
	switch path.Base(words[0].Text) {
	case "cd":
		if r.dir = ""; len(words) == 2 && words[1].Known && path.IsAbs(words[1].Text) {
			r.dir = words[1].Text
		}
	case "chmod":
		r.chmod(words[1:])
	}
}

func (r *chmods) chmod(words []shell.Word) {
	deep := false
	for len(words) > 0 && isChmodOption(words[0].Text) {
		deep = deep || words[0].Text == "--recursive" || words[0].Text[1] != '-' && strings.Contains(words[0].Text, "R")
		words = words[1:]
	}
	if len(words) == 0 || !words[0].Known {
		return
	}
	change, ok := parseMode(words[0].Text)
	if !ok {
		return
	}
	for _, w := range words[1:] {
		if !w.Known || !path.IsAbs(w.Text) && r.dir == "" {
			continue
		}
		p := w.Text
		if !path.IsAbs(p) {
			p = path.Join(r.dir, p)
		}
		r.found = append(r.found, Chmod{r.step, path.Clean(p), words[0].Text, deep, change})
	}
}

// isChmodOption tells options from symbolic modes that take something away: "-x".
func isChmodOption(s string) bool {
	return strings.HasPrefix(s, "--") || len(s) > 1 && s[0] == '-' && strings.Trim(s[1:], "Rcfv") == ""
}
