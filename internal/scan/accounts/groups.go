package accounts

import "slices"

// GroupsOf returns the groups of a user's processes, the first one the group of GID,
// if that is known. whole is false if there may be more.
func (a *Accounts) GroupsOf(u User) (groups []Group, whole bool) {
	whole = a.UnknownGroups == ""
	switch primary, ok := a.groupNumbered(u.GID); {
	case u.GID < 0:
		whole = false
	case ok:
		groups = append(groups, Group{primary.name, primary.gid, primary.source})
	default:
		groups = append(groups, Group{GID: u.GID, Source: u.Source})
	}
	for _, g := range u.Groups {
		if !slices.ContainsFunc(groups, func(o Group) bool { return o.Name == g.Name && o.GID == g.GID }) {
			groups = append(groups, g)
		}
	}
	return groups, whole
}

// Listed returns the groups of which /etc/group says that the account is a member,
// also if a runtime does not give them: newgrp(1) does.
func (a *Accounts) Listed(u User) []Group {
	if u.Name == "" {
		return nil
	}
	return a.groupsOf(u.Name)
}

func (a *Accounts) groupNumbered(gid int) (group, bool) {
	for g := range a.group.groups() {
		if g.gid == gid && g.name != "" {
			return g, true
		}
	}
	for _, g := range a.madeGroups {
		if g.gid == gid && gid >= 0 {
			return g, true
		}
	}
	return group{}, false
}

// maxPeople is how many accounts People returns.
const maxPeople = 50

// People returns the accounts that are made for somebody, not by the distribution for
// a service: by their uid (login.defs(5), UID_MIN and UID_MAX), or because an
// instruction makes them.
func (a *Accounts) People() []User {
	var out []User
	seen := map[string]bool{}
	add := func(x account, made bool) {
		if len(out) < maxPeople && !seen[x.name] && (made || 1000 <= x.uid && x.uid < 60000) {
			if u := a.Resolve(x.name); u.Exists && u.IsRoot() != Yes {
				out = append(out, u)
			}
			seen[x.name] = true
		}
	}
	for x := range a.passwd.accounts() {
		add(x, false)
	}
	for _, x := range a.made {
		add(x, true)
	}
	return out
}
