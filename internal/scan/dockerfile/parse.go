package dockerfile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// Parse reads a Dockerfile; path is only recorded. An instruction that can't be
// understood is a Problem and the rest is still read; a file that is no text, is
// over a limit as a whole, or has no FROM is an error.
func Parse(path string, b []byte, lim limits.Limits) (*File, error) {
	b, err := decode(b, lim)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	src := newSource(path, b, lim)
	f := &File{Path: path, lim: lim}
	f.Problems = append(frontend(path, b), src.screen()...)
	nodes, err := src.parse(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	for _, n := range nodes {
		f.add(src.instr(n), src)
	}
	switch {
	case len(f.Stages) == 0:
		return nil, fmt.Errorf("reading %s: it has no FROM", path)
	case len(f.Stages) > lim.Stages:
		return nil, fmt.Errorf("reading %s: it has over %d stages", path, lim.Stages)
	}
	f.Comments = comments(strings.Split(string(b), "\n"), f)
	f.Problems = append(f.Problems, f.strays()...)
	slices.SortStableFunc(f.Problems, func(a, b Problem) int { return a.Span.Start - b.Span.Start })
	return f, nil
}

// frontend reports a syntax directive that hands the file to another program
// than BuildKit's own Dockerfile frontend.
func frontend(path string, b []byte) []Problem {
	ref, _, at, ok := parser.DetectSyntax(b)
	if !ok {
		return nil
	}
	name := ParseRef(ref).Name
	if name == "docker.io/docker/dockerfile" || name == "docker.io/docker/dockerfile-upstream" {
		return nil
	}
	line := 1
	if len(at) > 0 {
		line = max(at[0].Start.Line, 1)
	}
	return []Problem{{Span: Span{path, line, line}, Ambiguous: true, What: "a syntax directive gives the file to a frontend of its own, which may read it differently"}}
}

// retries is how many broken instructions the parser is led past, each by
// parsing once more.
const retries = 20

// parse returns the nodes of all instructions the parser accepts.
func (s *source) parse(f *File) ([]*parser.Node, error) {
	for range retries {
		res, err := parser.Parse(strings.NewReader(strings.Join(s.lines, "\n")))
		switch {
		case err == nil && len(res.AST.Children) > s.lim.Instructions:
			return nil, fmt.Errorf("it has over %d instructions", s.lim.Instructions)
		case err == nil:
			f.escape = res.EscapeToken
			return res.AST.Children, nil
		}
		start, end := s.broken(err)
		if start == 0 {
			return nil, errors.New("it has no instructions")
		}
		f.Problems = append(f.Problems, s.problem(start, end, reason(err, s.lines[start-1]), ""))
		s.blank(start, end)
	}
	return nil, fmt.Errorf("it has over %d instructions that can't be parsed", retries)
}

// broken returns the lines a parser error is about, 1-based; 0 for the whole file.
func (s *source) broken(err error) (start, end int) {
	var at *parser.LocationError
	if !errors.As(err, &at) || len(at.Locations) == 0 || len(at.Locations[0]) == 0 {
		return 0, 0
	}
	r := at.Locations[0]
	start, end = r[0].Start.Line, min(r[len(r)-1].End.Line, len(s.lines))
	if directiveError.MatchString(err.Error()) { // then the parser gives the number of lines before it
		start, end = start+1, start+1
	}
	if start < 1 || start > end || strings.TrimSpace(strings.Join(s.lines[start-1:end], "")) == "" {
		return 0, 0
	}
	return start, end
}

var directiveError = regexp.MustCompile(`parser directive can be used|invalid escape token`)

// add files an instruction under its stage and checks it.
func (f *File) add(in *Instr, src *source) {
	var problem string
	if in.form, problem = check(in, f.escape); problem != "" {
		f.Problems = append(f.Problems, src.problem(in.Span.Start, in.Span.End, problem, hint(in)))
	}
	switch {
	case in.Cmd == "FROM":
		s := &Stage{Index: len(f.Stages), From: in}
		if from, ok := in.form.(*instructions.Stage); ok {
			s.Name, s.Base = from.Name, from.BaseName
		}
		in.Stage = s
		f.Stages = append(f.Stages, s)
	case len(f.Stages) > 0:
		in.Stage = f.Stages[len(f.Stages)-1]
		if in.Trigger != nil {
			in.Trigger.Stage = in.Stage
		}
		in.Stage.Instrs = append(in.Stage.Instrs, in)
	case in.Cmd == "ARG":
		f.Globals = append(f.Globals, in)
	case problem == "":
		f.Problems = append(f.Problems, src.problem(in.Span.Start, in.Span.End, "it stands before the first FROM, where only ARG may", ""))
	}
}
