package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

// A remnant is what untrusted code can still get of the session's variables on one
// path, and what the program did about them.
type remnant struct {
	path    effect.Path
	read    effect.Variables // the program reads them
	tried   effect.Variables // it does something to remove them, whether or not that works
	kept    effect.Variables // the code has them in its own environment
	exposed effect.Variables // it can read them in /proc, in the first environment of a process of its user
	parent  string           // the program in whose environment that is, if not the path's own
	late    effect.Variables // removed before they are read
	known   effect.Variables // the program reads them, or tries to remove them, on some path
	unsure  string           // why more is not known; empty if all is
}

// left is what the code can get.
func (r remnant) left() effect.Variables { return r.kept | r.exposed }

func remnants(l *launch.Launch) []remnant {
	var known effect.Variables
	for _, p := range l.Outcome.Paths {
		r := handled(p)
		known |= r.read | r.tried
	}
	var out []remnant
	for _, p := range l.Outcome.Judged() {
		r := remains(l, p)
		r.known = known
		out = append(out, r)
	}
	return out
}

// handled is what the program does about the variables on a path.
func handled(p effect.Path) remnant {
	r := remnant{path: p, read: p.State.Read, late: p.State.Late}
	for _, e := range p.Past.Effects() {
		switch e.Kind {
		case effect.ReadVariable, effect.Argument:
			r.read |= e.Variables
		case effect.RemoveVariable, effect.KeepVariable, effect.AddVariable:
			r.tried |= e.Variables
		}
	}
	return r
}

func remains(l *launch.Launch, p effect.Path) remnant {
	r := handled(p)
	_, leaks := p.Environment()
	for _, leak := range leaks {
		switch {
		case leak.Weakness == effect.ReadLate:
		case leak.Certain:
			r.kept |= leak.Variables
		default:
			r.unsure = leak.Text
		}
	}
	if p.Sink.Kind != effect.ReplaceSink {
		r.exposed = p.State.Exposed()
	}
	for _, parent := range parents(l, p) {
		switch open := parent.State.Exposed(); {
		case open == 0 || !sameUser(parent.State.UID.Effective, p.State.UID.Effective):
		case parent.Maybe:
			r.unsure = parent.Name + " may keep running with the first environment"
		default:
			r.exposed, r.parent = r.exposed|open, parent.Name
		}
	}
	if p.State.Lost && r.unsure == "" {
		r.unsure = "track was lost before"
	}
	return r
}

// parents are the programs that live on while a path runs.
func parents(l *launch.Launch, p effect.Path) []launch.Parent {
	for i, q := range l.Outcome.Paths {
		if i < len(l.Parents) && q.Past == p.Past && q.State == p.State && q.Sink.Place == p.Sink.Place {
			return l.Parents[i]
		}
	}
	return nil
}

// sameUser reports whether two processes run as one user, as far as is known.
func sameUser(a, b effect.ID) bool {
	switch {
	case a.Class != effect.User || b.Class != effect.User:
		return false
	case a.Known && b.Known:
		return a.Num == b.Num
	}
	return a.Name == b.Name
}

// unproved claims what keeps a step from being shown, and reports whether there is
// something: code that nobody strips the variables for, or track that was lost.
func unproved(p *scan.Pass, l *launch.Launch, all []remnant) bool {
	for _, r := range all {
		if left := r.left() &^ r.known; left != 0 {
			p.Unknownf(atSink(p, r.path), "nothing that was followed reads or removes %s before the code at %s can start: if a container is given it, that code has it", names(l, left), place(r.path.Sink.Place))
			return true
		}
	}
	for _, r := range all {
		if r.unsure != "" {
			p.Unknownf(atSink(p, r.path), "what the code at %s finds of the session's variables is not known: %s", place(r.path.Sink.Place), r.unsure)
			return true
		}
	}
	if why := interrupted(l); why != "" {
		p.Unknownf(entry(p), "what happens between the start and the untrusted code could not be followed to the end: %s", why)
		return true
	}
	if len(all) == 0 {
		p.Unknownf(entry(p), "no place is known where untrusted code could start")
		return true
	}
	return false
}

func names(l *launch.Launch, v effect.Variables) string {
	return strings.Join(v.Names(l.Outcome.Watched), ", ")
}

// verb agrees with the number of variables.
func verb(v effect.Variables, one, more string) string {
	if v&(v-1) == 0 {
		return one
	}
	return more
}

// place is a place in words.
func place(at effect.Place) string {
	if at.File == "" || at.File == inConfig {
		return "the entrypoint"
	}
	return at.String()
}

// first returns where a path first does something to the given variables.
func first(path effect.Path, v effect.Variables, kinds ...effect.Kind) effect.Place {
	for _, e := range path.Past.Effects() {
		for _, k := range kinds {
			if e.Kind == k && e.Variables&v != 0 {
				return e.Place
			}
		}
	}
	return path.Sink.Place
}
