package fix

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// Unset takes a variable out of the ENV or ARG that sets it. The RUNs that name it get
// it as a secret of the build instead (Dockerfile reference, "RUN --mount=type=secret",
// with env from Dockerfile 1.10 on). It is nil if another instruction expands it.
func Unset(b *dockerfile.Build, at dockerfile.Span, name string) *scan.Fix {
	in := b.File.Find(at)
	if in == nil || in.Stage == nil || in.Cmd != "ENV" && in.Cmd != "ARG" || !variable.MatchString(name) {
		return nil
	}
	l := b.File.Layout(in)
	gone := l.PairGap(name)
	switch {
	case l.Pair(name).IsZero():
		return nil
	case gone.IsZero() && alone(l):
		gone = lines(in.Span)
	case gone.IsZero():
		return nil
	}
	f := &scan.Fix{Description: "remove " + name, Edits: []scan.Edit{edit(in, gone, "")}}
	runs, ok := mentions(b, in, name)
	if !ok {
		return nil
	}
	for _, run := range runs {
		front := b.File.Layout(run).Front()
		if run.Exec || front.IsZero() {
			return nil
		}
		f.Edits = append(f.Edits, edit(run, front, "--mount=type=secret,id="+name+",env="+name+" "))
	}
	switch {
	case len(runs) > 0:
		f.Description += ", and give it to what needs it with docker build --secret id=" + name
	case in.Cmd == "ENV":
		f.Description += ", and give it to the container when it starts"
	default:
		f.Description += ", which no RUN names"
	}
	f.Description += "; revoke the value that stood here"
	scan.SortEdits(f.Edits)
	return f
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// alone reports whether an ENV or ARG sets one variable.
func alone(l *dockerfile.Layout) bool {
	text, _ := l.Command()
	return len(l.Words()) == 1 || !strings.Contains(strings.Fields(text + " x")[0], "=")
}

// maxSearched is how many instructions are searched for each variable: people write
// fewer.
const maxSearched = 1000

// mentions returns the RUNs after an ENV or ARG that name its variable; ok is false if
// something else does, or sets it again.
func mentions(b *dockerfile.Build, set *dockerfile.Instr, name string) (runs []*dockerfile.Instr, ok bool) {
	n := 0
	for _, st := range b.File.Stages {
		n += len(st.Instrs)
	}
	if n > maxSearched {
		return nil, false
	}
	use := regexp.MustCompile(`\$\{?` + name + `\b`)
	again := regexp.MustCompile(`^\s*(?i:ENV|ARG)\s(.*\s)?` + name + `([=\s]|$)`)
	for _, st := range b.File.Stages {
		if st.Index < set.Stage.Index {
			continue
		}
		for _, in := range st.Instrs {
			switch {
			case st == set.Stage && in.Span.Start <= set.Span.Start, !strings.Contains(in.Text, name):
			case !use.MatchString(in.Text):
				if again.MatchString(in.Text) {
					return nil, false
				}
			case in.Cmd != "RUN":
				return nil, false
			case st == set.Stage || set.Cmd == "ENV" && slices.Contains(b.Chain, st):
				runs = append(runs, in)
			}
		}
	}
	return runs, true
}
