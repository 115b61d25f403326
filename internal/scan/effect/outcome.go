package effect

// SinkKind says how untrusted code may start.
type SinkKind uint8

// The kinds of sinks.
const (
	EndSink     SinkKind = iota + 1 // the program ends: what it was started for is not seen, its state is what counts
	CodeSink                        // exec, eval, runpy: code runs in this process
	ModuleSink                      // a module that is not known by name, or that others can write, is imported
	HandOffSink                     // third-party code is called that starts, serves or runs something
	CallSink                        // third-party code is called after root was given up
	ServeSink                       // a server of the standard library starts, an event loop runs for good
	SpawnSink                       // a child process is started
	ReplaceSink                     // the program replaces itself (execve)
)

// Sink is a place where untrusted code may start.
type Sink struct {
	Kind    SinkKind
	Call    string // as it is to be shown
	Place   Place
	Command []string // the argv, if the program itself says every word of it; nil otherwise
	Perhaps bool     // of a HandOffSink: its name does not say what it starts

	// Of a SpawnSink or ReplaceSink: what is in the environment of the new program.
	Env      Variables // of the watched variables
	EnvKnown bool      // false: Env is not known
	EnvGiven bool      // the program says what it is (env=, execve); else it is inherited
	Argv     Variables // watched variables whose value is on the command line
}

// InProcess reports whether the untrusted code runs in the process itself and so sees its memory.
func (s Sink) InProcess() bool { return s.Kind != SpawnSink && s.Kind != ReplaceSink }

// Path is one way from the start to a sink. State is that of the process in which the untrusted code starts: a child's for SpawnSink.
type Path struct {
	Past  *History
	State State
	Sink  Sink
}

// Dropped judges whether root is given up for good where the sink is.
func (p Path) Dropped() (Holds, []Reason) { return p.State.Dropped() }

// Environment judges whether the untrusted code is kept from the watched variables, apart from /proc.
func (p Path) Environment() (Holds, []Leak) {
	if p.Sink.InProcess() {
		return p.State.Environment()
	}
	var leaks []Leak
	if p.State.Late != 0 {
		leaks = append(leaks, Leak{ReadLate, p.State.Late, !p.State.Lost, "removed before it is read"})
	}
	switch {
	case !p.Sink.EnvKnown:
		leaks = append(leaks, Leak{MaybeThere, p.State.Initial, false, "what the child's environment holds is not known"})
	case p.Sink.Env != 0:
		sure := p.Sink.Env &^ p.State.Maybe
		if sure != 0 {
			leaks = append(leaks, Leak{ToChild, sure, !p.State.Lost, "handed to the child in its environment"})
		} else {
			leaks = append(leaks, Leak{MaybeThere, p.Sink.Env, false, "removed or not: not known"})
		}
	}
	return verdict(leaks, p.State.Lost)
}

// Loss is a place where the analysis lost track, and why.
type Loss struct {
	Place  Place
	Reason string
}

// Import is the load of a module of the program's own.
type Import struct {
	File  string // of the module
	Place Place  // of what loads it
}

// Outcome is all that is shown of a program.
type Outcome struct {
	Watched  []string // the names of the watched variables
	Paths    []Path   // in a fixed order: by place, then as found
	Losses   []Loss
	Loaded   []string // files of the program's own modules that run while it may still be root, in that order
	Late     []Import // of modules of its own that only run when root was given up, in that order
	Complete bool     // every path within the model was followed; false: a budget ran out, or a part could not be read
	Steps    int      // what the analysis cost, in instructions
}

// Judged are the paths by which the program is to be judged. The program's end counts only where no untrusted code is seen to start; a child
// process with a fixed command line is part of setting up where something else is seen to be started.
func (o Outcome) Judged() []Path {
	rank := func(p Path) int {
		switch {
		case p.Sink.Kind == EndSink:
			return 0
		case p.Sink.Command == nil:
			return 2
		case setsUp(p.Sink.Command):
			return -1
		}
		return 1
	}
	best := 0
	for _, p := range o.Paths {
		best = max(best, rank(p))
	}
	var judged []Path
	for _, p := range o.Paths {
		if rank(p) == best {
			judged = append(judged, p)
		}
	}
	return judged
}

// Dropped is the answer over all judged paths. A yes means: no violation on any path that was modelled.
func (o Outcome) Dropped() Holds {
	return o.over(func(p Path) Holds { h, _ := p.Dropped(); return h })
}

// Environment is the answer over all judged paths. Where one of them removes variables of which it isn't known which they are, another one
// that has them still, because the loop around the removal did not run, is no proof that they stay.
func (o Outcome) Environment() Holds {
	var maybe Variables
	for _, p := range o.Judged() {
		maybe |= p.State.Maybe
	}
	return o.over(func(p Path) Holds {
		h, leaks := p.Environment()
		if h != No {
			return h
		}
		for _, l := range leaks {
			if l.Certain && (l.Weakness == ReadLate || l.Variables&^maybe != 0) {
				return No
			}
		}
		return Undecided
	})
}

func (o Outcome) over(ask func(Path) Holds) Holds {
	judged := o.Judged()
	if len(judged) == 0 {
		return Undecided
	}
	worst, fixed := Yes, true
	yes := false
	for _, p := range judged {
		h := ask(p)
		worst, yes = min(worst, h), yes || h == Yes
		fixed = fixed && p.Sink.Command != nil
	}
	if worst == No && yes && fixed {
		return Undecided // commands that are all fixed: which of them set up and which is the workload can't be told
	}
	if !o.Complete {
		return Undecided
	}
	return worst
}
