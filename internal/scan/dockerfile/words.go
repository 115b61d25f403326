package dockerfile

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// scope is what the words of the script may refer to.
func (r *session) scope() *shell.Scope {
	return &shell.Scope{Open: true, Zero: shell.Word{Text: r.zero, Known: true}, Args: r.argv, Var: func(name string) ([]shell.Word, bool) {
		if w, ok := r.vars[name]; ok {
			return w, true
		}
		if name == "PWD" && r.dir != "" {
			return shell.Known(r.dir), true
		}
		if last := r.step.last; last != nil && !r.spend(1+last.n/1000) {
			return nil, false
		}
		value, known, set := r.step.Getenv(name)
		return []shell.Word{{Text: value, Known: known}}, set
	}}
}

// An arg is one argument of a command.
type arg struct {
	text  string
	glob  string // the pattern to expand; empty if there is none
	known bool
}

func arguments(words []string) []arg {
	var out []arg
	for _, w := range words {
		out = append(out, arg{text: w, known: true})
	}
	return out
}

func (r *session) args(words []*syntax.Word) []arg {
	s := r.scope()
	var out []arg
	for _, w := range words {
		pat := r.pattern(w)
		for _, e := range s.Expand(w) {
			a := arg{text: e.Text, known: e.Known}
			if pattern.HasMeta(pat, 0) {
				a.glob = pat
			}
			if strings.HasPrefix(pat, "~/") || pat == "~" {
				a.known = false
				if u := r.step.User; u == "root" || u == "0" || u == "" {
					a.text, a.known = "/root"+a.text[1:], e.Known
					a.glob = strings.Replace(a.glob, "~", "/root", 1)
				}
			}
			out = append(out, a)
		}
	}
	return out
}

// pattern returns a word as a pattern, in which what was quoted stands for
// itself.
func (r *session) pattern(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
			continue
		}
		v := r.scope().Value(&syntax.Word{Parts: []syntax.WordPart{p}})
		if _, bare := p.(*syntax.ParamExp); bare {
			b.WriteString(v.Text)
		} else {
			b.WriteString(pattern.QuoteMeta(v.Text, 0))
		}
	}
	return b.String()
}

// names returns what an argument becomes: itself, or the paths that its pattern
// matches, in the form it was written. What is not known is not ok.
func (r *session) names(a arg) (names []string, ok bool) {
	if !a.known || a.glob != "" && r.dir == "" && !path.IsAbs(a.glob) {
		return nil, false
	}
	if a.glob == "" {
		return []string{a.text}, true
	}
	if path.IsAbs(a.glob) {
		return r.glob(a.glob, false, r.spend), true
	}
	names = r.glob(path.Join(pattern.QuoteMeta(r.dir, 0), a.glob), false, r.spend)
	for i, n := range names {
		names[i] = strings.TrimPrefix(strings.TrimPrefix(n, r.dir), "/")
	}
	return names, true
}

// abs returns an argument as an absolute path; empty if it is not known.
func (r *session) abs(p string) string {
	switch {
	case path.IsAbs(p):
		return path.Clean(p)
	case r.dir == "":
		return ""
	}
	return path.Join(r.dir, p)
}
