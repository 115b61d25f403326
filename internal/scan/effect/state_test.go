package effect

import (
	"slices"
	"testing"
)

// step is a system call of a program: its name and ids.
type step struct {
	call string
	ids  []ID
}

func ids(call string, numbers ...int64) step {
	s := step{call: call}
	for _, n := range numbers {
		if n < 0 {
			s.ids = append(s.ids, Keep)
		} else {
			s.ids = append(s.ids, Number(n))
		}
	}
	return s
}

// run applies the calls, each as it succeeds; one that can only fail is taken to be swallowed.
func run(s State, steps []step) State {
	for _, st := range steps {
		var results []Result
		if st.call == "setgroups" {
			results = s.SetGroups(GroupsSafe)
		} else {
			results = s.SetIDs(st.call, st.ids)
		}
		s = results[0].State
	}
	return s
}

// TestDropped follows the kernel's rules, as measured on Linux 6.18.
func TestDropped(t *testing.T) {
	groups, gid, uid := step{call: "setgroups"}, ids("setgid", 1000), ids("setuid", 1000)
	tests := []struct {
		name  string
		steps []step
		want  Holds
		weak  []Weakness
	}{
		{"nothing", nil, No, []Weakness{NoDrop}},
		{"groups, gid, uid", []step{groups, gid, uid}, Yes, nil},
		{"gid, groups, uid", []step{gid, groups, uid}, Yes, nil},
		{"uid first", []step{groups, uid, gid}, No, []Weakness{RootGID, DropSwallowed, WrongOrder}},
		{"uid before groups", []step{gid, uid, groups}, No, []Weakness{GroupsKept, DropSwallowed, WrongOrder}},
		{"no groups", []step{gid, uid}, No, []Weakness{GroupsKept}},
		{"uid only", []step{uid}, No, []Weakness{RootGID, GroupsKept}},
		{"effective only", []step{groups, ids("setegid", 1000), ids("seteuid", 1000)}, No, []Weakness{RootUID, RootGID}},
		{"setreuid(-1, u)", []step{groups, gid, ids("setreuid", -1, 1000)}, No, []Weakness{RootUID}},
		{"setreuid(u, u)", []step{groups, ids("setregid", 1000, 1000), ids("setreuid", 1000, 1000)}, Yes, nil},
		{"setresuid(u, u, 0)", []step{groups, gid, ids("setresuid", 1000, 1000, 0)}, No, []Weakness{RootUID}},
		{"setresuid(u, u, u)", []step{groups, ids("setresgid", 1000, 1000, 1000), ids("setresuid", 1000, 1000, 1000)}, Yes, nil},
		{"setuid(0)", []step{groups, gid, ids("setuid", 0)}, No, []Weakness{NoDrop}},
		{"gid 0", []step{groups, ids("setgid", 0), uid}, No, []Weakness{RootGID}},
		{"uid not known", []step{groups, gid, {"setuid", []ID{{}}}}, Undecided, []Weakness{NotKnown}},
		{"back to root is refused", []step{groups, gid, uid, ids("setuid", 0)}, Yes, nil},
		{"effective to root again", []step{groups, gid, ids("seteuid", 1000), ids("seteuid", 0)}, No, []Weakness{NoDrop}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, reasons := run(Start(Number(0), Number(0), 3), test.steps).Dropped()
			var weak []Weakness
			for _, r := range reasons {
				weak = append(weak, r.Weakness)
			}
			if got != test.want || !slices.Equal(weak, test.weak) {
				t.Errorf("got %d %v, want %d %v", got, weak, test.want, test.weak)
			}
		})
	}
}

// Where the analysis lost track, nothing is certain any more.
func TestLost(t *testing.T) {
	s := Start(Number(0), Number(0), 1)
	s.Lost = true
	if got, _ := s.Dropped(); got != Undecided {
		t.Errorf("dropped is %d", got)
	}
	if got, _ := s.Environment(); got != Undecided {
		t.Errorf("environment is %d", got)
	}
}

// A drop in the process hides its first environment from the user; an exec shows the new one's.
func TestExposed(t *testing.T) {
	drop := []step{{call: "setgroups"}, ids("setgid", 1000), ids("setuid", 1000)}
	before := Start(Number(0), Number(0), 3)
	inProcess := run(before, drop)
	tests := []struct {
		name  string
		state State
		want  Variables
	}{
		{"root", before, 0},
		{"dropped in the process", inProcess, 0},
		{"dropped, then executed", inProcess.Exec(All(3)), 7},
		{"dropped, then executed with one", inProcess.Exec(2), 2},
		{"started as a user", Start(Number(1000), Number(1000), 3), 7},
	}
	for _, test := range tests {
		if got := test.state.Exposed(); got != test.want {
			t.Errorf("%s: exposes %b, want %b", test.name, got, test.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	tests := []struct {
		name                          string
		mapping, process, late, maybe Variables
		want                          Holds
		weak                          []Weakness
	}{
		{name: "all gone", want: Yes},
		{name: "kept", mapping: 3, process: 3, want: No, weak: []Weakness{InMapping}},
		{name: "kept in the process only", process: 1, want: No, weak: []Weakness{InProcess}},
		{name: "kept in the mapping only", mapping: 1, want: No, weak: []Weakness{InMapping}},
		{name: "read too late", late: 1, want: No, weak: []Weakness{ReadLate}},
		{name: "perhaps", mapping: 1, process: 1, maybe: 1, want: Undecided, weak: []Weakness{MaybeThere}},
	}
	for _, test := range tests {
		s := State{Mapping: test.mapping, Process: test.process, Late: test.late, Maybe: test.maybe}
		got, leaks := s.Environment()
		var weak []Weakness
		for _, l := range leaks {
			weak = append(weak, l.Weakness)
		}
		if got != test.want || !slices.Equal(weak, test.weak) {
			t.Errorf("%s: got %d %v, want %d %v", test.name, got, weak, test.want, test.weak)
		}
	}
}

// Which paths count: a fixed command that only prepares never does, the end of the program only where nothing else is started.
func TestJudged(t *testing.T) {
	root := Start(Number(0), Number(0), 1)
	user := run(root, []step{{call: "setgroups"}, ids("setgid", 1000), ids("setuid", 1000)})
	sink := func(k SinkKind, s State, command ...string) Path {
		return Path{State: s, Sink: Sink{Kind: k, Command: command, EnvKnown: true}}
	}
	tests := []struct {
		name  string
		paths []Path
		want  Holds
	}{
		{"nothing seen", nil, Undecided},
		{"ends as root", []Path{sink(EndSink, root)}, No},
		{"prepares, then hands off", []Path{sink(SpawnSink, root, "/bin/chown", "-R", "x", "/w"), sink(HandOffSink, user), sink(EndSink, user)}, Yes},
		{"prepares, then ends as root", []Path{sink(SpawnSink, root, "chown"), sink(EndSink, root)}, No},
		{"root waits for a child that is none", []Path{sink(SpawnSink, user), sink(EndSink, root)}, Yes},
		{"one path of two", []Path{sink(HandOffSink, user), sink(HandOffSink, root)}, No},
		{"fixed commands both ways", []Path{sink(SpawnSink, root, "a"), sink(SpawnSink, user, "b")}, Undecided},
	}
	for _, test := range tests {
		if got := (Outcome{Paths: test.paths, Complete: true}).Dropped(); got != test.want {
			t.Errorf("%s: got %d, want %d", test.name, got, test.want)
		}
		if got := (Outcome{Paths: test.paths}).Dropped(); got != Undecided {
			t.Errorf("%s, incomplete: got %d", test.name, got)
		}
	}
}

func TestHistory(t *testing.T) {
	var h *History
	one := h.Add(Effect{Call: "a"})
	two, other := one.Add(Effect{Call: "b"}), one.Add(Effect{Call: "c"})
	for _, test := range []struct {
		h    *History
		want []string
	}{{h, nil}, {two, []string{"a", "b"}}, {other, []string{"a", "c"}}} {
		var got []string
		for _, e := range test.h.Effects() {
			got = append(got, e.Call)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("got %v, want %v", got, test.want)
		}
	}
}
