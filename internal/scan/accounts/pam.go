package accounts

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// A pamRule is one line by which PAM lets users become root with su(1) that have not
// given its password.
type pamRule struct {
	group  string // whom it lets in; empty for everyone
	source Source
}

// suStack is where the lines of su begin, and maxIncluded how deep they include others.
const (
	suStack     = "/etc/pam.d/su"
	maxIncluded = 8
)

// su reads how PAM authenticates users for su: the lines of type "auth", in order, up to
// the first that may ask for a password (pam.conf(5)). Each one before that, with which
// the module's word is enough, lets somebody in.
func (l *policyLoader) su() *Policy {
	p := l.begin("su")
	if passes, at := l.authenticates(suStack, 0); passes == everyone || passes == decided {
		p.pam = append(p.pam, pamRule{source: at})
	}
	return p
}

// stack is what becomes of a user on the way through the lines of a file.
type stack uint8

const (
	failing  stack = iota // no module has let the user in, and none has asked for anything
	everyone              // one has let every user in, if none behind it asks
	decided               // one has let every user in, whatever is behind it
	asking                // one may have asked for a password
)

// authenticates goes through a file, and notes whom a line of it lets in.
func (l *policyLoader) authenticates(name string, depth int) (now stack, at Source) {
	f, text, how := l.read(name, true)
	if how != known || depth > maxIncluded {
		return asking, at
	}
	for n, line := range logicalLines(text, doasComment) {
		w := strings.Fields(line)
		here := Source{File: f, Line: n}
		if included := includes(w); included != "" {
			passes, within := l.authenticates(path.Join("/etc/pam.d", included), depth+1)
			switch {
			case passes == asking, passes == decided && w[len(w)-2] != "substack":
				return passes, within
			case passes != failing: // a substack decides about its own lines only
				now, at = everyone, within
			}
			continue
		}
		if len(w) < 3 || strings.TrimPrefix(w[0], "-") != "auth" {
			continue
		}
		group, lets := letsIn(path.Base(w[2]), w[3:])
		switch control := w[1]; {
		case path.Base(w[2]) == "pam_rootok.so" && control == "sufficient", silent[path.Base(w[2])]:
		case !lets || control[0] == '[':
			return asking, at
		case group == "" && control == "sufficient":
			return decided, here
		case control == "sufficient":
			l.policy.pam = append(l.policy.pam, pamRule{group, here})
		case group == "":
			now, at = everyone, here
		default:
			return asking, at
		}
	}
	return now, at
}

// includes is the file that a line stands for; empty if it is another line.
func includes(w []string) string {
	switch {
	case len(w) == 2 && w[0] == "@include":
		return w[1]
	case len(w) == 3 && w[0] == "auth" && (w[1] == "include" || w[1] == "substack"):
		return w[2]
	}
	return ""
}

// silent are modules that neither ask for anything nor let anybody in.
var silent = map[string]bool{"pam_env.so": true, "pam_faildelay.so": true, "pam_warn.so": true}

// letsIn reports whether a module lets users in by its own word, and of which group they
// have to be: pam_permit(8), pam_wheel(8) with trust, pam_succeed_if(8).
func letsIn(module string, args []string) (group string, lets bool) {
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "use_uid" || a == "quiet" || a == "debug" || a == "root_only" })
	switch module {
	case "pam_permit.so":
		return "", true
	case "pam_wheel.so":
		group = "wheel"
		for _, a := range args {
			if g, ok := strings.CutPrefix(a, "group="); ok {
				group = g
			} else if a == "deny" {
				return "", false
			}
		}
		return group, slices.Contains(args, "trust")
	case "pam_succeed_if.so":
		if len(args) == 3 && args[0] == "user" && args[1] == "ingroup" && !strings.Contains(args[2], ":") {
			return args[2], true
		}
	}
	return "", false
}

// suGrants are the lines that let a user in.
func (p *Policy) suGrants(u User) (out []Grant) {
	if !u.Exists && p.accounts.Unknown == "" {
		return nil // su refuses whom /etc/passwd does not have
	}
	m := (&sudoers{}).matcher(p.accounts, u, p.newgrp)
	for _, r := range p.pam {
		g := Grant{Tool: "su", Command: Command{Path: "ALL"}, Source: r.source}
		in := allow
		if r.group != "" {
			in = m.inGroup(func(g Group) bool { return g.Name == r.group || strconv.Itoa(g.GID) == r.group })
		}
		switch in {
		case allow:
			out = append(out, g)
		case unsure:
			g.Unsure = m.why
			out = append(out, g)
		}
	}
	return out
}
