package effect

// Holds is the answer to a question about a state.
type Holds uint8

// The answers, the better the higher.
const (
	No Holds = iota
	Undecided
	Yes
)

// Reason is one thing that does not hold, or is not known.
type Reason struct {
	Weakness Weakness
	Text     string // in words, without a subject: "the saved uid is 0"
}

// Weakness names a reason.
type Weakness string

// The weaknesses.
const (
	NoDrop        Weakness = "no-drop"        // root in every respect
	RootUID       Weakness = "root-uid"       // real, effective or saved uid 0 is left
	RootGID       Weakness = "root-gid"       // real, effective or saved gid 0 is left
	GroupsKept    Weakness = "groups-kept"    // the supplementary groups were never set
	GroupsOfRoot  Weakness = "root-group"     // 0 is among them
	CapsKept      Weakness = "keepcaps"       // the capabilities outlive the drop
	OneThreadOnly Weakness = "one-thread"     // a raw system call changes one thread only
	DropSwallowed Weakness = "drop-swallowed" // a drop call's exception was swallowed
	WrongOrder    Weakness = "order"          // groups or gid after the uid
	SwitchedOff   Weakness = "switched"       // a condition of the environment can switch the drop off
	Race          Weakness = "race"           // another thread drops, or runs already
	NotKnown      Weakness = "not-known"      // an id or the groups are not known
	TrackLost     Weakness = "track-lost"     // something that is not understood came before

	InMapping  Weakness = "in-mapping"  // still in os.environ
	InProcess  Weakness = "in-process"  // still in the process's environment: a child gets it
	InInitial  Weakness = "in-initial"  // /proc/PID/environ shows it
	ToChild    Weakness = "to-child"    // handed to the child
	ReadLate   Weakness = "read-late"   // read after it was removed
	MaybeThere Weakness = "maybe-there" // removed or not
)

// Dropped judges whether the process has given up root for good. Reasons say what does not hold, or, for Undecided, what is not known.
func (s State) Dropped() (Holds, []Reason) {
	var bad []Reason
	add := func(cond bool, w Weakness, text string) {
		if cond {
			bad = append(bad, Reason{w, text})
		}
	}
	if s.UID == Same(Number(0)) || s.UID == Same(Named("root")) {
		add(true, NoDrop, "it still runs as root")
	} else {
		add(s.UID.any(Root), RootUID, s.UID.which("uid"))
		add(s.GID.any(Root), RootGID, s.GID.which("gid"))
		add(s.Groups == GroupsInherited, GroupsKept, "the supplementary groups of root are kept")
		add(s.Groups == GroupsRoot, GroupsOfRoot, "group 0 is among the supplementary groups")
		add(s.CapsKept, CapsKept, "the capabilities are kept over the change of uid")
		add(s.OneThread, OneThreadOnly, "a raw system call changed the ids of one thread only")
	}
	if len(bad) > 0 {
		add(s.Race, Race, "another thread gives it up at a time that is not known")
		add(s.DropFailed, DropSwallowed, "a call that gives up root failed and the program went on")
		add(s.GroupsLate, WrongOrder, "groups or gid were to be changed after the uid, when that is no longer allowed")
		add(s.Switched, SwitchedOff, "the environment or the command line decides whether it is dropped")
		add(s.Lost, TrackLost, "the analysis lost track before")
		if s.Lost || s.Race {
			return Undecided, bad
		}
		return No, bad
	}
	add(s.UID.any(Unknown) || s.GID.any(Unknown) || s.Groups == GroupsUnknown, NotKnown, "the ids or groups it changes to are not known")
	add(s.Lost, TrackLost, "the analysis lost track before")
	if len(bad) > 0 {
		return Undecided, bad
	}
	return Yes, nil
}

// which says which of the ids is 0.
func (i IDs) which(what string) string {
	switch {
	case i.Real.Class == Root && i.Effective.Class != Root && i.Saved.Class != Root:
		return "the real " + what + " is 0"
	case i.Saved.Class == Root && i.Effective.Class != Root && i.Real.Class != Root:
		return "the saved " + what + " is 0"
	case i.Effective.Class != Root:
		return "only the effective " + what + " was changed"
	}
	return "the " + what + " is 0"
}

// Leak is a variable that untrusted code can reach, or may.
type Leak struct {
	Weakness  Weakness
	Variables Variables
	Certain   bool
	Text      string
}

// Environment judges whether untrusted code in this process, and any child it starts without saying more, is kept from the watched variables.
// It does not look at /proc: see Exposed.
func (s State) Environment() (Holds, []Leak) {
	var leaks []Leak
	add := func(w Weakness, v Variables, certain bool, text string) {
		if v != 0 {
			leaks = append(leaks, Leak{w, v, certain && !s.Lost, text})
		}
	}
	sure, maybe := s.Mapping&^s.Maybe, s.Mapping&s.Maybe
	add(InMapping, sure, true, "still in os.environ")
	add(InProcess, s.Process&^s.Mapping&^s.Maybe, true, "still in the process's environment")
	add(ReadLate, s.Late, true, "removed before it is read")
	add(MaybeThere, maybe|s.Process&s.Maybe, false, "removed or not: not known")
	return verdict(leaks, s.Lost)
}

// Exposed is the variables that /proc/PID/environ shows to the user the process runs as, whatever was removed since it started.
func (s State) Exposed() Variables {
	if s.UID.Effective.Class == Root || !s.Dumpable {
		return 0
	}
	return s.Initial
}

func verdict(leaks []Leak, lost bool) (Holds, []Leak) {
	holds := Yes
	if lost {
		holds = Undecided
	}
	for _, l := range leaks {
		if l.Certain {
			return No, leaks
		}
		holds = Undecided
	}
	return holds, leaks
}
