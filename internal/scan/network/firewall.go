package network

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A Firewall is a script or a file of rules that closes what goes out, but for what its
// rules let out.
type Firewall struct {
	Holes    []Hole
	OnlyIPv4 bool // nothing closes IPv6
}

// A Hole is a rule of a firewall that lets connections out without saying where to.
type Hole struct {
	Line int
	To   string // what it opens, in half a sentence: "DNS to any server"
}

// Firewalls are scripts that set up packet filters, and files that filters are loaded
// from. What only blocks some of what goes out is no firewall that has holes.
var Firewalls = &image.Probe[Firewall]{
	Name: "firewall", Version: 2,
	Want: func(e image.Entry) bool {
		return e.Size <= shell.MaxBytes && (e.Mode&0o111 != 0 || slices.Contains([]string{".sh", ".bash", ".rules", ".v4", ".v6", ".nft", ".conf"}, path.Ext(e.Path))) && !borrowed.MatchString(e.Path)
	},
	Needles: []string{"OUTPUT", "hook output", "deny outgoing", "reject outgoing"},
	Read: func(e image.Entry, b []byte) (Firewall, bool) {
		if int64(len(b)) < e.Size || bytes.IndexByte(b, 0) >= 0 {
			return Firewall{}, false
		}
		var w wall
		switch text := string(b); {
		case nftScript.MatchString(text) || nftTable.MatchString(text):
			w.nft.read(text, 1)
		case strings.HasPrefix(strings.TrimSpace(text), "*filter") || strings.Contains(text, "\n*filter"):
			w.saved(text, 1, strings.HasSuffix(e.Path, "6"))
		default:
			w.script(text)
		}
		return w.judge()
	},
}

var nftScript = regexp.MustCompile(`^#!\S*(/env\s+)?\S*\bnft\b`)

// A wall is what a file sets up, by the tool that it calls.
type wall struct {
	four, six filter // iptables and ip6tables
	nft       ruleset
	ufw       ufw
}

// script follows the calls of the tools in a shell script.
func (w *wall) script(text string) {
	s := commands.Parse(text)
	if s == nil {
		return
	}
	w.four.gateways = gateways(s.Tree)
	w.six.gateways = w.four.gateways
	for _, c := range s.Commands() {
		switch name := c.Name(); {
		case ipTables.MatchString(name):
			w.family(strings.HasPrefix(name, "ip6")).rule(c.Args(), c.Line)
		case ipRestore.MatchString(name):
			w.saved(c.Input(), c.Line+1, strings.HasPrefix(name, "ip6"))
		case name == "ipset":
			w.four.ipset(c.Args())
			w.six.ipset(c.Args())
		case name == "nft":
			w.nft.command(c)
		case name == "ufw":
			w.ufw.command(c)
		}
	}
}

var (
	ipTables  = regexp.MustCompile(`^ip6?tables(-nft|-legacy)?$`)
	ipRestore = regexp.MustCompile(`^ip6?tables(-nft|-legacy)?-restore$`)
)

func (w *wall) family(six bool) *filter {
	if six {
		return &w.six
	}
	return &w.four
}

// saved reads what iptables-save writes, from a line on.
func (w *wall) saved(text string, n int, six bool) {
	f := w.family(six)
	table := ""
	for line := range strings.Lines(text) {
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
		n++
	}
}

// judge tells the holes, if something closes the rest: who closes nothing has no holes,
// but no firewall.
func (w *wall) judge() (Firewall, bool) {
	four, closesFour := w.four.holes()
	six, closesSix := w.six.holes()
	nft, closesNft := w.nft.holes()
	holes := slices.Concat(four, six, nft, w.ufw.open)
	if !w.ufw.closes {
		holes = slices.Concat(four, six, nft)
	}
	slices.SortStableFunc(holes, func(a, b Hole) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.To, b.To)) })
	closes := closesFour || closesSix || closesNft || w.ufw.closes
	holes = slices.Compact(holes)
	sixClosed := closesSix || w.ufw.closes || closesNft && w.nft.six
	return Firewall{holes[:min(len(holes), maxSettings)], closes && !sixClosed}, closes
}

// anywhere names what goes to every address.
func anywhere(protocol string, port shell.Word) string {
	switch {
	case protocol == "icmp" || protocol == "ipv6-icmp" || protocol == "icmpv6":
		return "ICMP to any address"
	case port.Text == "":
		return everything(protocol)
	case !port.Known:
		return "a port that is a variable, to any address"
	case port.Text == "53" || strings.EqualFold(port.Text, "domain") || strings.EqualFold(port.Text, "dns"):
		return "DNS to any server"
	case port.Text == "22" || strings.EqualFold(port.Text, "ssh") || port.Text == "OpenSSH":
		return "SSH to any server"
	}
	return "port " + port.Text + " to any address"
}

func everything(protocol string) string {
	if protocol == "" || protocol == "all" || protocol == "any" {
		return "everything to any address"
	}
	return "all of " + strings.ToUpper(protocol) + " to any address"
}

// anyAddress are the networks that leave out nothing, or one half of all.
var anyAddress = regexp.MustCompile(`^(0(\.0\.0\.0)?|128\.0\.0\.0|::)/[01](\.0\.0\.0)?$|^any$`)

// outside are the devices that lead out of a container.
var outside = regexp.MustCompile(`^(eth|en|wl|\+)`)

var route = regexp.MustCompile(`\bip (-\S+ )?r(oute)?\b|\broute -n\b|\bhost\.docker\.internal\b|/proc/net/route`)

// gateways are the variables whose value comes from the route to the host.
func gateways(tree *syntax.File) map[string]bool {
	out := map[string]bool{}
	syntax.Walk(tree, func(n syntax.Node) bool {
		a, ok := n.(*syntax.Assign)
		if !ok || a.Name == nil || a.Value == nil {
			return true
		}
		printed := uint(0) // what is inside of a substitution is printed with it
		syntax.Walk(a.Value, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst:
				if n.Pos().Offset() < printed {
					return true
				}
				printed = n.End().Offset()
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
