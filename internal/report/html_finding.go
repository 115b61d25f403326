package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

type (
	// An htmlStep holds the findings of one step of the checklist.
	htmlStep struct {
		ID       string
		Name     string
		Findings []htmlFinding
	}
	htmlFinding struct {
		ID       string
		Rule     string
		Name     string
		Level    string
		Step     string
		Line     string // of the Dockerfile: "Dockerfile:3"; empty if unknown
		Message  string
		Code     []htmlLine
		CodeMore int  // further lines of the instruction
		Withheld bool // the line is known and not shown
		Place    string
		Places   []string
		MoreN    int // further places, not listed
		By       string
		Notes    []string
		Launch   string // id of the launch sequence that leads to it; empty if none
		Fix      string
		Patch    *htmlPatch
	}
	// An htmlLine is a line of a Dockerfile, with the part concerned marked, if that
	// is known.
	htmlLine struct {
		N                     int
		Before, Marked, After string
	}
	// An htmlPatch is what mends a finding.
	htmlPatch struct {
		Text  string
		Safe  bool
		Lines []htmlChange
	}
	htmlChange struct{ Sign, Place, Text string }
	// An htmlRule is what the page tells of a rule that found something.
	htmlRule struct {
		ID, Name, Level, URI string
		Finds, Why, Fix      []htmlBlock
	}
	htmlBlock struct {
		Kind  string // "p", "item" or "pre"
		Spans []htmlSpan
	}
	htmlSpan struct {
		Code bool
		Text string
	}
)

// htmlID names a part of the page.
func htmlID(prefix string, n int) string { return fmt.Sprintf("%s%d", prefix, n) }

func (r *Report) htmlSteps(id string, q *quoter, res *scan.Result, launches *launches) []htmlStep {
	var out []htmlStep
	for i, f := range res.Findings {
		name := f.Rule.Step.String()
		if n := len(out); n == 0 || out[n-1].Name != name {
			out = append(out, htmlStep{ID: htmlID(id+"-s", n+1), Name: name})
		}
		s := &out[len(out)-1]
		s.Findings = append(s.Findings, r.htmlFinding(htmlID(id+"-f", i+1), q, f, launches))
	}
	return out
}

// mostListed is how many places of a finding the page lists.
const mostListed = 100

func (r *Report) htmlFinding(id string, q *quoter, f *scan.Finding, launches *launches) htmlFinding {
	out := htmlFinding{
		ID: id, Rule: f.Rule.ID, Name: f.Rule.Name, Level: f.Level.String(), Step: f.Rule.Step.String(),
		Message: r.sentence(f.Message), By: q.createdBy(f.At), Launch: launches.id(r, q.target, f.Flow),
		Fix: firstSentence(r.doc(f.Rule.ID).Fix), Patch: r.htmlPatch(q, f),
	}
	if !f.At.Source.IsZero() {
		out.Line = r.line(f.At.Lines())
		lines, first, more := q.excerpt(f.At)
		for i, line := range lines {
			out.Code = append(out.Code, q.htmlLine(f.At, first+i, line))
		}
		out.CodeMore, out.Withheld = more, q.withheld(f.At)
	}
	if len(f.Places) == 0 {
		out.Place = r.inImage(f.At, q.target)
	}
	for i, at := range f.Places {
		if i == mostListed {
			out.MoreN = len(f.Places) - i
			break
		}
		if where := r.htmlListed(at, q.target); where != "" {
			out.Places = append(out.Places, where)
		}
	}
	for _, n := range f.Notes {
		out.Notes = append(out.Notes, r.told(n, q.target))
	}
	return out
}

// htmlListed is one of several places: in a manifest by its line and its setting, as
// several settings may stand on one line.
func (r *Report) htmlListed(at scan.Location, t *scan.Target) string {
	if at.Manifest {
		return strings.Join(nonEmpty(r.htmlPlace(at, t), r.clean(at.Field)), " ")
	}
	return cmp.Or(r.inImage(at, t), r.htmlPlace(at, t), r.clean(at.Field))
}

func (q *quoter) htmlLine(at scan.Location, n int, line string) htmlLine {
	from, marked := q.underlined(at, n, line)
	if marked == 0 {
		return htmlLine{N: n, Before: line}
	}
	runes := []rune(line)
	return htmlLine{n, string(runes[:from]), string(runes[from : from+marked]), string(runes[from+marked:])}
}

// htmlPatch is the patch of a finding as a short diff; nil if there is none that can
// be shown.
func (r *Report) htmlPatch(q *quoter, f *scan.Finding) *htmlPatch {
	if f.Fix == nil || r.Snippet == nil || r.Mask == nil {
		return nil
	}
	out := &htmlPatch{Text: r.sentence(f.Fix.Description), Safe: f.Fix.Safe}
	for _, h := range fix.Hunks(f.Fix.Edits, r.Snippet) {
		for _, c := range q.changed(h) {
			place := fmt.Sprint(c.number)
			if h.Path != f.At.Source.Path {
				place = r.clean(h.Path)
			}
			if len(out.Lines) < mostListed {
				out.Lines = append(out.Lines, htmlChange{c.sign, place, c.text})
			}
		}
	}
	return out
}

// withheld reports whether a line could be shown if it were not for what may stand
// in it.
func (q *quoter) withheld(at scan.Location) bool {
	s := at.Source
	for n := s.Start; n <= s.End; n++ {
		if q.lines[s.Path][n] {
			return q.Snippet != nil
		}
	}
	return false
}

// htmlRules are the rules that found something, by id.
func (r *Report) htmlRules() []htmlRule {
	seen := map[string]bool{}
	var out []htmlRule
	for _, t := range r.Targets {
		for _, f := range t.Result.Findings {
			if seen[f.Rule.ID] {
				continue
			}
			seen[f.Rule.ID] = true
			d := r.doc(f.Rule.ID)
			out = append(out, htmlRule{
				ID: f.Rule.ID, Name: f.Rule.Name, Level: f.Rule.Level.String(), URI: d.URI,
				Finds: blocks(cmp.Or(d.Finds, capital(f.Rule.Title)+".")), Why: blocks(d.Why), Fix: blocks(d.Fix),
			})
		}
	}
	slices.SortFunc(out, func(a, b htmlRule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// blocks parts a page in Markdown into paragraphs, items of lists and code.
func blocks(markdown string) []htmlBlock {
	var out []htmlBlock
	var lines []string
	kind := "p"
	flush := func(next string) {
		if text := strings.Join(lines, "\n"); strings.TrimSpace(text) != "" {
			if kind == "pre" {
				out = append(out, htmlBlock{kind, []htmlSpan{{Text: text}}})
			} else {
				out = append(out, htmlBlock{kind, spans(strings.Join(strings.Fields(text), " "))})
			}
		}
		lines, kind = nil, next
	}
	for _, line := range strings.Split(markdown, "\n") {
		item, isItem := strings.CutPrefix(line, "- ")
		switch {
		case strings.HasPrefix(line, "```") && kind == "pre":
			flush("p")
		case strings.HasPrefix(line, "```"):
			flush("pre")
		case kind == "pre":
			lines = append(lines, line)
		case isItem:
			flush("item")
			lines = append(lines, item)
		case strings.TrimSpace(line) == "":
			flush("p")
		default:
			lines = append(lines, line)
		}
	}
	flush("p")
	return out
}

// spans parts a paragraph into text and code.
func spans(paragraph string) []htmlSpan {
	var out []htmlSpan
	text := strings.ReplaceAll(link.ReplaceAllString(paragraph, "$1 ($2)"), "**", "")
	for i, s := range strings.Split(text, "`") {
		if s != "" {
			out = append(out, htmlSpan{i%2 == 1, s})
		}
	}
	return out
}
