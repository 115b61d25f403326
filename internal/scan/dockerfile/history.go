package dockerfile

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/command"
)

// History is one entry of an image's history.
type History struct {
	CreatedBy string
	Empty     bool // made no layer
}

// An entry is a history entry, taken apart. Builders record instructions in
// dialects of their own: BuildKit the expanded instruction; the classic builder
// and Buildah the same behind "/bin/sh -c #(nop)", a RUN as the bare command,
// and COPY by the sum of what it brought; Kaniko the instruction as written.
type entry struct {
	empty bool
	cmd   string // upper case
	body  string // canonical
	dest  string // of a COPY or ADD that is recorded by a sum; canonical
}

var (
	nop       = regexp.MustCompile(`^(?:/\S+|cmd|powershell)(?: [-/]\S+| pipefail)* +#\(nop\) +`)
	leadFlags = regexp.MustCompile(`^(?:--\S+\s+)+`)
	copySum   = regexp.MustCompile(`^(?:file|dir|multi):[0-9a-f]+ in (.*)$`)
)

func readEntry(h History) entry {
	s := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(h.CreatedBy), "# buildkit"))
	s = nop.ReplaceAllString(s, "")
	cmd, body, _ := strings.Cut(s, " ")
	if _, ok := command.Commands[strings.ToLower(cmd)]; !ok || cmd != strings.ToUpper(cmd) {
		return entry{empty: h.Empty, cmd: "RUN", body: canonical(s)}
	}
	e := entry{empty: h.Empty, cmd: cmd, body: canonical(leadFlags.ReplaceAllString(strings.TrimSpace(body), ""))}
	if m := copySum.FindStringSubmatch(e.body); m != nil {
		e.dest = m[1]
	}
	return e
}

// punctuation is what dialects differ in.
var punctuation = strings.NewReplacer("[", " ", "]", " ", `"`, "", `'`, "", ",", " ", `\`, "")

// canonical reduces text to what all dialects have in common.
func canonical(s string) string { return strings.Join(strings.Fields(punctuation.Replace(s)), " ") }

const anyText = string(markOpen) + string(markClose)

// texts returns what dialects may record of a step, canonical, with marks where
// any text may stand.
func (s *Step) texts() []string {
	in := s.Instr
	args := strings.Join(s.marked, " ")
	var out []string
	switch in.Cmd {
	case "RUN", "CMD", "ENTRYPOINT":
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
		out = append(out, strings.Join(names, " "), strings.Join(given, " "))
	case "HEALTHCHECK":
		args = anyText + strings.Join(in.Args, " ") + anyText
		out = append(out, anyText+"CMD-SHELL "+strings.Join(in.Args[min(1, len(in.Args)):], " ")+anyText)
	case "WORKDIR":
		if s.Dir == "" { // it is relative to what the base has
			out = append(out, anyText+"/"+args)
		}
	case "EXPOSE":
		args = strings.Join(eachPort(s.marked), " ")
	}
	_, written, _ := strings.Cut(strings.TrimSpace(in.line), " ")
	written = leadFlags.ReplaceAllString(strings.TrimSpace(written), "")
	if in.Cmd == "RUN" && len(in.Heredocs) > 0 {
		written += anyText
	}
	out = append(out, args, written)
	for i := range out {
		out[i] = canonical(out[i])
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
	out := []string{canonical(dest), canonical(s.Instr.Args[len(s.Instr.Args)-1])}
	if isKnown(dest) {
		abs := s.abs(dest)
		out = append(out, canonical(abs), canonical(abs)+"/")
	}
	return out
}
