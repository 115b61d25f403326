package network

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A ruleset is what nft(8) is told, as far as what goes out needs it.
type ruleset struct {
	chains []*nftChain
	stack  []string // the blocks that are open: a table, a chain, or something else

	six bool // a chain for what goes out sees IPv6
	gates
	visited int
}

// An nftChain is a chain with its rules.
type nftChain struct {
	table, name string
	output      bool // what goes out passes through it
	drops       bool // and is dropped at its end
	rules       []nftRule
}

type nftRule struct {
	line int
	text string
}

var (
	nftTable = regexp.MustCompile(`(?m)^\s*(add )?table\s+((ip|ip6|inet)\s+)?\S+\s*\{`)
	nftBlock = regexp.MustCompile(`^(?:add )?(table|chain|set|map)\s+([^{]*?)\s*\{`)
	nftHook  = regexp.MustCompile(`\btype (filter|route) hook output\b`)
)

// read takes in a file of rules, from a line on.
func (r *ruleset) read(text string, n int) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for part := range strings.SplitSeq(line, ";") {
			r.statement(strings.TrimSpace(part), n)
		}
		n++
	}
}

// statement takes in what stands between newlines and semicolons: blocks that begin and
// end, and the rules in them.
func (r *ruleset) statement(text string, line int) {
	for text != "" {
		if m := nftBlock.FindStringSubmatch(text); m != nil {
			r.stack = append(r.stack, m[1]+" "+m[2])
			text = strings.TrimSpace(text[len(m[0]):])
			continue
		}
		if text[0] == '}' {
			r.stack = r.stack[:max(len(r.stack)-1, 0)]
			text = strings.TrimSpace(text[1:])
			continue
		}
		break
	}
	open := strings.Count(text, "{") - strings.Count(text, "}")
	for ; open < 0 && strings.HasSuffix(text, "}"); open++ {
		text = strings.TrimSpace(strings.TrimSuffix(text, "}"))
		defer func() { r.stack = r.stack[:max(len(r.stack)-1, 0)] }()
	}
	if c := r.current(); c != nil {
		c.add(text, line)
	}
	for ; open > 0 && len(r.stack) < maxVisited; open-- {
		r.stack = append(r.stack, "")
	}
}

// current is the chain whose block is open.
func (r *ruleset) current() *nftChain {
	if len(r.stack) < 2 {
		return nil
	}
	name, ok := strings.CutPrefix(r.stack[len(r.stack)-1], "chain ")
	table, in := strings.CutPrefix(r.stack[len(r.stack)-2], "table ")
	if !ok || !in {
		return nil
	}
	return r.chain(table, name)
}

// chain returns a chain of a table, which it makes if there is none.
func (r *ruleset) chain(table, name string) *nftChain {
	for _, c := range r.chains {
		if c.table == table && c.name == name {
			return c
		}
	}
	c := &nftChain{table: table, name: name}
	if len(r.chains) < maxVisited {
		r.chains = append(r.chains, c)
	}
	return c
}

func (c *nftChain) add(text string, line int) {
	switch {
	case nftHook.MatchString(text):
		c.output = true
		c.drops = c.drops || strings.Contains(text, "policy drop")
	case strings.HasPrefix(text, "policy "):
		c.drops = text == "policy drop"
	case text != "":
		c.rules = append(c.rules, nftRule{line, text})
	}
}

// command takes in one call: "add chain", "add rule", or a file of rules as its input.
func (r *ruleset) command(c commands.Command) {
	if text := c.Input(); text != "" {
		r.read(text, c.Line+1)
		return
	}
	var words []string
	for _, w := range c.Args() {
		words = append(words, strings.Fields(w.Text)...)
	}
	words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
	if len(words) > 2 && slices.Contains([]string{"ip", "ip6", "inet"}, words[2]) {
		words[2] += " " + at(words, 3)
		words = slices.Delete(words, 3, min(4, len(words)))
	}
	if len(words) < 4 || words[0] != "add" && words[0] != "insert" && words[0] != "create" {
		return
	}
	chain := r.chain(words[2], words[3])
	text := strings.Join(words[4:], " ")
	switch words[1] {
	case "chain":
		for part := range strings.SplitSeq(strings.Trim(text, "{} "), ";") {
			chain.add(strings.TrimSpace(part), c.Line)
		}
	case "rule":
		chain.add(text, c.Line)
	}
}

// holes are the rules that open something, if the rest is closed.
func (r *ruleset) holes() ([]Hole, bool) {
	r.owners = map[string]bool{}
	for _, c := range r.chains {
		if c.output {
			r.closed = r.closed || c.drops
			r.six = r.six || strings.HasPrefix(c.table, "inet ") || strings.HasPrefix(c.table, "ip6 ")
			r.walk(c, "", 0)
		}
	}
	return r.gates.holes()
}

var (
	nftJump   = regexp.MustCompile(`^(.*?)\b(?:jump|goto)\s+(\S+)$`)
	nftOwner  = regexp.MustCompile(`\b(?:meta )?sk[ug]id (\S+)`)
	nftNoise  = regexp.MustCompile(`\bcounter( packets \d+ bytes \d+)?\b|\blog( prefix ("[^"]*"|\S+))?( level \S+)?|\bcomment "[^"]*"|\bhandle \d+`)
	nftFree   = regexp.MustCompile(`\b(meta )?oif(name)? "?(eth|en|wl)[\w*]*"?|\bip6? daddr (0\.0\.0\.0|::)/[01]\b|\bct state (\{[^}]*\bnew\b[^}]*\}|[\w,]*\bnew\b[\w,]*)`)
	nftScope  = regexp.MustCompile(`\b(ip6? daddr|oif(name)?|oifgroup|ct (state|mark|status)|mark|socket|cgroup|sport|type|fib|rate)\b|@\w|[!]=|\bvmap\b`)
	nftPort   = regexp.MustCompile(`\b(udp|tcp|th) dport (\{[^}]*\}|\S+)`)
	nftProto  = regexp.MustCompile(`\b(?:meta l4proto|ip protocol|ip6 nexthdr) (\w+)`)
	nftAccept = regexp.MustCompile(`(^|\s)accept$`)
	nftDrop   = regexp.MustCompile(`^(drop|reject( with .*)?)$`)
)

// usualRule is more than well-known rules have, in bytes; a longer one counts as several.
const usualRule = 200

// walk judges the rules of a chain that is entered by what stands before.
func (r *ruleset) walk(c *nftChain, before string, depth int) {
	for _, rule := range c.rules {
		r.visited += 1 + (len(before)+len(rule.text))/usualRule
		if depth > maxJumps || r.visited > maxVisited {
			return
		}
		text := strings.Join(strings.Fields(nftNoise.ReplaceAllString(nftFree.ReplaceAllString(before+" "+rule.text, " "), " ")), " ")
		owner := ""
		if m := nftOwner.FindStringSubmatch(text); m != nil {
			owner = m[1]
			text = strings.Join(strings.Fields(nftOwner.ReplaceAllString(text, " ")), " ")
		}
		switch m := nftJump.FindStringSubmatch(text); {
		case nftDrop.MatchString(text) && owner == "":
			r.closed = true
		case nftDrop.MatchString(text):
			r.owners[owner] = true
		case nftScope.MatchString(text):
		case m != nil:
			r.walk(r.chain(c.table, m[2]), m[1], depth+1)
		case nftAccept.MatchString(text):
			r.open = append(r.open, owned{Hole{rule.line, nftOpens(text)}, owner})
		}
	}
}

func nftOpens(rule string) string {
	if m := nftPort.FindStringSubmatch(rule); m != nil {
		ports := strings.Trim(m[2], "{} ")
		return anywhere(m[1], shell.Word{Text: ports, Known: !strings.HasPrefix(ports, "$")})
	}
	if m := nftProto.FindStringSubmatch(rule); m != nil {
		return anywhere(m[1], shell.Word{})
	}
	return anywhere("", shell.Word{})
}
