package launch

import (
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// changed makes c's process what a change of user leaves, and returns the command
// that goes on as that user; false if the path ends here.
func (t *tracer) changed(c *call, x change, u accounts.User) ([]shell.Word, bool) {
	setuid := x.how == "sudo" || x.how == "su"
	if c.proc.state.Privileged() == effect.User && (!setuid || c.proc.state.NoNewPrivileges) {
		t.lose(c, fmt.Sprintf("%s needs root, and does not run as root here", x.how))
		if !c.aside {
			t.refused, t.refuses = x.how, t.refuses+1
		}
		return nil, false
	}
	if x.stays {
		c.proc = c.proc.with(x.how, c.at, false)
	}
	c.proc.did(effect.SetUID, x.how+" "+x.user.Name(), c.at, 0, "")
	uid, gid := ids(u)
	if x.group.Text != "" || !x.group.Known {
		gid = t.group(x.group)
	}
	switch g := groups(u); x.how {
	case "setpriv":
		t.setpriv(c, x.call, uid, g)
	default:
		if list, ok := x.call.Values["groups"]; ok {
			g = t.listed(list)
		}
		c.proc.state.UID, c.proc.state.GID, c.proc.state.Groups = effect.Same(uid), effect.Same(gid), g
	}
	t.surroundings(c, x)
	if len(x.rest) > 0 {
		return x.rest, true
	}
	if x.shell {
		t.executes(c)
		t.given(c, "a shell")
	} else {
		t.lose(c, x.how+" is given no command")
	}
	return nil, false
}

// surroundings gives c the environment that a tool makes, and where it starts.
func (t *tracer) surroundings(c *call, x change) {
	c.vars = c.vars.over(nil)
	switch x.env {
	case cleared:
		t.clear(c, x.how+" with a new environment", append(x.keep, "TERM"))
		c.dir = ""
	case reset:
		old := c.vars
		t.clear(c, x.how+" with a new environment", append(x.keep, "TERM", "HOME", "PATH", "LANG"))
		for _, n := range t.watched {
			if v, was := old[n]; was && !c.vars[n].exported {
				v.maybe = true
				c.vars[n] = v
			}
		}
	}
	t.assignments(c, x.sets)
	for _, n := range []string{"HOME", "USER", "LOGNAME", "SHELL"} {
		if x.how != "setpriv" && x.how != "chroot" {
			c.vars[n] = value{words: unknown.words, exported: true}
		}
	}
}

// setpriv does what the options of setpriv(1) say to the process. uid and g are
// those of the user it is given.
func (t *tracer) setpriv(c *call, p shell.Parsed, uid effect.ID, g effect.Groups) {
	s := &c.proc.state
	_, reuid := p.Values["reuid"]
	_, ruid := p.Values["ruid"]
	if _, euid := p.Values["euid"]; reuid || euid { // setresuid(ruid, euid, euid)
		s.UID.Effective, s.UID.Saved = uid, uid
	}
	if reuid || ruid {
		s.UID.Real = uid
	}
	for option, to := range map[string][]*effect.ID{"gid": {&s.GID.Real, &s.GID.Effective, &s.GID.Saved}, "rgid": {&s.GID.Real}, "egid": {&s.GID.Effective, &s.GID.Saved}} {
		if w, ok := p.Values[option]; ok {
			for _, id := range to {
				*id = t.group(w)
			}
		}
	}
	switch list, ok := p.Values["groups"]; {
	case ok:
		s.Groups = t.listed(list)
	case p.Flags["--clear-groups"]:
		s.Groups = effect.GroupsSafe
	case p.Flags["--init-groups"]:
		s.Groups = g
	}
	if p.Flags["--no-new-privs"] || p.Flags["--nnp"] {
		s.NoNewPrivileges = true
		c.proc.did(effect.Prctl, "setpriv --no-new-privs", c.at, 0, "")
	}
	if w, ok := p.Values["ambient"]; ok && (!w.Known || strings.Contains(w.Text, "+")) {
		c.proc.ambient = true
		c.proc.did(effect.Prctl, "setpriv --ambient-caps", c.at, 0, "")
	}
	if p.Flags["--reset-env"] {
		t.clear(c, "setpriv --reset-env", []string{"TERM"})
	}
}

// group is the id of a group as an option names it.
func (t *tracer) group(w shell.Word) effect.ID {
	if !w.Known {
		return effect.ID{}
	}
	u := t.user("0:" + w.Text)
	switch {
	case u.GID == 0:
		return effect.Number(0)
	case u.GID > 0:
		return effect.Number(int64(u.GID))
	}
	return effect.ID{Name: w.Text}
}

// listed are the groups of a list with commas.
func (t *tracer) listed(list shell.Word) effect.Groups {
	if !list.Known {
		return effect.GroupsUnknown
	}
	out := effect.GroupsSafe
	for name := range strings.FieldsFuncSeq(list.Text, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch t.group(shell.Word{Text: name, Known: true}).Class {
		case effect.Root:
			return effect.GroupsRoot
		case effect.Unknown:
			out = effect.GroupsUnknown
		}
	}
	return out
}
