package report

import (
	"regexp"
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
	for _, f := range res.Findings {
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

// snippet returns the first lines of the instruction at l, clean, and how many
// more it has; none if they can't be quoted.
func (q *quoter) snippet(l scan.Location) (lines []string, more int) {
	s := l.Source
	if q.Snippet == nil || q.Mask == nil || s.IsZero() {
		return nil, 0
	}
	for n := s.Start; n <= s.End; n++ {
		if q.lines[s.Path][n] {
			return nil, 0
		}
	}
	for _, line := range q.Snippet(s.Path, s.Start, min(s.End, s.Start+most-1)) {
		lines = append(lines, q.clean(strings.ReplaceAll(line, "\t", "    ")))
	}
	return lines, max(0, s.End-s.Start+1-most)
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
