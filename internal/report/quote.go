package report

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// A quoter quotes lines of Dockerfiles and history entries of one target. It
// leaves out those that a finding about a secret points to, as the finding has
// told what can be told, and instructions that were not understood, as nobody
// knows where a value ends in them. It masks the rest.
type quoter struct {
	*Report
	target *scan.Target
	lines  map[string]map[int]bool // withheld, by Dockerfile and line
	steps  map[int]bool            // withheld history entries
}

func (r *Report) quoter(res *scan.Result) *quoter {
	q := &quoter{r, &res.Target, map[string]map[int]bool{}, map[int]bool{}}
	for _, f := range slices.Concat(res.Findings, res.Ignored) {
		if !aboutSecret(f.Rule) {
			continue
		}
		q.withhold(f.At)
		for _, at := range f.Places {
			q.withhold(at)
		}
		for _, n := range f.Notes {
			q.withhold(n.At)
		}
	}
	if b := res.Target.Build; b != nil {
		for _, p := range b.File.Problems {
			if p.Fatal {
				q.withhold(scan.Location{Source: p.Span})
			}
		}
	}
	return q
}

// aboutSecret reports whether what a rule points to may be a secret itself.
func aboutSecret(r *scan.Rule) bool {
	return r.Step == scan.Environment || strings.HasPrefix(r.Name, "secret-") || strings.HasSuffix(r.Name, "-password")
}

func (q *quoter) withhold(at scan.Location) {
	if at.Step > 0 {
		q.steps[at.Step-1] = true
	}
	if at.Layer != nil {
		q.steps[at.Layer.Step] = true
	}
	s := at.Source
	if s.IsZero() {
		return
	}
	if q.lines[s.Path] == nil {
		q.lines[s.Path] = map[int]bool{}
	}
	for n := s.Start; n <= s.End; n++ {
		q.lines[s.Path][n] = true
	}
}

// most is how many lines of one instruction are quoted.
const most = 6

// excerpt returns lines of the instruction at l, clean, the number of the first of
// them, and how many more follow; none if they can't be quoted. They are its first
// ones, or those around the part that l is about.
func (q *quoter) excerpt(l scan.Location) (lines []string, first, more int) {
	s := l.Source
	if q.Snippet == nil || q.Mask == nil || s.IsZero() {
		return nil, 0, 0
	}
	for n := s.Start; n <= s.End; n++ {
		if q.lines[s.Path][n] {
			return nil, 0, 0
		}
	}
	first = s.Start
	if at := l.Focus.Start.Line; at >= first+most {
		first = max(first, min(at-most/2, s.End-most+1))
	}
	last := min(s.End, first+most-1)
	for _, line := range q.Snippet(s.Path, first, last) {
		lines = append(lines, q.shown(line))
	}
	return lines, first, s.End - last
}

// shown is a line of a Dockerfile as it is quoted.
func (q *quoter) shown(line string) string {
	return q.clean(strings.ReplaceAll(strings.TrimPrefix(line, "\ufeff"), "\t", "    "))
}

// createdBy returns the instruction that made the layer at l, as history records
// it, clean and without the values of build arguments; empty if it is not known
// or can't be quoted.
func (q *quoter) createdBy(l scan.Location) string {
	img := q.target.Image
	if l.Layer == nil || q.Mask == nil || img.Predicted {
		return ""
	}
	i := l.Layer.Step
	if i < 0 || i >= len(img.Steps) || q.steps[i] {
		return ""
	}
	return q.clean(instruction(img.Steps[i].CreatedBy))
}

var (
	nop       = regexp.MustCompile(`^/bin/sh -c #\(nop\)\s+`)
	buildArgs = regexp.MustCompile(`^(?:RUN )?\|[0-9]+ `)
	shell     = regexp.MustCompile(`^(?:RUN )?/bin/sh -c `)
)

// instruction is a history entry as it stood in the Dockerfile, more or less:
// "RUN |1 TOKEN=x /bin/sh -c make # buildkit" is "RUN make".
func instruction(createdBy string) string {
	s := strings.TrimSuffix(createdBy, " # buildkit")
	switch {
	case nop.MatchString(s):
		return nop.ReplaceAllString(s, "")
	case buildArgs.MatchString(s):
		// Values may hold anything, so without the shell that follows them
		// nobody knows where they end.
		const sh = " /bin/sh -c "
		if i := strings.LastIndex(s, sh); i >= 0 {
			return "RUN " + s[i+len(sh):]
		}
		return "RUN ..."
	}
	return shell.ReplaceAllString(s, "RUN ")
}
