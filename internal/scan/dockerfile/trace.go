package dockerfile

import (
	"regexp"
	"strings"
)

// maxCells bounds the table of an alignment; longer histories are aligned from
// their end, entry by entry.
const maxCells = 1 << 20

// Trace says which instruction of the target stage, or of a stage it is based
// on, made each entry of an image's history. The result has one element per
// entry; nil means unknown, as it is for everything the base image did.
//
// It aligns the two sequences, best total score first, so one unrecognized entry
// costs one answer and not all after it. Entries of the base are a prefix, so a
// lone match far from the others is not believed.
func Trace(b *Build, history []History) []*Instr {
	out := make([]*Instr, len(history))
	if b == nil || len(b.Steps) == 0 || len(history) == 0 {
		return out
	}
	entries := make([]entry, len(history))
	for i, h := range history {
		entries[i] = readEntry(h)
	}
	steps := make([]recorded, len(b.Steps))
	for i, s := range b.Steps {
		steps[i] = recorded{s.Instr, s.MakesLayer(), s.texts(), s.destinations()}
	}
	if (len(entries)+1)*(len(steps)+1) > maxCells {
		follow(entries, steps, out)
	} else {
		align(entries, steps, out)
	}
	return out
}

// A recorded step is what history may say of it.
type recorded struct {
	instr *Instr
	layer bool
	texts []string
	dests []string
}

// What a pair is worth, and one more if both made a layer or neither did. An
// entry that stays without a partner costs one.
const (
	exact    = 6 // the text is the same
	partly   = 4 // the same but for variables without a value, or the destination
	kindOnly = 2 // the same instruction, and nothing else is known
)

func (r *recorded) score(e entry) int32 {
	if r.instr.Cmd != e.cmd {
		return 0
	}
	s := r.likeness(e)
	if s > 0 && r.layer != e.empty {
		s++
	}
	return s
}

func (r *recorded) likeness(e entry) int32 {
	if e.dest != "" {
		for _, d := range r.dests {
			if s := like(d, e.dest); s > 0 {
				return min(s, partly)
			}
		}
		return 0
	}
	best := int32(0)
	for _, t := range r.texts {
		best = max(best, like(t, e.body))
		if e.cmd == "RUN" && best < exact {
			best = max(best, likeCommand(t, e.body))
		}
	}
	return best
}

// likeCommand compares a RUN with an entry that has the build arguments in front
// ("|1 A=b"), or Buildah's shell in front of an exec form.
func likeCommand(text, body string) int32 {
	if rest, ok := strings.CutPrefix(body, "/bin/sh -c "); ok {
		return like(text, rest)
	}
	if strings.HasPrefix(body, "|") && text != "" && isKnown(text) && strings.HasSuffix(body, " "+text) {
		return exact
	}
	return 0
}

var marks = regexp.MustCompile(string(markOpen) + `[^` + string(markClose) + `]*` + string(markClose))

// like compares text, in which marks stand for anything, with what is recorded.
func like(text, recorded string) int32 {
	if isKnown(text) {
		if text == recorded {
			return exact
		}
		return 0
	}
	parts := marks.Split(text, -1)
	first, last := parts[0], parts[len(parts)-1]
	if len(first)+len(last) > len(recorded) || !strings.HasPrefix(recorded, first) || !strings.HasSuffix(recorded, last) {
		return 0
	}
	rest := recorded[len(first) : len(recorded)-len(last)]
	literal := len(first) + len(last)
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return 0
		}
		rest = rest[i+len(p):]
		literal += len(p)
	}
	if literal == 0 {
		return kindOnly
	}
	return partly
}

// align finds the pairs with the best total score.
func align(entries []entry, steps []recorded, out []*Instr) {
	n, m := len(entries), len(steps)
	best := make([]int32, (n+1)*(m+1)) // of entries[i:] with steps[j:], at i*(m+1)+j
	at := func(i, j int) *int32 { return &best[i*(m+1)+j] }
	pairs := make([]int32, n*m)
	for i := n - 1; i >= 0; i-- {
		*at(i, m) = *at(i+1, m) - 1
		for j := m - 1; j >= 0; j-- {
			v := max(*at(i+1, j)-1, *at(i, j+1))
			if s := steps[j].score(entries[i]); s > 0 {
				pairs[i*m+j] = s
				v = max(v, s+*at(i+1, j+1))
			}
			*at(i, j) = v
		}
	}
	start := n
	for i := n - 1; i >= 0; i-- { // what comes before is the base's
		if *at(i, 0) > *at(start, 0) {
			start = i
		}
	}
	for i, j := start, 0; i < n && j < m; {
		s := pairs[i*m+j]
		switch {
		case s > 0 && *at(i, j) == s+*at(i+1, j+1):
			out[i] = steps[j].instr
			i, j = i+1, j+1
		case *at(i, j) == *at(i, j+1):
			j++
		default:
			i++
		}
	}
}

// window is how many steps are passed over in search of one entry's.
const window = 200

// follow pairs entries with steps from the end on, nearest first.
func follow(entries []entry, steps []recorded, out []*Instr) {
	j := len(steps) - 1
	for i := len(entries) - 1; i >= 0 && j >= 0; i-- {
		for k := j; k >= 0 && k > j-window; k-- {
			if steps[k].score(entries[i]) >= exact {
				out[i] = steps[k].instr
				j = k - 1
				break
			}
		}
	}
}
