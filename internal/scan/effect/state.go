package effect

// State is what is shown of a process at one point. It is comparable: equal states are the same state.
type State struct {
	UID, GID IDs
	Groups   Groups

	KeepCaps        bool // PR_SET_KEEPCAPS or securebits: capabilities will outlive a change of uid
	CapsKept        bool // they did: it has root's capabilities under another uid
	NoNewPrivileges bool // shown to be set; false is no finding by itself
	Dumpable        bool // the user it runs as may read its /proc/PID/environ and memory (PR_GET_DUMPABLE)
	OneThread       bool // ids were changed by a raw system call, which changes one thread only
	Child           bool // a forked child: what it gives up the parent keeps

	DropFailed bool // a call that gives up root raised, and the program went on
	GroupsLate bool // groups or gid were to be changed when the right to do so was gone
	Race       bool // another thread, or a task, changes ids or environment at a time that is not known
	Switched   bool // a condition that the environment decides led here

	// The environment, for the watched variables.
	Mapping Variables // may be in os.environ (in a shell: among its variables)
	Process Variables // may be in the C environment: what a child gets if nothing else is said
	Initial Variables // in the environment the program was executed with, which /proc/PID/environ shows whatever is removed later
	Read    Variables // were read
	Late    Variables // were read when they had been removed already, and never before
	Maybe   Variables // removed or not: the name, or the value, is not known
	Rebound bool      // os.environ is something else now; the process's environment is what it was

	Lost bool // credentials or environment may have been changed by something that is not understood
}

// Start is the state of a container that starts as uid and gid, with all n watched variables in its environment.
func Start(uid, gid ID, n int) State {
	all := All(n)
	s := State{UID: Same(uid), GID: Same(gid), Groups: GroupsInherited, Dumpable: true, Mapping: all, Process: all, Initial: all}
	switch uid.Class {
	case User:
		s.Groups = GroupsSafe
	case Unknown:
		s.Groups = GroupsUnknown
	}
	return s
}

// Exec is the state after the process has executed another program with the variables env: a new first environment, readable again by the
// user it runs as (execve(2)), and capabilities by the uid.
func (s State) Exec(env Variables) State {
	s.Mapping, s.Process, s.Initial = env, env, env
	s.Read, s.Late, s.Maybe, s.Rebound = 0, 0, s.Maybe&env, false
	s.Dumpable, s.KeepCaps, s.CapsKept, s.Race = true, false, false, false
	s.UID.Saved, s.GID.Saved = s.UID.Effective, s.GID.Effective
	return s
}

// Privileged reports whether the process may change its ids: its effective uid is 0.
func (s State) Privileged() Class { return s.UID.Effective.Class }
