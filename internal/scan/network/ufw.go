package network

import (
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// ufw is what is set up through ufw(8).
type ufw struct {
	closes bool
	open   []Hole
}

func (u *ufw) command(c commands.Command) {
	words := slices.DeleteFunc(slices.Clone(c.Args()), func(w shell.Word) bool { return strings.HasPrefix(w.Text, "--") })
	switch {
	case len(words) < 2:
	case words[0].Text == "default":
		deny := words[1].Text == "deny" || words[1].Text == "reject"
		u.closes = u.closes || deny && len(words) > 2 && words[2].Text == "outgoing"
	case (words[0].Text == "allow" || words[0].Text == "limit") && words[1].Text == "out":
		if to := ufwOpens(words[2:]); to != "" {
			u.open = append(u.open, Hole{c.Line, to})
		}
	}
}

// ufwOpens says what a rule opens, by the words behind "allow out"; empty if it says
// where to.
func ufwOpens(words []shell.Word) string {
	protocol, port := "", shell.Word{}
	for i := 0; i < len(words); i++ {
		next := shell.Word{}
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w := words[i]; w.Text {
		case "on":
			if !outside.MatchString(next.Text) {
				return ""
			}
			i++
		case "to":
			if !next.Known || !anyAddress.MatchString(next.Text) {
				return ""
			}
			i++
		case "port", "app":
			port = next
			i++
		case "proto":
			protocol = next.Text
			i++
		case "from", "comment":
			i++
		case "log", "log-all":
		default:
			port = w
		}
	}
	if n, p, ok := strings.Cut(port.Text, "/"); ok && port.Known {
		port.Text, protocol = n, p
	}
	return anywhere(protocol, port)
}
