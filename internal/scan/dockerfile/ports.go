package dockerfile

import (
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// expose evaluates an EXPOSE. Ports that are none stay unknown.
func (e *evaluator) expose(c *instructions.ExposeCommand, in *Instr) []string {
	var out []string
	for _, written := range c.Ports {
		words := strings.Fields(e.word(written)) // a variable may hold several
		if len(words) == 0 {
			e.put("EXPOSE", &e.b.Expose, Setting{Name: written, Value: written, Instr: in})
		}
		for _, w := range words {
			port, ok := parsePort(w)
			e.put("EXPOSE", &e.b.Expose, Setting{Name: written, Value: plain(port), Known: ok, Instr: in})
			out = append(out, port)
		}
	}
	return out
}

// parsePort reads "[[ip:]host:]port[-last][/proto]", of which only the last parts
// count (buildkit, dockerfile2llb, parsePort), and returns it as "port/proto" or
// "port-last/proto".
func parsePort(s string) (port string, ok bool) {
	port, proto, _ := strings.Cut(s[strings.LastIndexByte(s, ':')+1:], "/")
	switch proto = strings.ToLower(proto); proto {
	case "":
		proto = "tcp"
	case "tcp", "udp", "sctp":
	default:
		return s, false
	}
	first, last, isRange := strings.Cut(port, "-")
	if !isRange {
		last = first
	}
	lo, err := strconv.ParseUint(first, 10, 16)
	if err != nil {
		return s, false
	}
	hi, err := strconv.ParseUint(last, 10, 16)
	if err != nil || hi < lo {
		return s, false
	}
	port = strconv.FormatUint(lo, 10)
	if hi > lo {
		port += "-" + strconv.FormatUint(hi, 10)
	}
	return port + "/" + proto, true
}
