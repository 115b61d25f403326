// Package commands reads the commands that build an image: those of the RUN
// instructions, as a Dockerfile or the image's history has them. Nothing is run;
// words that only a run could tell are unknown.
//
// The flags of a RUN (--network, --mount) are not in a history, and neither are the
// stages that files are copied from: only the Dockerfile tells of them.
package commands

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// Fact is the scripts of the target's build, in the order in which they run, those
// of the stages that it copies from last. A text that is no script of a shell is
// left out.
var Fact = &scan.Derived[[]*Script]{Name: "commands", Compute: compute}

// A Script is the commands of one RUN, or of a file.
type Script struct {
	At   scan.Location // of the instruction; zero for a file
	Tree *syntax.File

	vars  map[string]shell.Word
	outer func(name string) (value string, known bool)
}

func compute(p *scan.Pass) []*Script {
	var out []*Script
	add := func(at scan.Location, text string, getenv func(string) (string, bool)) {
		if s := parse(text, getenv); s != nil {
			s.At = at
			out = append(out, s)
		}
	}
	seen := map[*dockerfile.Instr]bool{}
	steps := func(b *dockerfile.Build, adds bool) {
		for _, s := range b.Steps {
			text := textOf(s)
			if text != "" && adds && !seen[s.Instr] {
				add(p.AtInstr(s.Instr), text, known(s))
			}
			seen[s.Instr] = true
		}
	}
	recorded := !p.Image.Predicted && len(p.Image.Steps) > 0
	if recorded {
		for i, s := range p.Image.Steps {
			if text := Recorded(s.CreatedBy); text != "" {
				add(p.AtStep(i), text, p.Image.Config.Getenv)
			}
		}
	}
	if p.Build != nil {
		steps(p.Build, !recorded)
		for _, b := range p.Build.Sources() {
			steps(b, true)
		}
	}
	return out
}

// known are the variables of a RUN.
func known(s *dockerfile.Step) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, known, _ := s.Getenv(name)
		return value, known
	}
}

// textOf is what a RUN gives to a shell; empty if it is something else.
func textOf(s *dockerfile.Step) string {
	switch in := s.Instr; {
	case in.Cmd != "RUN" || len(s.Args) == 0:
		return ""
	case in.Exec:
		return Line(s.Args)
	case strings.HasPrefix(s.Args[0], "/dev/pipes/") && len(in.Heredocs) > 0:
		first, _, _ := strings.Cut(in.Heredocs[0].Body, "\n")
		if shell.Is(path.Base(strings.TrimSpace(first))) {
			return in.Heredocs[0].Body
		}
		return ""
	case len(s.Shell) > 0 && !shell.Is(s.Shell[0]):
		return ""
	}
	return strings.Join(s.Args, " ")
}

// BuildKit records a RUN as "RUN |2 A=b C=d /bin/sh -c TEXT # buildkit", other
// builders the same without RUN and the comment.
var (
	runArgs     = regexp.MustCompile(`(?s)^(RUN )?\|\d+ .*?(/\S+(?: (?:-\w+|pipefail))* -\w*c )`)
	recordedRun = regexp.MustCompile(`(?s)^(RUN )?(/\S*/(?:sh|bash|ash|dash)(?: (?:-\w+|pipefail))* -\w*c )?(.*)$`)
)

// Recorded is the script in an entry of an image's history; empty if it has none.
func Recorded(createdBy string) string {
	if strings.Contains(createdBy, "#(nop)") {
		return ""
	}
	text := runArgs.ReplaceAllString(strings.TrimSuffix(createdBy, "# buildkit"), "$1$2")
	m := recordedRun.FindStringSubmatch(text)
	if m == nil || m[1] == "" && m[2] == "" {
		return ""
	}
	return strings.TrimSpace(m[3])
}

// Line puts words on one line that a shell takes apart into the same words. Of a
// shell that is given a text with -c it is that text.
func Line(words []string) string {
	if len(words) > 2 && shell.Is(words[0]) && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// Parse reads a script whose environment is not known; nil if it is none.
func Parse(text string) *Script {
	return parse(text, func(string) (string, bool) { return "", false })
}

func parse(text string, getenv func(string) (string, bool)) *Script {
	tree, err := shell.Parse(text)
	if err != nil {
		return nil
	}
	s := &Script{Tree: tree, vars: map[string]shell.Word{}, outer: getenv}
	s.assignments()
	return s
}

// assignments notes what the script sets its variables to. One that is set twice is
// not known, as the paths between are not followed.
func (s *Script) assignments() {
	unset := &shell.Scope{Open: true, Var: func(string) ([]shell.Word, bool) { return nil, false }}
	set := func(name string, w shell.Word) {
		if old, again := s.vars[name]; again && (!w.Known || !old.Known || old.Text != w.Text) {
			w = shell.Word{}
		}
		s.vars[name] = w
	}
	syntax.Walk(s.Tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && !n.Naked {
				w := shell.Word{}
				if n.Array == nil && n.Index == nil && !n.Append {
					w = unset.Value(n.Value)
				}
				set(n.Name.Value, w)
			}
		case *syntax.WordIter:
			set(n.Name.Value, shell.Word{})
		}
		return true
	})
}

// scope are the variables that words may refer to.
func (s *Script) scope() *shell.Scope {
	return &shell.Scope{Open: true, Var: func(name string) ([]shell.Word, bool) {
		if w, ok := s.vars[name]; ok {
			return []shell.Word{w}, w.Known
		}
		if value, ok := s.outer(name); ok {
			return shell.Known(value), true
		}
		return nil, false
	}}
}

// Value is what a word of the script becomes where it is not split.
func (s *Script) Value(w *syntax.Word) shell.Word { return s.scope().Value(w) }
