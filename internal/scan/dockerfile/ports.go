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
	lo, hi, proto, ok := PortRange(s[strings.LastIndexByte(s, ':')+1:])
	if !ok {
		return s, false
	}
	port = strconv.Itoa(lo)
	if hi > lo {
		port += "-" + strconv.Itoa(hi)
	}
	return port + "/" + proto, true
}

// PortRange reads "port[-last][/proto]" as an image config or EXPOSE names ports.
// The protocol is tcp unless it says otherwise. It is not ok if that is no port.
func PortRange(s string) (first, last int, proto string, ok bool) {
	ports, proto, _ := strings.Cut(s, "/")
	switch proto = strings.ToLower(proto); proto {
	case "":
		proto = "tcp"
	case "tcp", "udp", "sctp":
	default:
		return 0, 0, "", false
	}
	from, to, isRange := strings.Cut(ports, "-")
	if !isRange {
		to = from
	}
	lo, err := strconv.ParseUint(from, 10, 16)
	hi, err2 := strconv.ParseUint(to, 10, 16)
	if err != nil || err2 != nil || hi < lo {
		return 0, 0, "", false
	}
	return int(lo), int(hi), proto, true
}
