package report

import (
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

type (
	// An htmlLaunch is what happens when the container runs, in order, drawn as a
	// line that passes through the files in which it happens.
	htmlLaunch struct {
		ID     string
		Number int
		Before int // steps left out at the beginning
		Lanes  int
		Told   bool // as whom the steps happen
		Steps  []htmlLaunchStep
		Shows  []string // what it leads to: rules by id
	}
	htmlLaunchStep struct {
		Number int
		Place  string
		Text   string
		Lane   int // of the file, from 0
		X      int // of the lane's line
		Left   int // of the mark there
		From   int // X of the step before
		Phase  string
		Was    string // the phase of the step before
		As     string // as whom, where that changes; else empty
		First  bool   // of those shown
		Last   bool
	}
	// launches are the launch sequences of one target, each drawn once.
	launches struct {
		drawn []htmlLaunch
		ids   map[string]string // by what they tell
	}
)

// phase is "root" or "user" for a step that happens as root or as anyone else, which
// the drawing tells apart by colour and by shape; empty if nobody told.
func phase(n scan.Note) string {
	switch n.As {
	case "":
		return ""
	case "root":
		return "root"
	}
	return "user"
}

// mostLanes is how many files have a line of their own; others share the last.
const mostLanes = 6

// mostDrawn is how many steps are drawn: the last ones decide.
const mostDrawn = 60

// htmlLaunches draws what the evidence and the findings of a target tell.
func (r *Report) htmlLaunches(id string, t Target) *launches {
	l := &launches{ids: map[string]string{}}
	target := &t.Result.Target
	for _, f := range t.Result.Findings {
		l.draw(r, id, target, f.Flow, f.Rule.ID)
	}
	for _, v := range t.Checklist {
		for _, e := range v.Evidence {
			l.draw(r, id, target, e.Flow, e.Rule)
		}
	}
	return l
}

func (l *launches) draw(r *Report, id string, t *scan.Target, flow []scan.Note, rule string) {
	if len(flow) == 0 {
		return
	}
	key := launchKey(r, t, flow)
	for i := range l.drawn {
		if have := &l.drawn[i]; have.ID == l.ids[key] {
			if !strings.Contains(strings.Join(have.Shows, " "), rule) {
				have.Shows = append(have.Shows, rule)
			}
			return
		}
	}
	n := len(l.drawn) + 1
	l.ids[key] = htmlID(id+"-launch", n)
	l.drawn = append(l.drawn, r.htmlLaunch(l.ids[key], n, t, flow, rule))
}

// id is that of the drawing of a flow; empty if there is nothing to draw.
func (l *launches) id(r *Report, t *scan.Target, flow []scan.Note) string {
	if len(flow) == 0 {
		return ""
	}
	return l.ids[launchKey(r, t, flow)]
}

func launchKey(r *Report, t *scan.Target, flow []scan.Note) string {
	var b strings.Builder
	for _, n := range flow {
		fmt.Fprintf(&b, "%q %q\n", r.stepPlace(n.At, t), n.Message)
	}
	return b.String()
}

func (r *Report) htmlLaunch(id string, number int, t *scan.Target, flow []scan.Note, rule string) htmlLaunch {
	out := htmlLaunch{ID: id, Number: number, Before: max(0, len(flow)-mostDrawn), Shows: nonEmpty(rule)}
	lanes := map[string]int{}
	var last htmlLaunchStep
	shown := flow[out.Before:]
	for i, n := range shown {
		file := n.At.Path
		if file == "" {
			file = n.At.Source.Path
		}
		lane, ok := lanes[file]
		if !ok {
			lane = min(len(lanes), mostLanes-1)
			lanes[file] = lane
		}
		const first, apart, half = 12, 20, 5 // pixels
		step := htmlLaunchStep{
			Number: out.Before + i + 1, Place: r.stepPlace(n.At, t), Text: r.sentence(n.Message),
			Lane: lane, X: first + apart*lane, Left: first + apart*lane - half, From: last.X, Phase: phase(n), Was: last.Phase,
			First: i == 0, Last: i == len(shown)-1,
		}
		if i == 0 || n.As != shown[i-1].As {
			step.As = r.clean(n.As)
		}
		out.Lanes, out.Told = max(out.Lanes, lane+1), out.Told || step.Phase != ""
		out.Steps, last = append(out.Steps, step), step
	}
	return out
}
