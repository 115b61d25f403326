package trace

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// credentialModels are the functions of os that change or tell ids.
func credentialModels() map[string]model {
	m := map[string]model{
		"os.setgroups": setGroups, "os.initgroups": initGroups,
		"os.getuid":  func(c *call) []outcome { return c.ret(fromID(c.w.state.UID.Real)) },
		"os.geteuid": func(c *call) []outcome { return c.ret(fromID(c.w.state.UID.Effective)) },
		"os.getgid":  func(c *call) []outcome { return c.ret(fromID(c.w.state.GID.Real)) },
		"os.getegid": func(c *call) []outcome { return c.ret(fromID(c.w.state.GID.Effective)) },
		"os.getresuid": func(c *call) []outcome {
			u := c.w.state.UID
			return c.ret(tuple([]value{fromID(u.Real), fromID(u.Effective), fromID(u.Saved)}))
		},
		"os.getresgid": func(c *call) []outcome {
			g := c.w.state.GID
			return c.ret(tuple([]value{fromID(g.Real), fromID(g.Effective), fromID(g.Saved)}))
		},
		"os.getgroups": getGroups, "os.getgrouplist": groupList,
		"pwd.getpwnam": getAccount, "grp.getgrnam": getAccount,
		"pwd.getpwuid": accountOf, "grp.getgrgid": accountOf,
	}
	for _, name := range []string{"setuid", "seteuid", "setreuid", "setresuid"} {
		m["os."+name] = setIDs(effect.SetUID, name)
	}
	for _, name := range []string{"setgid", "setegid", "setregid", "setresgid"} {
		m["os."+name] = setIDs(effect.SetGID, name)
	}
	for _, name := range []string{"os.unshare", "os.setns", "os.chroot"} {
		m[name] = loses
	}
	return m
}

// setIDs is a call that changes ids. It can fail wherever it stands: a container may lack the capability.
func setIDs(kind effect.Kind, name string) model {
	return func(c *call) []outcome {
		var ids []effect.ID
		for i := range c.args {
			ids = append(ids, changedID(c.args[i]))
		}
		for _, v := range c.values {
			ids = append(ids, changedID(v))
		}
		if c.open {
			ids = make([]effect.ID, map[string]int{"setreuid": 2, "setregid": 2, "setresuid": 3, "setresgid": 3}[name])
			if len(ids) == 0 {
				ids = make([]effect.ID, 1)
			}
		}
		return c.results(kind, c.w.state.SetIDs(name, ids))
	}
}

// results turns what the kernel does into outcomes.
func (c *call) results(kind effect.Kind, results []effect.Result) []outcome {
	var outs []outcome
	for _, r := range results {
		next := *c
		next.w.state = r.State
		next.note(effect.Effect{Kind: kind, Failed: r.Failed})
		if r.Failed {
			outs = append(outs, next.raise("OSError")...)
		} else {
			outs = append(outs, next.ret(none)...)
		}
	}
	return outs
}

// toID is a value as an id.
func toID(v value) effect.ID {
	switch v.kind {
	case intKind, boolKind:
		return effect.Number(v.num)
	case idKind, accountKind:
		return v.data.id
	}
	return effect.ID{}
}

// changedID is toID for a call in which -1 changes nothing.
func changedID(v value) effect.ID {
	if v.kind == intKind && v.num == -1 {
		return effect.Keep
	}
	return toID(v)
}

func fromID(id effect.ID) value {
	if id.Known {
		return integer(id.Num)
	}
	if id.Class == effect.Unknown {
		return unknown
	}
	return ident(id)
}

func setGroups(c *call) []outcome {
	groups := effect.GroupsUnknown
	if list := c.w.sequence(c.given(0, "")); list.kind == tupleKind {
		groups = groupsOf(list.items())
	}
	return c.results(effect.SetGroups, c.w.state.SetGroups(groups))
}

func groupsOf(items []value) effect.Groups {
	groups := effect.GroupsSafe
	for _, v := range items {
		switch toID(v).Class {
		case effect.Root:
			return effect.GroupsRoot
		case effect.Unknown:
			groups = effect.GroupsUnknown
		}
	}
	return groups
}

// initGroups sets the groups that list a user, and one more.
func initGroups(c *call) []outcome {
	user, gid := c.given(0, "username"), toID(c.given(1, "gid"))
	groups := effect.GroupsUnknown
	switch {
	case gid.Class == effect.Root || user.kind == stringKind && user.text == "root":
		groups = effect.GroupsRoot
	case gid.Class == effect.User && user.kind == stringKind:
		groups = effect.GroupsSafe
		if members := c.f.a.options.Members; members != nil {
			if list, known := members(user.text); known {
				for _, g := range list {
					if g == 0 {
						groups = effect.GroupsRoot
					}
				}
			}
		}
	}
	return c.results(effect.SetGroups, c.w.state.SetGroups(groups))
}

func getGroups(c *call) []outcome {
	return c.ret(unknown)
}

// groupList is os.getgrouplist: the groups that list a user, and one more.
func groupList(c *call) []outcome {
	user, gid := c.given(0, "user"), c.given(1, "group")
	if user.kind != stringKind {
		return c.mayRaise(unknown, "OSError")
	}
	groups := []value{gid}
	if members := c.f.a.options.Members; members != nil {
		if list, known := members(user.text); known {
			for _, g := range list {
				groups = append(groups, integer(g))
			}
		}
	}
	return c.ret(c.w.newList(c.f.site(c.pc), tuple(groups)))
}

// getAccount looks an account or group up by its name.
func getAccount(c *call) []outcome {
	what, lookup := "passwd", c.f.a.userID
	if c.path == "grp.getgrnam" {
		what, lookup = "group", c.f.a.groupID
	}
	name := c.given(0, "name")
	id := effect.ID{}
	if name.kind == stringKind {
		id = lookup(name.text)
	}
	return c.mayRaise(account(what, id), "KeyError")
}

// userID is the uid of an account of the image; by name only if the image is not known.
func (a *analysis) userID(name string) effect.ID {
	id := effect.Named(name)
	if a.options.User != nil {
		if uid, _, known := a.options.User(name); known {
			id = effect.Number(uid)
			id.Name = name
		}
	}
	return id
}

func (a *analysis) groupID(name string) effect.ID {
	id := effect.Named(name)
	if a.options.Group != nil {
		if gid, known := a.options.Group(name); known {
			id = effect.Number(gid)
			id.Name = name
		}
	}
	return id
}

// accountOf looks an account or group up by its number.
func accountOf(c *call) []outcome {
	what := "passwd"
	if c.path == "grp.getgrgid" {
		what = "group"
	}
	return c.mayRaise(account(what, toID(c.given(0, ""))), "KeyError")
}

// loses is a call that may change credentials in a way that is not modelled.
func loses(c *call) []outcome {
	c.f.a.lose(c.place(), c.path+" may change credentials or environment")
	c.w.state.Lost = true
	return c.mayRaise(unknown, "OSError")
}
