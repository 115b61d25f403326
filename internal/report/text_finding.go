package report

import (
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// margin is where the text of a finding starts: behind the word for its level.
const margin = 11

// mostPlaces is how many places of a finding the text lists, of a note as many as
// its message names.
const (
	mostPlaces = 8
	namedInMsg = 3
)

func (r *Report) textFinding(p *page, q *quoter, f *scan.Finding, helped map[*scan.Rule]bool) {
	head := p.style(bold, f.Rule.ID) + " " + f.Rule.Name
	if !f.At.Source.IsZero() {
		head += "  " + r.line(f.At.Lines())
	}
	p.put("  "+p.style(levelColor(f.Level), fmt.Sprintf("%-7s", f.Level))+"  ", margin, head)
	body := strings.Repeat(" ", margin)
	p.put(body, margin, r.sentence(f.Message))
	r.textSnippet(p, q, f.At)
	if len(f.Places) > namedInMsg {
		most := mostPlaces
		if f.Level == scan.LevelNote {
			most = namedInMsg
		}
		r.textPlaces(p, q, f.Places, most)
	} else if where := r.inImage(f.At, q.target); where != "" {
		p.put(body, margin, p.style(dim, where))
	}
	if by := q.createdBy(f.At); by != "" {
		p.put(body, margin, p.style(dim, cut("by: "+by, p.width-margin)))
	}
	for _, n := range f.Notes {
		p.put(body+"- ", margin+2, r.told(n, q.target))
	}
	r.textFlow(p, margin, f.Flow, q.target)
	r.textFix(p, q, f)
	if fix := firstSentence(r.doc(f.Rule.ID).Fix); fix != "" && !helped[f.Rule] {
		helped[f.Rule] = true
		p.put(body+p.style(dim, "help: "), margin+6, fix)
	}
}

// told is a note with its place, as one sentence.
func (r *Report) told(n scan.Note, t *scan.Target) string {
	text := r.sentence(n.Message)
	if !n.At.Source.IsZero() {
		return r.line(n.At.Source) + ": " + text
	}
	if where := r.inImage(n.At, t); where != "" {
		text += " (" + where + ")"
	}
	return text
}

// mostSteps is how many steps of a flow the text lists: the last ones decide.
const mostSteps = 12

// textFlow lists what happens in order, numbered, each step with its file and line.
func (r *Report) textFlow(p *page, indent int, flow []scan.Note, t *scan.Target) {
	left := max(0, len(flow)-mostSteps)
	if left > 0 {
		p.put(strings.Repeat(" ", indent), indent, p.style(dim, fmt.Sprintf("(after %s)", plural(left, "step"))))
	}
	for i, n := range flow[left:] {
		label := fmt.Sprintf("%*s%d. ", indent, "", left+i+1)
		text := r.sentence(n.Message)
		if at := r.stepPlace(n.At, t); at != "" {
			text = at + "  " + text
		}
		p.put(label, len(label), text)
	}
}

// stepPlace is the file and line of a step: "/app/main.pyc:12".
func (r *Report) stepPlace(at scan.Location, t *scan.Target) string {
	switch {
	case at.Path != "" && at.Line > 0:
		return fmt.Sprintf("%s:%d", r.clean(at.Path), at.Line)
	case at.Path != "":
		return r.clean(at.Path)
	case !at.Source.IsZero():
		return r.line(at.Source)
	}
	return r.inImage(at, t)
}

func (r *Report) textPlaces(p *page, q *quoter, places []scan.Location, most int) {
	body := strings.Repeat(" ", margin)
	for i, at := range places {
		if i == most {
			p.put(body, margin, p.style(dim, fmt.Sprintf("and %d more", len(places)-i)))
			return
		}
		where := r.inImage(at, q.target)
		switch {
		case where == "" && at.Field != "":
			where = r.clean(at.Field)
		case where == "" && !at.Source.IsZero():
			where = r.line(at.Source)
		}
		if where != "" {
			p.put(body+"- ", margin+2, where)
		}
	}
}

// inImage says where in the image something is and whether a container sees it:
// "layer 3 sha256:0123456789ab /etc/passwd:2 (deleted in layer 5)"; empty if it is
// in no layer, file or setting. Left out are the layers of a predicted image, which
// are no one's name for anything, and a setting whose line is known.
func (r *Report) inImage(at scan.Location, t *scan.Target) string {
	var parts []string
	if at.Layer != nil && !t.Image.Predicted {
		parts = append(parts, layerName(at.Layer))
		if at.Layer.DiffID != "" {
			parts = append(parts, r.clean(shortDigest(at.Layer.DiffID)))
		}
	}
	switch {
	case at.Path != "" && at.Line > 0:
		parts = append(parts, fmt.Sprintf("%s:%d", r.clean(at.Path), at.Line))
	case at.Path != "":
		parts = append(parts, r.clean(at.Path))
	case at.Field != "" && at.Source.IsZero():
		parts = append(parts, r.clean(setting(at.Field)))
	}
	if s := r.ending(at, t); s != "" {
		parts = append(parts, "("+s+")")
	}
	return strings.Join(parts, " ")
}

// ending says how a later layer ended the file at a location; empty if none did.
func (r *Report) ending(at scan.Location, t *scan.Target) string {
	s := state(at)
	switch s {
	case "", "live":
		return ""
	case "perhaps":
		s = "perhaps changed or removed"
	}
	if by := at.File.Fate.By; by != nil && !t.Image.Predicted {
		return s + " in " + layerName(by)
	}
	return s + " later"
}

func levelColor(l scan.Level) string {
	switch l {
	case scan.LevelError:
		return red
	case scan.LevelWarning:
		return yellow
	}
	return cyan
}
