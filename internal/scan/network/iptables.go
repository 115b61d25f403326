package network

import (
	"maps"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A filter is the filter table of iptables or ip6tables, as far as OUTPUT needs it
// (iptables(8), iptables-extensions(8)).
type filter struct {
	chains   map[string][]chained
	policy   string          // of OUTPUT
	gateways map[string]bool // variables that hold the host's address or network
	wide     map[string]bool // sets that hold every address, or the host's network

	gates
	visited int
}

// A chained rule stands in a chain.
type chained struct {
	line    int
	match   map[string]shell.Word
	negated map[string]bool // keys of match
}

// An owned hole is one for the processes of a user; of everybody if that is empty.
type owned struct {
	Hole
	owner string
}

// gates are what a firewall leaves open of what goes out, and for whom the rest is closed.
type gates struct {
	open   []owned
	closed bool            // for everybody
	owners map[string]bool // for whom it is closed
}

// holes are what is open for those for whom the rest is closed, if it is for anybody.
func (g *gates) holes() ([]Hole, bool) {
	var out []Hole
	for _, h := range g.open {
		if h.owner == "" && (g.closed || len(g.owners) > 0) || g.owners[h.owner] {
			out = append(out, h.Hole)
		}
	}
	return out, g.closed || len(g.owners) > 0
}

var matchOptions = shell.Options{
	"-A": "chain", "--append": "chain", "-I": "insert", "--insert": "insert", "-P": "policy", "--policy": "policy", "-t": "table", "--table": "table",
	"-p": "protocol", "--protocol": "protocol", "-d": "to", "--destination": "to", "--dst": "to", "-o": "device", "--out-interface": "device",
	"-j": "target", "--jump": "target", "-g": "target", "--goto": "target", "-s": "from", "--source": "from", "-i": "in", "-m": "match", "--match": "match",
	"--dport": "port", "--destination-port": "port", "--dports": "port", "--destination-ports": "port", "--ports": "port",
	"--state": "state", "--ctstate": "state", "--match-set": "set", "--uid-owner": "owner", "--gid-owner": "owner", "--cgroup": "owner", "--path": "owner",
	"--sport": "sport", "--source-port": "sport", "--sports": "sport", "--icmp-type": "icmp", "--icmpv6-type": "icmp", "--dst-type": "type", "--dst-range": "range", "--limit": "limit", "--comment": "comment",
	"--reject-with": "with", "--log-prefix": "prefix", "-w": "wait",
}

// rule takes in one rule or policy.
func (f *filter) rule(args []shell.Word, line int) {
	args, negated := negations(args)
	p := matchOptions.Parse(args, true)
	if t := p.Values["table"]; t.Text != "" && t.Text != "filter" {
		return
	}
	if p.Values["policy"].Text == "OUTPUT" && len(p.Rest) > 0 {
		f.policy = p.Rest[0].Text
		return
	}
	if f.chains == nil {
		f.chains = map[string][]chained{}
	}
	r := chained{line, p.Values, negated}
	if c := p.Values["chain"]; c.Known {
		f.chains[c.Text] = append(f.chains[c.Text], r)
	}
	if c := p.Values["insert"]; c.Known {
		f.chains[c.Text] = append([]chained{r}, f.chains[c.Text]...)
	}
}

// negations takes the exclamation marks out, and returns the names of the values that
// they stand before.
func negations(args []shell.Word) ([]shell.Word, map[string]bool) {
	var out []shell.Word
	negated := map[string]bool{}
	for i, w := range args {
		if w.Text != "!" {
			out = append(out, w)
		} else if i+1 < len(args) {
			negated[matchOptions[args[i+1].Text]] = true
		}
	}
	return out, negated
}

// ipset notes sets that hold more than they should.
func (f *filter) ipset(args []shell.Word) {
	if len(args) < 3 || args[0].Text != "add" && args[0].Text != "-A" || !args[1].Known {
		return
	}
	if f.wide == nil {
		f.wide = map[string]bool{}
	}
	m := variableIn.FindStringSubmatch(args[2].Text)
	f.wide[args[1].Text] = f.wide[args[1].Text] || args[2].Known && anyAddress.MatchString(args[2].Text) || !args[2].Known && m != nil && f.gateways[m[1]] && strings.Contains(args[2].Text, "/")
}

var variableIn = regexp.MustCompile(`\$\{?(\w+)`)

// holes are the rules that open something, if the rest is closed.
func (f *filter) holes() ([]Hole, bool) {
	f.owners = map[string]bool{}
	f.closed = f.policy == "DROP"
	f.walk("OUTPUT", nil, 0)
	return f.gates.holes()
}

// What chains that jump to each other may cost.
const (
	maxJumps   = 16
	maxVisited = 10_000
)

// walk judges the rules of a chain that is entered by what the rules before match.
func (f *filter) walk(chain string, outer map[string]shell.Word, depth int) {
	for _, r := range f.chains[chain] {
		if f.visited++; depth > maxJumps || f.visited > maxVisited {
			return
		}
		match := maps.Clone(outer)
		if match == nil {
			match = map[string]shell.Word{}
		}
		maps.Copy(match, r.match)
		negated := maps.Clone(r.negated)
		if negated["device"] { // "! -o lo"
			delete(match, "device")
			delete(negated, "device")
		}
		switch target := r.match["target"]; {
		case target.Text == "DROP" || target.Text == "REJECT":
			f.closes(match, negated)
		case len(negated) > 0:
		case target.Text == "ACCEPT":
			if to := f.opens(match); to != "" {
				f.open = append(f.open, owned{Hole{r.line, to}, match["owner"].Text})
			}
		case target.Known:
			f.walk(target.Text, match, depth+1)
		}
	}
}

// closes takes in a rule that drops: everything, everything of an owner, or everything
// but what is negated.
func (f *filter) closes(match map[string]shell.Word, negated map[string]bool) {
	for _, limit := range []string{"to", "protocol", "port", "state", "set", "sport", "icmp", "type", "range", "limit", "device", "owner"} {
		v, ok := match[limit]
		if !ok || negated[limit] || limit == "to" && anyAddress.MatchString(v.Text) || limit == "device" && outside.MatchString(v.Text) || limit == "protocol" && v.Text == "all" {
			continue
		}
		if limit == "owner" {
			f.owners[v.Text] = true
		}
		return
	}
	f.closed = true
}

// opens says what a rule that accepts opens; empty if it says where to, or lets answers
// out only.
func (f *filter) opens(match map[string]shell.Word) string {
	for _, limit := range []string{"state", "set", "sport", "icmp", "type", "range", "device"} {
		v, ok := match[limit]
		switch {
		case !ok, limit == "state" && strings.Contains(v.Text, "NEW"), limit == "set" && f.wide[v.Text], limit == "device" && outside.MatchString(v.Text):
		default:
			return ""
		}
	}
	to, protocol, port := match["to"], match["protocol"].Text, match["port"]
	switch {
	case to.Text == "" || to.Known && anyAddress.MatchString(to.Text):
		return anywhere(protocol, port)
	case !to.Known && port.Text == "":
		if m := variableIn.FindStringSubmatch(to.Text); m != nil && f.gateways[m[1]] {
			return "every port of the host and its network"
		}
	}
	return ""
}
