package effect

// Result is what a system call does to the state. A call that may fail as well has two results.
type Result struct {
	State  State
	Failed bool
}

// Keep is the id that changes nothing, as -1 does in the calls that take more than one id.
var Keep = ID{Known: true, Num: -1}

// SetIDs are the results of setuid(2), seteuid, setreuid and setresuid, and of their counterparts for groups, by the kernel's rules. Each
// may fail, because a container can lack the capability; where the effective uid is not 0 a change of groups fails for certain.
func (s State) SetIDs(call string, ids []ID) []Result {
	if len(ids) == 0 || len(ids) != arity[call] {
		return []Result{{State: s, Failed: true}}
	}
	failed := s
	failed.DropFailed = true
	if isGID(call) {
		if s.Privileged() == User {
			failed.GroupsLate = true
			if !s.GID.allows(call, ids) {
				return []Result{{failed, true}}
			}
		}
		done := s
		done.GID = s.GID.set(call, ids, s.Privileged() != User)
		done.leave(s)
		return []Result{{done, false}, {failed, true}}
	}
	if s.Privileged() == User && !s.UID.allows(call, ids) {
		return []Result{{s, true}} // what it asks for it can't have: that is no failed drop
	}
	done := s
	done.UID = s.UID.set(call, ids, s.Privileged() != User)
	done.CapsKept = s.CapsKept || s.KeepCaps && s.UID.any(Root) && !done.UID.any(Root)
	done.leave(s)
	return []Result{{done, false}, {failed, true}}
}

// SetGroups are the results of setgroups(2) and initgroups(3).
func (s State) SetGroups(g Groups) []Result {
	failed := s
	failed.DropFailed = true
	if s.Privileged() == User {
		failed.GroupsLate = true
		return []Result{{failed, true}}
	}
	done := s
	done.Groups = g
	return []Result{{done, false}, {failed, true}}
}

// leave makes the process undumpable if its effective ids changed (commit_creds in the kernel, prctl(2) PR_SET_DUMPABLE).
func (s *State) leave(before State) {
	if s.UID.Effective != before.UID.Effective || s.GID.Effective != before.GID.Effective {
		s.Dumpable = false
	}
}

var arity = map[string]int{
	"setuid": 1, "seteuid": 1, "setreuid": 2, "setresuid": 3,
	"setgid": 1, "setegid": 1, "setregid": 2, "setresgid": 3,
}

func isGID(call string) bool { return call[len(call)-3:] == "gid" }

// set is what the call makes of the ids.
func (i IDs) set(call string, ids []ID, privileged bool) IDs {
	put := func(to *ID, id ID) {
		if id != Keep {
			*to = id
		}
	}
	before := i
	switch call {
	case "setuid", "setgid":
		if privileged {
			return Same(ids[0])
		}
		i.Effective = ids[0]
	case "seteuid", "setegid":
		put(&i.Effective, ids[0])
	case "setreuid", "setregid":
		put(&i.Real, ids[0])
		put(&i.Effective, ids[1])
		if ids[0] != Keep || ids[1] != Keep && ids[1] != before.Real {
			i.Saved = i.Effective
		}
	default:
		put(&i.Real, ids[0])
		put(&i.Effective, ids[1])
		put(&i.Saved, ids[2])
	}
	return i
}

// allows reports whether a process without privilege may set these ids: each must be one it has.
func (i IDs) allows(call string, ids []ID) bool {
	for _, id := range ids {
		if id != Keep && id.Class != Unknown && !same(id, i.Real) && !same(id, i.Effective) && !same(id, i.Saved) {
			return false
		}
	}
	return call != ""
}

// same reports whether the two may be the same id.
func same(a, b ID) bool {
	if a.Class == Unknown || b.Class == Unknown {
		return true
	}
	if a.Class != b.Class {
		return false
	}
	return !a.Known || !b.Known || a.Num == b.Num
}
