package network

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A Hole is a rule of a firewall that lets connections out without saying where to.
type Hole struct {
	Line int
	To   string // what it opens, in half a sentence: "DNS to any server"
}

// Firewalls are the holes of scripts that set up packet filters, and of files that
// filters are loaded from. A script without a hole is kept with none.
var Firewalls = &image.Probe[[]Hole]{
	Name: "firewall", Version: 1,
	Want: func(e image.Entry) bool {
		return e.Size <= shell.MaxBytes && (e.Mode&0o111 != 0 || slices.Contains([]string{".sh", ".bash", ".rules", ".v4", ".v6", ".nft", ".conf"}, path.Ext(e.Path))) && !borrowed.MatchString(e.Path)
	},
	Needles: []string{"OUTPUT", "hook output"},
	Read: func(e image.Entry, b []byte) ([]Hole, bool) {
		if int64(len(b)) < e.Size || bytes.IndexByte(b, 0) >= 0 {
			return nil, false
		}
		switch text := string(b); {
		case bytes.HasPrefix(b, []byte("#!")) && bytes.Contains(b[:min(len(b), 64)], []byte("nft")), nftables.MatchString(text):
			return nftHoles(text), true
		case strings.HasPrefix(strings.TrimSpace(text), "*filter") || strings.Contains(text, "\n*filter"):
			return savedHoles(text), true
		default:
			return scriptHoles(text)
		}
	},
}

// scriptHoles follows the calls of iptables in a shell script.
func scriptHoles(text string) ([]Hole, bool) {
	s := commands.Parse(text)
	if s == nil {
		return nil, false
	}
	f := filter{gateways: gateways(s.Tree)}
	for _, c := range s.Commands() {
		if n := c.Name(); n == "iptables" || n == "iptables-nft" || n == "iptables-legacy" {
			f.rule(c.Args(), c.Line)
		}
	}
	return f.holes(), f.filters
}

// savedHoles reads what iptables-save writes.
func savedHoles(text string) []Hole {
	f := filter{filters: true}
	table, n := "", 0
	for line := range strings.Lines(text) {
		n++
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case strings.HasPrefix(words[0], "*"):
			table = words[0]
		case table == "*filter" && words[0] == ":OUTPUT" && len(words) > 1:
			f.rule(shell.Known("-P", "OUTPUT", words[1]), n)
		case table == "*filter" && strings.HasPrefix(words[0], "-"):
			f.rule(shell.Known(words...), n)
		}
	}
	return f.holes()
}

// A filter is what is known of the OUTPUT chain.
type filter struct {
	filters  bool // something of it is dropped
	open     []Hole
	gateways map[string]bool // variables that hold the host's address or network
}

var matchOptions = shell.Options{
	"-A": "chain", "--append": "chain", "-I": "chain", "--insert": "chain", "-P": "policy", "--policy": "policy", "-t": "table", "--table": "table",
	"-p": "protocol", "--protocol": "protocol", "-d": "to", "--destination": "to", "--dst": "to", "-o": "device", "--out-interface": "device",
	"-j": "target", "--jump": "target", "-s": "from", "--source": "from", "-i": "in", "-m": "match", "--match": "match",
	"--dport": "port", "--destination-port": "port", "--dports": "port", "--destination-ports": "port",
	"--state": "state", "--ctstate": "state", "--match-set": "set", "--uid-owner": "owner", "--gid-owner": "owner", "--cgroup": "owner", "--path": "owner",
	"--sport": "sport", "--source-port": "sport", "--sports": "sport", "--icmp-type": "icmp", "--dst-type": "type", "--limit": "limit", "--comment": "comment",
}

// rule takes in one rule or policy.
func (f *filter) rule(args []shell.Word, line int) {
	p := matchOptions.Parse(args, true)
	if t := p.Values["table"]; t.Text != "" && t.Text != "filter" {
		return
	}
	if p.Values["policy"].Text == "OUTPUT" {
		f.filters = f.filters || len(p.Rest) > 0 && p.Rest[0].Text == "DROP"
		return
	}
	target := p.Values["target"].Text
	if p.Values["chain"].Text != "OUTPUT" {
		return
	}
	if target == "DROP" || target == "REJECT" {
		f.filters = true
	}
	if target != "ACCEPT" || slices.ContainsFunc(p.Rest, func(w shell.Word) bool { return w.Text == "!" }) {
		return
	}
	if to := f.opens(p); to != "" {
		f.open = append(f.open, Hole{line, to})
	}
}

// opens says what a rule that accepts opens; empty if it says where to, for whom, or
// lets answers out only.
func (f *filter) opens(p shell.Parsed) string {
	for _, limit := range []string{"state", "set", "owner", "sport", "icmp", "type"} {
		if _, ok := p.Values[limit]; ok && (limit != "state" || !strings.Contains(p.Values[limit].Text, "NEW")) {
			return ""
		}
	}
	if d := p.Values["device"]; d.Text != "" {
		return ""
	}
	to, protocol := p.Values["to"], p.Values["protocol"].Text
	port := p.Values["port"]
	switch {
	case to.Text == "" || to.Known && (to.Text == "0.0.0.0/0" || to.Text == "0/0"):
		return anywhere(protocol, port)
	case !to.Known && port.Text == "":
		if m := variableIn.FindStringSubmatch(to.Text); m != nil && f.gateways[m[1]] {
			return "every port of the host and its network"
		}
	}
	return ""
}

var variableIn = regexp.MustCompile(`\$\{?(\w+)`)

// anywhere names what goes to every address.
func anywhere(protocol string, port shell.Word) string {
	switch {
	case protocol == "icmp" || protocol == "ipv6-icmp":
		return "ICMP to any address"
	case port.Text == "":
		return everything(protocol)
	case !port.Known:
		return "a port that is a variable, to any address"
	case port.Text == "53" || port.Text == "domain":
		return "DNS to any server"
	case port.Text == "22" || port.Text == "ssh":
		return "SSH to any server"
	}
	return "port " + port.Text + " to any address"
}

func everything(protocol string) string {
	if protocol == "" || protocol == "all" {
		return "everything to any address"
	}
	return "all of " + strings.ToUpper(protocol) + " to any address"
}

// holes are the rules that open something, if the rest is closed at all: who filters
// nothing has no holes, but no firewall.
func (f *filter) holes() []Hole {
	if !f.filters {
		return nil
	}
	return f.open
}

var route = regexp.MustCompile(`\bip (-\S+ )?r(oute)?\b|\broute -n\b|\bhost\.docker\.internal\b|/proc/net/route`)

// gateways are the variables whose value comes from the route to the host.
func gateways(tree *syntax.File) map[string]bool {
	out := map[string]bool{}
	syntax.Walk(tree, func(n syntax.Node) bool {
		a, ok := n.(*syntax.Assign)
		if !ok || a.Name == nil || a.Value == nil {
			return true
		}
		syntax.Walk(a.Value, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst:
				var b bytes.Buffer
				_ = syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n) // to memory: does not fail
				out[a.Name.Value] = out[a.Name.Value] || route.MatchString(b.String())
			case *syntax.ParamExp:
				out[a.Name.Value] = out[a.Name.Value] || n.Param != nil && out[n.Param.Value]
			}
			return true
		})
		return true
	})
	return out
}

var (
	nftables  = regexp.MustCompile(`(?m)^\s*type filter hook output\b`)
	nftScope  = regexp.MustCompile(`\b(ip6? daddr|oif(name)?|ct state|skuid|skgid|socket|cgroup|sport|icmp)\b|@\w|[!]=`)
	nftPort   = regexp.MustCompile(`\b(udp|tcp|th) dport (\{[^}]*\}|\S+)`)
	nftChain  = regexp.MustCompile(`^\s*chain\s+\S+\s*\{`)
	nftAccept = regexp.MustCompile(`(^|\s|;)accept\b`)
)

// nftHoles reads the output chains of nftables (nft(8)), a rule a line.
func nftHoles(text string) []Hole {
	f := filter{}
	inside, n := false, 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		switch rule := strings.TrimSpace(line); {
		case nftChain.MatchString(line):
			inside = false
		case strings.Contains(rule, "hook output"):
			inside = strings.Contains(rule, "type filter")
			f.filters = f.filters || inside && strings.Contains(rule, "policy drop")
		case !inside:
		case strings.HasSuffix(rule, "drop") || strings.Contains(rule, "reject"):
			f.filters = true
		case nftAccept.MatchString(rule) && !nftScope.MatchString(rule):
			f.open = append(f.open, Hole{n, nftOpens(rule)})
		}
	}
	return f.holes()
}

func nftOpens(rule string) string {
	m := nftPort.FindStringSubmatch(rule)
	if m == nil {
		return "everything to any address"
	}
	ports := strings.Trim(m[2], "{} ")
	return anywhere(m[1], shell.Word{Text: ports, Known: !strings.HasPrefix(ports, "$")})
}
