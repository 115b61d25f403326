package policy

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// inDockerfile returns the ignores in the comments of the target's Dockerfile. One
// stands above an instruction and is about that, or at the file's head, with a blank
// line below it, and is about the file.
func (s *Ignores) inDockerfile(t scan.Target) []*entry {
	if t.Build == nil {
		return nil
	}
	var out []*entry
	for _, c := range t.Build.File.Comments {
		span := dockerfile.Span{Path: t.Build.File.Path, Start: c.Line, End: c.Line}
		out = append(out, s.once(span, c.Text, scan.Location{Source: span}, func(p *pragma, e *entry) { aboutInstruction(p, e, c, t) })...)
	}
	return out
}

// mostIgnores is how many ignores of one Dockerfile or manifest are honoured: each is
// asked about each finding of its rule.
const mostIgnores = 1000

// once returns the ignores of one comment, the same ones for every target that it is
// read for.
func (s *Ignores) once(span dockerfile.Span, text string, at scan.Location, about func(*pragma, *entry)) []*entry {
	if known, ok := s.read[span]; ok {
		return known
	}
	p, ok := parsePragma(text)
	if !ok {
		return nil
	}
	if s.read == nil {
		s.read, s.count = map[dockerfile.Span][]*entry{}, map[string]int{}
	}
	rules := p.rules
	if p.wrong != "" {
		rules = []string{""}
	} else if s.NeedReason && p.reason == "" {
		p.wrong, p.hint = "it has no reason, which the configuration asks for", `add reason="..."`
	}
	slices.Sort(rules)
	for _, id := range slices.Compact(rules) {
		if s.count[span.Path]++; s.count[span.Path] > mostIgnores {
			if s.count[span.Path] > mostIgnores+1 {
				break
			}
			p.wrong, p.hint = fmt.Sprintf("the file has more than %d", mostIgnores), "write one for the file"
		}
		e := &entry{Ignore: &scan.Ignore{Rule: id, Reason: p.reason, Until: p.until, At: at, Wrong: p.wrong, Hint: p.hint, InSource: true}}
		if e.Wrong == "" {
			about(&p, e)
		}
		s.read[span] = append(s.read[span], s.add(e))
	}
	return s.read[span]
}

// aboutInstruction says what an ignore in a comment of a Dockerfile is about.
func aboutInstruction(p *pragma, e *entry, c dockerfile.Comment, t scan.Target) {
	file := t.Build.File.Path
	switch {
	case p.scope == "file" && !c.Head:
		e.Wrong, e.Hint = "only at the head of the file can it be about the file", "write it above the first instruction"
	case p.scope == "file" || p.scope == "" && c.Head && c.Apart:
		e.covers = func(ps *scan.Pass, f *scan.Finding) bool {
			return f.At.Source.Path == file || f.At.Source.IsZero() && ps.Image.Predicted
		}
	case c.Instr == nil:
		e.Wrong, e.Hint = "there is no instruction below it", "write it above the instruction that it is about"
	case p.scope == "stage" && c.Instr.Cmd != "FROM":
		e.Wrong, e.Hint = "only above a FROM can it be about a stage", "write it there, or leave scope=stage out"
	case p.scope == "stage":
		from, to := lines(c.Instr.Stage)
		e.covers, e.holds = within(file, from, to), builds(c.Instr.Stage)
	default:
		e.holds = builds(c.Instr.Stage)
		e.covers = within(file, c.Instr.Span.Start, c.Instr.Span.End)
	}
}

// builds reports of a target whether the stage is built for it; nil if it is about none.
// Each target has the file parsed anew.
func builds(s *dockerfile.Stage) func(scan.Target) bool {
	if s == nil {
		return nil
	}
	return func(t scan.Target) bool {
		return t.Build == nil || !slices.ContainsFunc(t.Build.Unused, func(u *dockerfile.Stage) bool { return u.Index == s.Index })
	}
}

// lines are the first and the last line of a stage.
func lines(s *dockerfile.Stage) (from, to int) {
	from, to = s.From.Span.Start, s.From.Span.End
	if n := len(s.Instrs); n > 0 {
		to = s.Instrs[n-1].Span.End
	}
	return from, to
}

// within covers what starts in lines of a file.
func within(file string, from, to int) func(*scan.Pass, *scan.Finding) bool {
	return func(_ *scan.Pass, f *scan.Finding) bool {
		s := f.At.Source
		return s.Path == file && s.Start >= from && s.Start <= to
	}
}

// mentions is in every file that has such a comment, in whatever encoding.
var mentions = regexp.MustCompile(`(?i)s\x00?a\x00?n\x00?d\x00?b\x00?o\x00?x`)

// inManifest returns the ignores in the comments of the files of the target's
// manifest. One stands above a line, or behind what is on it, and is about what
// starts there; or at the file's head, with a blank line below it.
// All workloads of the manifest have the same.
func (s *Ignores) inManifest(m *manifest.Manifest) []*entry {
	if out, known := s.within[m]; known || m == nil {
		return out
	}
	var out []*entry
	for _, f := range m.Files {
		if !mentions.Match(f.Text) {
			continue
		}
		for _, c := range f.Comments() {
			span := dockerfile.Span{Path: f.Name, Start: c.Line, End: c.Line}
			out = append(out, s.once(span, c.Text, scan.Location{Source: span, Manifest: true}, func(p *pragma, e *entry) { aboutLine(p, e, f.Name, c) })...)
		}
	}
	if s.within == nil {
		s.within = map[*manifest.Manifest][]*entry{}
	}
	s.within[m] = out
	return out
}

// aboutLine says what an ignore in a comment of a manifest is about.
func aboutLine(p *pragma, e *entry, file string, c manifest.Comment) {
	switch {
	case p.scope == "stage":
		e.Wrong, e.Hint = "a manifest has no stages", "leave scope=stage out"
	case p.scope == "file" && !c.Head:
		e.Wrong, e.Hint = "only at the head of the file can it be about the file", "write it above the first line"
	case p.scope == "file" || c.Head && c.Apart:
		e.covers = func(_ *scan.Pass, f *scan.Finding) bool { return f.At.Source.Path == file }
		e.holds = runs(file, 0)
	case c.About == 0:
		e.Wrong, e.Hint = "there is nothing below it", "write it above the line that it is about"
	default:
		e.covers, e.holds = within(file, c.About, c.About), runs(file, c.About)
	}
}

// runs reports of a target whether it is the workload that a line of a manifest belongs
// to, or one of the file if the line is 0. What belongs to no workload is of all.
func runs(file string, line int) func(scan.Target) bool {
	return func(t scan.Target) bool {
		if t.Manifest == nil {
			return true
		}
		var of *manifest.Workload // the last that begins before the line, or else the first
		for _, w := range t.Manifest.Workloads {
			switch {
			case w.At.File != file:
			case line == 0 && w == t.Workload:
				return true
			case of == nil, w.At.Line <= line && (w.At.Line > of.At.Line || of.At.Line > line), w.At.Line < of.At.Line && of.At.Line > line:
				of = w
			}
		}
		return of == nil || of == t.Workload
	}
}
