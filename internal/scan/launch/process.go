package launch

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// A process is what is known of one besides its program and its variables.
type process struct {
	state   effect.State
	trail   trail
	parents []Parent // those that live on, the nearest last
	writes  []Write  // on the way here, whatever was decided on it
	ambient bool     // it has capabilities that outlive an exec (capabilities(7), "Ambient")
}

// A Parent is a program that lives on while what it started runs. What its first
// environment holds, /proc/PID/environ shows to the user it runs as.
type Parent struct {
	Name  string // of the program: "tini"
	At    Place  // where it was started
	State effect.State
	Maybe bool // some versions replace themselves by what they start
}

// with is p as seen from what it starts without ending.
func (p process) with(name string, at Place, maybe bool) process {
	p.parents = append(slices.Clip(p.parents), Parent{name, at, p.state, maybe})
	return p
}

// A trail is what happened on the way to a point, as far as it matters.
type trail struct {
	h *effect.History
	n int
}

// maxTrail bounds how much evidence one path carries.
const maxTrail = 200

func (t trail) add(e effect.Effect) trail {
	if t.n >= maxTrail || t.has(e) {
		return t
	}
	return trail{t.h.Add(e), t.n + 1}
}

// has reports whether the last effects hold e: a loop brings the same one again.
func (t trail) has(e effect.Effect) bool {
	for h, i := t.h, 0; h != nil && i < 8; h, i = h.Before, i+1 {
		if h.Last == e {
			return true
		}
	}
	return false
}

// meet is the trail where two paths meet: what only one of them did is said to be
// done on some paths.
func (t trail) meet(o trail) trail {
	if t.h == o.h {
		return t
	}
	common := map[*effect.History]bool{}
	for h := t.h; h != nil; h = h.Before {
		common[h] = true
	}
	var extra []effect.Effect
	for h := o.h; h != nil && !common[h]; h = h.Before {
		extra = append(extra, h.Last)
	}
	for _, e := range slices.Backward(extra) {
		e.Note = cmp.Or(e.Note, "on some paths")
		t = t.add(e)
	}
	return t
}

// did adds an effect at a place.
func (p *process) did(kind effect.Kind, call string, at Place, vars effect.Variables, note string) {
	p.trail = p.trail.add(effect.Effect{Kind: kind, Call: call, Place: at.shown(), Variables: vars, Note: note})
}

// meet is the process where two paths of one script meet.
func (p process) meet(o process) process {
	p.trail = p.trail.meet(o.trail)
	p.state.Switched = p.state.Switched && o.state.Switched
	p.state.Lost = p.state.Lost || o.state.Lost
	p.writes = common(p.writes, o.writes)
	return p
}

// id is a user's or group's id as the analysis of effects knows them.
func id(class accounts.Answer, num int, name string) effect.ID {
	switch {
	case class == accounts.Yes:
		return effect.ID{Class: effect.Root, Known: true, Name: name}
	case class == accounts.No && num > 0:
		return effect.ID{Class: effect.User, Known: true, Num: int64(num), Name: name}
	case class == accounts.No:
		return effect.ID{Class: effect.User, Name: name}
	}
	return effect.ID{Name: name}
}

// ids are the uid and gid that a program gives a process for a user.
func ids(u accounts.User) (uid, gid effect.ID) {
	uid = id(u.IsRoot(), u.UID, u.Name)
	switch {
	case u.GID == 0:
		gid = effect.Number(0)
	case u.GID > 0:
		gid = effect.Number(int64(u.GID))
	case u.Source.Instr != nil && u.IsRoot() == accounts.No:
		gid = effect.ID{Class: effect.User} // useradd makes a group of the same name
	}
	return uid, gid
}

// groups are the supplementary groups that a program gives a process which looks
// them up, or sets the one it was given.
func groups(u accounts.User) effect.Groups {
	for _, g := range u.Groups {
		if g.GID == 0 {
			return effect.GroupsRoot
		}
	}
	if u.Unknown != "" && u.Source.Instr == nil && !u.Known {
		return effect.GroupsUnknown
	}
	return effect.GroupsSafe
}

// environ are the watched variables in an environment, and those of them that may
// be missing, or hold something else. A variable that takes the value of a watched
// one is watched from then on.
func (s *system) environ(v vars) (env, maybe effect.Variables) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		x := v[name]
		if !x.exported {
			continue
		}
		holds, known := "", true
		for _, w := range x.words {
			holds, known = holds+w.Holds, known && w.Known && !w.Loose
		}
		bit := s.bit(name)
		switch {
		case bit == 0 && holds == "", holds == "" && known:
			continue
		case bit == 0:
			bit = s.watch(name)
		}
		if env |= bit; x.maybe || holds == "" {
			maybe |= bit
		}
	}
	return env, maybe
}

// bit is the set that holds the variable alone; empty if it is not watched.
func (s *system) bit(name string) effect.Variables {
	if i := slices.Index(s.watched, name); i >= 0 {
		return 1 << i
	}
	return 0
}

const maxWatched = 60

func (s *system) watch(name string) effect.Variables {
	if len(s.watched) < maxWatched {
		s.watched = append(s.watched, name)
	}
	return s.bit(name)
}

// held is the set of the watched variables that a word holds.
func (s *system) held(names string) (v effect.Variables) {
	for n := range strings.FieldsSeq(names) {
		v |= s.bit(n)
	}
	return v
}

// executes makes a process of the program that a call is about to run.
func (t *tracer) executes(c *call) {
	env, maybe := t.environ(c.vars)
	s := c.proc.state.Exec(env)
	s.Maybe |= maybe
	s.CapsKept = c.proc.ambient
	c.proc.state = s
	var onArgv string
	for _, w := range c.argv {
		onArgv += " " + w.Holds
	}
	if v := t.held(onArgv); v != 0 {
		c.proc.did(effect.Argument, c.argv[0].Name(), c.at, v, "")
		if e := c.proc.trail.h.Last; !slices.Contains(t.onArgv, e) && len(t.onArgv) < maxTrail {
			t.onArgv = append(t.onArgv, e)
		}
	}
}
