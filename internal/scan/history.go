package scan

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A Recorded is a named value that the history or the Dockerfile records.
type Recorded struct {
	Name, Value string
	At          Location
}

// BuildArgs returns the build arguments on record: those in the image's history,
// where builders write them into each RUN that could use them, and those of the
// Dockerfile with their defaults or given values. One that is recorded more than
// once is there more than once, the ARG itself first.
func (p *Pass) BuildArgs() []Recorded {
	var out []Recorded
	for i, s := range p.recorded() {
		for _, a := range argsOf(s.CreatedBy) {
			at := p.AtStep(i)
			if in := p.trace.setter("Args." + a[0]); in != nil {
				at.Source = in.Span // the ARG, not the RUN that could use it
			}
			out = append(out, Recorded{a[0], a[1], p.field(at, "Args."+a[0])})
		}
	}
	if p.Build == nil {
		return out
	}
	for _, a := range p.Build.Args {
		if a.Known {
			out = append(out, Recorded{a.Name, a.Value, p.field(p.AtInstr(a.Instr), "Args."+a.Name)})
		}
	}
	return out
}

// Overwritten returns the values that variables had before a later ENV gave them
// another: the environment lost them, the history did not.
func (p *Pass) Overwritten() []Recorded {
	var out []Recorded
	add := func(name, value string, at Location) {
		if now, ok := p.Image.Config.Getenv(name); ok && now != value {
			out = append(out, Recorded{name, value, p.field(at, "Env."+name)})
		}
	}
	if p.Image.Predicted {
		for _, s := range p.Build.AllEnv {
			add(s.Name, s.Value, p.AtInstr(s.Instr))
		}
	}
	for i, s := range p.recorded() {
		if cmd, args := instruction(s.CreatedBy); cmd == "ENV" {
			for _, kv := range assignments(args, -1) {
				add(kv[0], kv[1], p.AtStep(i))
			}
		}
	}
	return out
}

// recorded are the steps of which only the history tells: of a predicted image,
// those of its base.
func (p *Pass) recorded() []image.Step {
	if p.Image.Predicted {
		return p.Image.Steps[:p.Image.BaseSteps]
	}
	return p.Image.Steps
}

func (p *Pass) field(at Location, field string) Location {
	at.Layer, at.Field = nil, field
	return at
}

// argsOf returns the build arguments in one history entry: "ARG NAME=value", or
// "RUN |2 A=b C=d /bin/sh -c ...", the number saying how many there are.
func argsOf(createdBy string) [][2]string {
	cmd, args := instruction(createdBy)
	switch cmd {
	case "ARG":
		return assignments(args, -1)
	case "RUN":
		cmd, args, _ = strings.Cut(args, " ")
	}
	count, ok := strings.CutPrefix(cmd, "|")
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		return nil
	}
	return assignments(args, n)
}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*=`)

// assignments splits "A=b c D=e", as history records pairs without quotes, into
// at most n pairs (all if n is -1). With n given, the command that follows the
// last pair starts at the first word with a slash in front.
func assignments(s string, n int) [][2]string {
	var out [][2]string
	for _, w := range strings.Split(s, " ") {
		switch {
		case assignment.MatchString(w) && (n < 0 || len(out) < n):
			name, value, _ := strings.Cut(w, "=")
			out = append(out, [2]string{name, value})
		case len(out) == 0, n >= 0 && len(out) == n && strings.HasPrefix(w, "/"):
			return out
		default:
			out[len(out)-1][1] += " " + w
		}
	}
	return out
}
