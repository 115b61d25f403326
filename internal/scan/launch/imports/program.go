package imports

import (
	"fmt"
	"path"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// Program returns what an interpreter runs as __main__, and the path on which that
// finds its modules.
func (x *Index) Program(s Start) (Module, *Path) {
	p := &Path{x: x, l: x.layout(s), found: map[string]Module{}}
	c := s.Command
	if !c.NoEnv {
		if v, known, set := s.Getenv("PYTHONSAFEPATH"); set && (!known || v != "") {
			c.SafePath = true
		}
	}
	var m Module
	switch {
	case c.Unclear != "":
		m.Why = c.Unclear
	case c.What == Nothing:
		return Module{Name: main, Status: Standard, Why: "only says something of itself"}, p
	case c.What == Input:
		m.Why = "what standard input holds is not known"
	case !c.Target.Known && c.What == Text:
		m.Why = "the text that Python runs, " + c.Target.Name() + ", is not known"
	case !c.Target.Known:
		m.Why = "what Python runs, " + c.Target.Name() + ", is not known"
	case c.What == Text:
		p.first(c, s.Dir)
		m = Module{Status: Own, Text: c.Target.Text, Why: "it is given on the command line"}
	case c.What == File:
		m = p.script(c, s.Dir)
	default:
		p.first(c, s.Dir)
		m = p.Find(c.Target.Text)
		if m.Package {
			m = p.Find(c.Target.Text + "." + main)
		}
	}
	m.Name = main
	return m, p
}

const main = "__main__"

// first puts the working directory first, unless the command says not to.
func (p *Path) first(c Command, dir string) {
	if !c.SafePath {
		p.Prefer(dir)
	}
}

// Prefer puts a directory before all others, as servers do with the one that holds
// the application they are given. It comes before any Find.
func (p *Path) Prefer(dir string) {
	if dir == "" {
		p.l.loose = "the working directory is not known"
		return
	}
	p.l.entries = append([]string{dir}, p.l.entries...)
}

// script finds a program by its file: whatever its name, one that begins like
// bytecode is that, and one that ends like a zip file is that (runpy, zipapp).
func (p *Path) script(c Command, dir string) Module {
	at := c.Target.Text
	if !path.IsAbs(at) {
		if dir == "" {
			return Module{Why: "the working directory is not known"}
		}
		at = path.Join(dir, at)
	}
	at = path.Clean(at)
	f := p.x.img.Lookup(at)
	switch {
	case f == nil && p.x.dirs[at], f != nil && f.Mode.IsDir():
		return p.inside(at)
	case f == nil || !f.Mode.IsRegular():
		if why := p.x.mayHold([]string{path.Dir(at)}); why != "" {
			return Module{Why: fmt.Sprintf("whether %s is there is not known: %s", at, why)}
		}
		return Module{Status: Absent, Why: at + " is not in the image"}
	case p.x.archive(f) != nil && !isBytecode(p.x.archiveHead(f)):
		return p.inside(f.Path)
	}
	if !c.SafePath {
		p.l.entries = append([]string{path.Dir(f.Path)}, p.l.entries...)
	}
	m := p.x.load(f)
	if m.Status == Own && path.Ext(f.Path) == ".pyc" && !m.Compiled && !p.x.img.Predicted {
		m.Status, m.Why = Unknown, f.Path+" is no bytecode"
	}
	return m
}

func (x *Index) archiveHead(f *image.File) string {
	text, _ := codes.Of(f)
	s := text.String()
	return s[:min(len(s), headerBytes)]
}

// inside finds __main__ in a directory or zip file, which is first on the path then.
func (p *Path) inside(at string) Module {
	p.l.entries = append([]string{at}, p.l.entries...)
	m, ok := p.x.module(path.Join(at, main))
	if !ok {
		if why := p.x.mayHold([]string{at}); why != "" {
			return Module{Why: why}
		}
		return Module{Status: Absent, Why: at + " has no __main__"}
	}
	return m
}
