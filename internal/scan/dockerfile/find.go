package dockerfile

import (
	"path"
	"slices"
	"strings"
)

// A search is one find command (POSIX, find; GNU and BusyBox where they agree).
type search struct {
	args     []arg
	min, max int
	depth    bool // -delete and -depth: what is in a directory comes first, and -prune does nothing
	refused  bool // -delete with -prune and without -depth, which GNU find does not do
	acts     bool // there is an action other than to print
	prints   bool // there is a -print, so nothing else prints
	bad      bool // something is not understood
	todo     []action

	pruned, printed bool // by the file at hand
}

// An action is what find does to one file: remove it, or run a command.
type action struct {
	p    string
	args []arg // nil to remove
}

// A visited file is what tests look at.
type visited struct {
	path  string // absolute
	shown string // as find prints it
	n     *node
}

type test func(visited) bool

// find follows find and returns what it prints. With act set, it does what it
// does to files; ok is false if that is not understood.
func (r *session) find(args []arg, act bool) (found []string, ok bool) {
	for len(args) > 0 && slices.Contains([]string{"-L", "-H", "-P"}, args[0].text) {
		args = args[1:]
	}
	i := slices.IndexFunc(args, func(a arg) bool { return a.known && strings.ContainsAny(a.text[:min(1, len(a.text))], "-(!") })
	if i < 0 {
		i = len(args)
	}
	starts := args[:i]
	if i == 0 {
		starts = []arg{{text: ".", known: true}}
	}
	s := &search{args: r.literal(args[i:]), max: maxPath}
	for _, a := range s.args {
		s.depth = s.depth || a.text == "-delete" || a.text == "-depth"
		s.prints = s.prints || a.text == "-print" || a.text == "-print0"
		s.acts = s.acts || slices.Contains([]string{"-delete", "-exec", "-execdir", "-ok", "-fprint"}, a.text)
	}
	s.refused = r.refuses(s.args)
	t := s.or()
	s.bad = s.bad || len(s.args) > 0
	for _, start := range starts {
		names, known := r.names(start)
		for _, name := range names {
			if p := r.abs(name); p != "" {
				found = append(found, r.visit(s, t, p, name)...)
				continue
			}
			known = false
		}
		s.bad = s.bad || !known
	}
	if s.bad && act && s.acts {
		r.opaque("find with a test or an action that is not understood")
	}
	if s.refused {
		return nil, act
	}
	if s.bad || !act {
		return found, !s.bad && !s.acts
	}
	for _, a := range s.todo {
		r.act(a)
	}
	return found, true
}

// refuses reports whether find only complains: GNU find does about -prune with a
// -delete, which turns -depth on, unless -depth is there. BusyBox deletes.
func (r *session) refuses(args []arg) bool {
	has := func(name string) bool { return slices.ContainsFunc(args, func(a arg) bool { return a.text == name }) }
	return has("-delete") && has("-prune") && !has("-depth") && !strings.Contains(r.base, "alpine") && r.at("/bin/busybox") == nil
}

// literal returns tests whose patterns the shell has expanded, which it does if
// they are not quoted and match something in the working directory.
func (r *session) literal(args []arg) []arg {
	out := slices.Clone(args)
	for i, a := range out {
		if a.glob == "" {
			continue
		}
		switch names, _ := r.names(a); len(names) {
		case 0:
		case 1:
			out[i].text = names[0]
		default:
			out[i].known = false
		}
	}
	return out
}

// visit walks one starting point.
func (r *session) visit(s *search, t test, start, name string) (found []string) {
	start = r.real(start, false)
	n := r.at(start)
	if n == nil || s.bad {
		return nil
	}
	level := func(p string) int { return len(split(p)) - len(split(start)) }
	look := func(p string, n *node) {
		v := visited{p, name + strings.TrimPrefix(p, start), n}
		s.pruned, s.printed = false, false
		if d := level(p); d >= s.min && d <= s.max && t(v) && !s.acts && !s.prints || s.printed {
			found = append(found, v.shown)
		}
	}
	var after func(p string, n *node)
	after = func(p string, n *node) {
		if level(p) < s.max && r.spend(1) {
			for _, k := range n.names() {
				after(path.Join(p, k), n.kids[k])
			}
		}
		look(p, n)
	}
	if s.depth {
		after(start, n)
		return found
	}
	n.walk(start, func(p string, n *node) bool {
		look(p, n)
		return !s.pruned && level(p) < s.max && r.spend(1)
	})
	return found
}

func (r *session) act(a action) {
	if a.args != nil {
		r.execute(a.args)
		return
	}
	n := r.at(a.p)
	if n != nil && (!n.isDir() || len(n.kids) == 0 && n.file != nil) {
		r.delete(a.p)
	}
}
