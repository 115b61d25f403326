package dockerfile

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// A recorded step is what history may say of it.
type recorded struct {
	instr *Instr
	cmd   string
	texts []string // canonical: one of them, if all is known
	loose []gapped
	dests []gapped // of a COPY that is recorded by a sum
	names []string // of an ARG and those before it in its stage, sorted
	shell []string
}

func record(steps []*Step) []*recorded {
	var out []*recorded
	var names []string
	var stage *Stage
	for _, s := range steps {
		if s.Stage != stage {
			stage, names = s.Stage, nil
		}
		r := &recorded{instr: s.Instr, cmd: s.Instr.Cmd, shell: s.Shell}
		if r.cmd == "ARG" {
			for _, a := range s.Instr.Args {
				name, _, _ := strings.Cut(a, "=")
				names = append(slices.Clip(names), name)
			}
			slices.Sort(names)
			names = slices.Compact(names)
			r.names = names
		}
		r.fill(s)
		out = append(out, r)
	}
	return out
}

// fill sets what dialects may record of the step.
func (r *recorded) fill(s *Step) {
	for _, t := range s.texts() {
		if t = canonical(t); isKnown(t) {
			r.texts = append(r.texts, t)
		} else {
			r.loose = append(r.loose, newGapped(t))
		}
	}
	for _, d := range s.destinations() {
		r.dests = append(r.dests, newGapped(canonical(d)))
	}
	slices.Sort(r.texts)
	r.texts = slices.Compact(r.texts)
}

// is reports whether the entry says what the step says, to the last word that its
// dialect records.
func (r *recorded) is(e *entry) bool {
	if r.cmd != e.cmd || e.sum != "" {
		return false
	}
	for _, t := range r.texts {
		if t == e.body || r.cmd == "RUN" && e.behindArguments(t, r.shell) {
			return true
		}
	}
	return false
}

// maybe reports whether the entry may be about the step: what is known of both
// agrees.
func (r *recorded) maybe(e *entry) bool {
	switch {
	case r.cmd != e.cmd:
		return false
	case e.sum != "":
		return r.brings(e) && slices.ContainsFunc(r.dests, func(p gapped) bool { return p.match(e.dest) })
	case e.names != nil && e.body == "":
		return !slices.ContainsFunc(e.names, func(name string) bool { return !slices.Contains(r.names, name) })
	}
	return r.like(e)
}

func (r *recorded) like(e *entry) bool {
	return slices.ContainsFunc(r.loose, func(p gapped) bool { return p.match(e.body) })
}

// brings reports whether the sum of an entry can be of the step's sources: of
// one or of several, and of a file that is in the layer by its old or new name.
func (r *recorded) brings(e *entry) bool {
	sources := r.instr.Args[:max(len(r.instr.Args)-1, 0)]
	if e.sum == nothing || len(r.instr.Heredocs) > 0 || slices.ContainsFunc(r.instr.Args, func(s string) bool { return strings.ContainsAny(s, "*?[$") }) {
		return true
	}
	if (e.sum == "multi") != (len(sources) > 1) {
		return false
	}
	if e.sum != "file" || e.holds == nil || r.cmd != "COPY" {
		return true
	}
	return e.holds(path.Base(sources[0])) || e.holds(path.Base(r.instr.Args[1]))
}

// texts returns what dialects may record of a step, with marks where any text may
// stand.
func (s *Step) texts() []string {
	in := s.Instr
	args := strings.Join(s.marked, " ")
	_, line, _ := strings.Cut(strings.TrimSpace(in.line), " ")
	line = strings.TrimSpace(line)
	bare := leadFlags.ReplaceAllString(line, "")
	switch in.Cmd {
	case "RUN":
		return s.commands(args, line, bare)
	case "CMD", "ENTRYPOINT":
		if !in.Exec {
			args = strings.Join(s.Shell, " ") + " " + args
		}
	case "ARG":
		var names, given []string
		for _, a := range in.Args {
			name, _, _ := strings.Cut(a, "=")
			names = append(names, name)
			given = append(given, name+"="+anyText) // a value that only the build knew
		}
		slices.Sort(names)
		return []string{args, bare, strings.Join(names, " "), strings.Join(given, " ")}
	case "HEALTHCHECK":
		return append(health(in), bare)
	case "WORKDIR":
		if s.Dir == "" { // it is relative to what the base has
			return []string{args, bare, anyText + "/" + args}
		}
	case "EXPOSE":
		ports := eachPort(s.marked)
		args = strings.Join(ports, " ")
		slices.Sort(ports)
		return []string{args, strings.Join(ports, " "), bare}
	}
	return []string{args, bare}
}

// commands returns what dialects may record of a RUN: its shell and what that
// executes; or, whatever the shell, "/bin/sh -c" and the line with its flags and
// heredocs; or the line.
func (s *Step) commands(args, line, bare string) []string {
	in := s.Instr
	if !in.Exec {
		args = strings.Join(s.Shell, " ") + " " + args
	}
	const sh = "/bin/sh -c "
	out := []string{args, bare}
	if len(in.Heredocs) > 0 {
		out = append(out, bare+" ("+anyText)
	}
	var bodies strings.Builder
	for _, h := range in.Heredocs {
		bodies.WriteString("\n" + h.Body)
	}
	for _, l := range []string{line + bodies.String(), bare + bodies.String()} {
		out = append(out, sh+l)
	}
	return out
}

// health returns how a HEALTHCHECK reads as the value that it sets, printed by
// BuildKit ("%+v") and by the classic builder ("%q"), before and after both had a
// start interval.
func health(in *Instr) []string {
	c, ok := in.form.(*instructions.HealthCheckCommand)
	if !ok {
		return nil
	}
	type old struct {
		Test                           []string
		Interval, Timeout, StartPeriod time.Duration
		Retries                        int
	}
	type current struct {
		Test                                          []string
		Interval, Timeout, StartPeriod, StartInterval time.Duration
		Retries                                       int
	}
	h := c.Health
	var out []string
	for _, v := range []any{
		old{h.Test, h.Interval, h.Timeout, h.StartPeriod, h.Retries},
		current{h.Test, h.Interval, h.Timeout, h.StartPeriod, h.StartInterval, h.Retries},
	} {
		out = append(out, fmt.Sprintf("%+v", v), "&"+fmt.Sprintf("%q", v))
	}
	return out
}

// maxPorts is how many ports of ranges are written out one by one.
const maxPorts = 1000

// eachPort writes out ranges, as builders do in history.
func eachPort(ports []string) []string {
	var out []string
	for _, p := range ports {
		port, proto, _ := strings.Cut(p, "/")
		first, last, isRange := strings.Cut(port, "-")
		lo, err := strconv.Atoi(first)
		hi, err2 := strconv.Atoi(last)
		if !isRange || err != nil || err2 != nil || len(out)+hi-lo > maxPorts {
			out = append(out, p)
			continue
		}
		for n := lo; n <= hi; n++ {
			out = append(out, strconv.Itoa(n)+"/"+proto)
		}
	}
	return out
}

// destinations returns what dialects may record as the destination of a COPY.
func (s *Step) destinations() []string {
	if len(s.marked) < 2 || s.Instr.Cmd != "COPY" && s.Instr.Cmd != "ADD" {
		return nil
	}
	dest := s.marked[len(s.marked)-1]
	out := []string{dest, s.Instr.Args[len(s.Instr.Args)-1]}
	if isKnown(dest) {
		abs := s.abs(dest)
		out = append(out, abs, abs+"/")
	}
	return out
}
