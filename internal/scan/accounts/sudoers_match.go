package accounts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A verdict is what a list says of something.
type verdict uint8

const (
	unspecified verdict = iota
	allow
	deny
	unsure
)

func (v verdict) negated(not bool) verdict {
	switch {
	case not && v == allow:
		return deny
	case not && v == deny:
		return allow
	}
	return v
}

// maxMatches is how many elements of lists one user is compared with: far more than
// policies have whose aliases do not multiply.
const maxMatches = 200_000

// A matcher compares one user with a policy.
type matcher struct {
	*sudoers
	accounts *Accounts
	user     User
	groups   []Group // of the user
	whole    bool    // these are all
	left     int
	why      string             // the first thing that is not known
	zero     map[string]verdict // whether a name is uid 0
}

// matcher compares u. With listed, the groups that only /etc/group gives u count.
func (p *sudoers) matcher(a *Accounts, u User, listed bool) *matcher {
	m := &matcher{sudoers: p, accounts: a, user: u, left: maxMatches, zero: map[string]verdict{}}
	m.groups, m.whole = a.GroupsOf(u)
	if listed {
		m.groups = append(m.groups, a.Listed(u)...)
	}
	return m
}

func (m *matcher) unsure(why string) verdict {
	m.why = cmp.Or(m.why, why)
	return unsure
}

// list returns what a list says: the last element that matches decides.
func (m *matcher) list(list []member, kind string, match func(name string) verdict) verdict {
	var may [unsure + 1]bool
	for _, x := range slices.Backward(list) {
		if m.left--; m.left < 0 {
			return m.unsure("the policy is too large to be followed")
		}
		v := m.element(x, kind, match)
		switch {
		case v == unsure:
			may[allow.negated(x.not)] = true
		case v == unspecified:
		case may[allow] && v == deny, may[deny] && v == allow:
			return unsure
		default:
			return v
		}
	}
	if may[allow] || may[deny] {
		return unsure
	}
	return unspecified
}

func (m *matcher) element(x member, kind string, match func(string) verdict) verdict {
	if x.name == "ALL" && !x.literal {
		return allow.negated(x.not)
	}
	if list, ok := m.members[kind+" "+x.name]; ok && !x.literal {
		if m.left < 0 {
			return m.unsure("the policy is too large to be followed")
		}
		m.left -= 10 // an alias can hold itself: that ends here
		return m.list(list, kind, match).negated(x.not)
	}
	return match(x.name).negated(x.not)
}

// who matches the user who calls.
func (m *matcher) who(name string) verdict {
	u := m.user
	switch {
	case strings.Contains(name, "$"):
		return m.unsure("the name of the user is a variable")
	case strings.HasPrefix(name, "+"):
		return m.unsure("netgroups are not known")
	case strings.HasPrefix(name, "%:"):
		return m.unsure("the groups of plugins are not known")
	case strings.HasPrefix(name, "%#"):
		return m.inGroup(func(g Group) bool { return strconv.Itoa(g.GID) == name[2:] })
	case strings.HasPrefix(name, "%"):
		return m.inGroup(func(g Group) bool { return g.Name == name[1:] })
	case strings.HasPrefix(name, "#"):
		if n, _, ok := number(name[1:]); ok && u.Known && n == u.UID {
			return allow
		}
		if !u.Known {
			return m.unsure("the uid of " + u.String() + " is not known")
		}
	case name == u.Name:
		return allow
	}
	return unspecified
}

func (m *matcher) inGroup(is func(Group) bool) verdict {
	switch {
	case slices.ContainsFunc(m.groups, is):
		return allow
	case !m.whole:
		return m.unsure("the groups of " + m.user.String() + " are not all known: " + m.accounts.UnknownGroups)
	}
	return unspecified
}

// root matches the user to run a command as, if that is uid 0.
func (m *matcher) root(name string) verdict {
	v, ok := m.zero[name]
	if !ok {
		m.left -= 100 // it looks through all accounts
		v = m.isRoot(name)
		m.zero[name] = v
	}
	return v
}

func (m *matcher) isRoot(name string) verdict {
	switch {
	case strings.HasPrefix(name, "+"), strings.HasPrefix(name, "%:"), strings.Contains(name, "$"):
		return m.unsure("who " + name + " is, is not known")
	case strings.HasPrefix(name, "%"):
		groups, _ := m.accounts.GroupsOf(m.accounts.Resolve("root"))
		if slices.ContainsFunc(groups, func(g Group) bool { return name == "%"+g.Name || name == "%#"+strconv.Itoa(g.GID) }) {
			return allow
		}
	case strings.HasPrefix(name, "#"):
		if n, _, ok := number(name[1:]); ok && n == 0 {
			return allow
		}
	case m.accounts.Resolve(name).IsRoot() == Yes:
		return allow
	}
	return unspecified
}

// host matches the container's host name, which is only known when it runs.
func (m *matcher) host(name string) verdict {
	return m.unsure("the policy is for the host " + name + " only")
}

func (m *matcher) matchesUser(s spec) verdict { return m.list(s.users, "User_Alias", m.who) }

func (m *matcher) matchesHost(s spec) verdict { return m.list(s.hosts, "Host_Alias", m.host) }

// asRoot reports whether a command may be run as uid 0.
func (m *matcher) asRoot(a allowed, standard string) verdict {
	if !a.chosen {
		return m.root(standard)
	}
	return m.list(a.runas, "Runas_Alias", m.root)
}

// effective is what the Defaults that count for the user come to.
type effective struct {
	free     bool   // no password is asked for
	setenv   bool   // the user may set any variable
	standard string // whom commands run as, where a spec does not say
	exempt   string // group that needs no password
	keeps    string // variable that is passed on and makes any program run other code
	commands []defaults
}

// loaders are variables that make the dynamic linker, or a shell, run other code.
var loaders = []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "BASH_ENV", "ENV"}

// effective applies the Defaults as sudo does: in their order, but those for the user
// to run as after the others, and those for commands last.
func (m *matcher) effective() effective {
	e := effective{standard: "root"}
	for _, scopes := range []string{"\x00@:", ">"} {
		for _, d := range m.defaults {
			if strings.IndexByte(scopes, d.scope) >= 0 && m.applies(d) {
				e.apply(d.settings)
			}
		}
	}
	for _, d := range m.defaults {
		if d.scope == '!' {
			e.commands = append(e.commands, d)
		}
	}
	if e.exempt != "" && m.inGroup(func(g Group) bool { return g.Name == e.exempt }) == allow {
		e.free = true
	}
	return e
}

func (m *matcher) applies(d defaults) bool {
	switch d.scope {
	case '@':
		return m.list(d.who, "Host_Alias", m.host) == allow
	case ':':
		return m.list(d.who, "User_Alias", m.who) == allow
	case '>':
		return m.list(d.who, "Runas_Alias", m.root) == allow
	}
	return true
}

func (e *effective) apply(settings []setting) {
	for _, s := range settings {
		switch s.name {
		case "authenticate":
			e.free = s.not
		case "setenv":
			e.setenv = !s.not
		case "runas_default":
			e.standard = cmp.Or(s.value, "root")
		case "exempt_group":
			e.exempt = s.value
		case "env_keep":
			e.keep(s)
		}
	}
}

func (e *effective) keep(s setting) {
	if s.not || s.op == "=" {
		e.keeps = ""
	}
	for name := range strings.FieldsSeq(s.value) {
		switch {
		case s.op == "-=" && name == e.keeps:
			e.keeps = ""
		case s.op != "-=" && slices.Contains(loaders, name):
			e.keeps = name
		}
	}
}
