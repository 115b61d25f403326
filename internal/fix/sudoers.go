package fix

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// grantFile names a file in which sudo or doas keeps what it grants.
var grantFile = regexp.MustCompile(`/etc/(?:sudoers(?:\.d/[A-Za-z0-9_-]+)?|doas\.conf|doas\.d/[A-Za-z0-9_-]+\.conf)\b`)

// Ungrant takes out of an instruction what writes to the policy of sudo or doas: the
// commands of a RUN that name the one such file it names, the instruction if nothing is
// left, or a COPY of that file. It is safe if nothing later in the Dockerfile uses sudo
// or doas.
func Ungrant(b *dockerfile.Build, in *dockerfile.Instr) *scan.Fix {
	if in == nil {
		return nil
	}
	files := grantFile.FindAllString(in.Text, -1)
	if len(files) == 0 {
		return nil
	}
	for _, f := range files {
		if f != files[0] {
			return nil
		}
	}
	what := "do not write " + files[0]
	if files[0] == "/etc/sudoers" || files[0] == "/etc/doas.conf" {
		what = "do not add the line to " + files[0]
	}
	safe := !usedAfter(b, in)
	switch {
	case in.Cmd == "COPY" && len(in.Args) == 2 && len(in.Flags) == 0 && in.Args[1] == files[0]:
		return one(what, safe, edit(in, lines(in.Span), ""))
	case in.Cmd == "RUN" && !in.Exec:
		if at := writers(b.File.Layout(in), in, files[0]); !at.IsZero() {
			return one(what, safe, edit(in, at, ""))
		}
	}
	return nil
}

var asRoot = regexp.MustCompile(`\b(sudo|doas)\b`)

func usedAfter(b *dockerfile.Build, in *dockerfile.Instr) bool {
	for _, st := range b.File.Stages {
		for _, later := range st.Instrs {
			if later.Span.Start > in.Span.Start && asRoot.MatchString(later.Text) {
				return true
			}
		}
	}
	return false
}

// writers is the part of a RUN whose commands name a file: a stretch of its && chain, or
// all of it.
func writers(l *dockerfile.Layout, in *dockerfile.Instr, file string) dockerfile.Range {
	text, at := l.Command()
	if len(in.Heredocs) == 1 && strings.Contains(text, "<<") {
		// What the parser is to see whole: the body, and the tag after it.
		h := in.Heredocs[0]
		text += "\n" + h.Body + h.Name + "\n"
	} else if len(in.Heredocs) > 0 {
		return dockerfile.Range{}
	}
	f, err := shell.Parse(text)
	if err != nil || len(f.Stmts) != 1 {
		return dockerfile.Range{}
	}
	chain, ok := operands(f.Stmts[0])
	if !ok {
		return dockerfile.Range{}
	}
	first, last, n := -1, -1, 0
	for i, s := range chain {
		if strings.Contains(text[s.Pos().Offset():s.End().Offset()], file) {
			if !simple(s) || first >= 0 && last != i-1 {
				return dockerfile.Range{}
			}
			if first < 0 {
				first = i
			}
			last, n = i, n+1
		}
	}
	switch {
	case n == 0:
		return dockerfile.Range{}
	case n == len(chain):
		return lines(in.Span)
	case len(in.Heredocs) > 0:
		return dockerfile.Range{}
	case first == 0:
		return l.Between(at, at+int(chain[last+1].Pos().Offset()))
	}
	return l.Between(at+int(chain[first-1].End().Offset()), at+int(chain[last].End().Offset()))
}

// operands takes an && chain apart.
func operands(s *syntax.Stmt) (out []*syntax.Stmt, ok bool) {
	if s.Negated || s.Background {
		return nil, false
	}
	c, and := s.Cmd.(*syntax.BinaryCmd)
	if !and || c.Op != syntax.AndStmt {
		return []*syntax.Stmt{s}, true
	}
	left, ok := operands(c.X)
	right, ok2 := operands(c.Y)
	return append(left, right...), ok && ok2 && len(s.Redirs) == 0
}

// simple reports whether a statement is one command or a pipe of such.
func simple(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return true
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe && simple(c.X) && simple(c.Y)
	}
	return false
}
