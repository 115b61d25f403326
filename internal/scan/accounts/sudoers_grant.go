package accounts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// granting collects what one user may run as root without a password.
type granting struct {
	*matcher
	effective effective
	out       []Grant
	decided   map[string]bool // commands that a later line decides
	all       bool            // a later line decides on every command
	perhaps   string          // why a later line may decide on every command
}

func (g *granting) spec(s spec) {
	g.why = ""
	user, host := g.matchesUser(s), g.matchesHost(s)
	if user != allow && user != unsure || host != allow && host != unsure {
		return
	}
	if s.source.unsure {
		g.why = "its RUN writes the line under a condition only"
	}
	sure := user == allow && host == allow && !s.source.unsure
	for _, a := range slices.Backward(s.allowed) {
		if g.all {
			return
		}
		why := ""
		switch root := g.asRoot(a, g.effective.standard); {
		case root != allow && root != unsure:
			continue
		case root == unsure || !sure:
			why = g.why
		case a.timed:
			why = "it holds at certain times only"
		}
		g.command(s, a, why, 0)
	}
}

// command takes one command of a spec, or those that an alias stands for.
func (g *granting) command(s spec, a allowed, why string, depth int) {
	list, isAlias := g.commands[a.command.Path]
	if isAlias && a.command.Args == nil {
		for _, c := range slices.Backward(list) {
			if g.left--; g.left < 0 || depth > 20 {
				g.unsure("the policy is too large to be followed")
				return
			}
			x := a
			x.command, x.not = c.command, a.not != c.not
			g.command(s, x, why, depth+1)
		}
		return
	}
	if !isCommand(a.command.Path) {
		return // an alias that nothing defines
	}
	key := a.command.Path
	if a.command.Args != nil {
		key += " " + *a.command.Args
	}
	if g.all || g.decided[key] || g.decided[a.command.Path] {
		return
	}
	switch {
	case a.not:
	case g.passwordless(a):
		g.grant(s, a, why)
	case a.command.Path == "ALL" && a.password == Unknown:
		g.free(s, a, why)
	}
	switch {
	case why != "" && a.command.Path == "ALL" && g.perhaps == "":
		g.perhaps = "a later line may say otherwise: " + why
	case why != "":
	case a.command.Path == "ALL":
		g.all = true
	default:
		g.decided[key] = true
	}
}

func isCommand(p string) bool {
	return p == "ALL" || p == "sudoedit" || p == "list" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "^")
}

// maxGrants is how many grants of one user are kept.
const maxGrants = 1000

func (g *granting) grant(s spec, a allowed, why string) {
	if len(g.out) >= maxGrants {
		g.left = -1
		return
	}
	g.out = append(g.out, Grant{
		Tool: "sudo", Command: a.command, Loads: g.loads(a), Source: s.source, Unsure: cmp.Or(why, g.perhaps),
	})
}

// free grants the commands for which Defaults ask for no password, where any command
// is allowed with one.
func (g *granting) free(s spec, a allowed, why string) {
	for _, d := range g.effective.commands {
		for _, c := range d.commands {
			list := []allowed{c}
			if alias, ok := g.commands[c.command.Path]; ok {
				list = alias
			}
			for _, c := range list {
				a.command = Command{Path: c.command.Path}
				if !c.not && isCommand(a.command.Path) && !g.decided[a.command.Path] && g.passwordless(a) {
					g.grant(s, a, why)
				}
			}
		}
	}
}

// passwordless reports whether a command needs no password.
func (g *granting) passwordless(a allowed) bool {
	if a.password != Unknown {
		return a.password == No
	}
	free := g.effective.free
	if g.left -= len(g.effective.commands); g.left < 0 {
		return free
	}
	for _, d := range g.effective.commands {
		if slices.ContainsFunc(d.commands, func(c allowed) bool { return g.covers(c, a.command, 0) }) {
			for _, s := range d.settings {
				if s.name == "authenticate" {
					free = s.not
				}
			}
		}
	}
	return free
}

// covers reports whether a command that a Defaults line names is c.
func (g *granting) covers(d allowed, c Command, depth int) bool {
	if list, ok := g.commands[d.command.Path]; ok && depth < 20 {
		return slices.ContainsFunc(list, func(x allowed) bool {
			g.left--
			return g.left > 0 && g.covers(x, c, depth+1)
		}) != d.not
	}
	return !d.not && (d.command.Path == c.Path || d.command.Path == "ALL")
}

// loads says why a command runs code of the user's choice, whatever it is.
func (g *granting) loads(a allowed) string {
	switch {
	case a.setenv:
		return "SETENV lets the caller set LD_PRELOAD"
	case g.effective.setenv:
		return "Defaults setenv lets the caller set LD_PRELOAD"
	case g.effective.keeps != "":
		return fmt.Sprintf("env_keep passes the caller's %s on", g.effective.keeps)
	}
	return ""
}
