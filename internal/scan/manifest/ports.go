package manifest

import (
	"fmt"
	"strconv"
	"strings"
)

// ports are those that a rule of a policy is for; none for all of them.
type ports []portRange

// A portRange is a range of ports, or a name that only the pods behind it give a
// number, for which both ends are 0.
type portRange struct {
	first, last int
	name        string
}

// wellKnown are names of ports that pods give to nothing else.
var wellKnown = map[string]int{"dns": 53, "dns-tcp": 53, "domain": 53, "http": 80, "https": 443}

// portsOf reads a list of NetworkPolicyPort or of Cilium's PortProtocol. One that is not
// known, and one that names only a protocol, is all ports.
func portsOf(list []*value) ports {
	var out ports
	for _, p := range list {
		v := p.get("port")
		text := v.str()
		n, err := strconv.Atoi(text)
		if err != nil {
			n = wellKnown[strings.ToLower(text)]
		}
		switch {
		case text == "" || text == "0" || v.unknown != "":
			return nil
		case n == 0:
			out = append(out, portRange{name: text})
			continue
		}
		last := n
		if end := p.get("endPort"); end.given() {
			if last, err = strconv.Atoi(end.str()); err != nil || last < n {
				return nil
			}
		}
		out = append(out, portRange{first: n, last: last})
	}
	return out
}

// has reports whether a port is among them, or may be.
func (ps ports) has(port int) bool {
	for _, p := range ps {
		if p.name != "" || p.first <= port && port <= p.last {
			return true
		}
	}
	return len(ps) == 0
}

// dns reports whether they are for name servers and nothing else.
func (ps ports) dns() bool {
	for _, p := range ps {
		if p.first != 53 || p.last != 53 {
			return false
		}
	}
	return len(ps) > 0
}

// on says it in a sentence: ", on port 443", or nothing for all ports.
func (ps ports) on() string {
	var out []string
	for _, p := range ps {
		text := strconv.Itoa(p.first)
		switch {
		case p.name != "":
			text = p.name
		case p.last > p.first:
			text = fmt.Sprintf("%d-%d", p.first, p.last)
		}
		if len(out) > 0 && out[len(out)-1] == text {
			continue // the same for another protocol
		}
		if len(out) == 3 {
			out = append(out, "...")
			break
		}
		out = append(out, text)
	}
	switch len(out) {
	case 0:
		return ""
	case 1:
		return ", on port " + out[0]
	}
	return ", on ports " + strings.Join(out, ", ")
}
