package dockerfile

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// A layer collects what one step does to a tree. What is made and removed again
// within one step leaves no trace in the layer, so events are made at the end.
type layer struct {
	*tree
	step    *Step
	touched map[string]bool
	removed map[string]bool
	doubts  []Perhaps
	unsure  []UnknownUnder
	said    map[Event]bool // what is in doubts and unsure
	maybe   bool           // what is being done may not happen
	left    *int           // files that may still be looked at, in the whole prediction
	base    string
	mounts  []string // what is there while the step runs, and not in the layer
}

func (t *tree) begin(s *Step, base string, left *int) *layer {
	t.now++
	return &layer{tree: t, base: base, step: s, touched: map[string]bool{}, removed: map[string]bool{}, said: map[Event]bool{}, left: left}
}

// spend reports whether n more files may be looked at; if not, the layer may do
// anything.
func (l *layer) spend(n int) bool {
	if *l.left -= n; *l.left < 0 {
		l.opaque("it takes more work than an audit does")
		return false
	}
	return true
}

// maxPath is the longest path that a process can name (Linux, PATH_MAX).
const maxPath = 4096

// store adds a file. The links of its parents are followed.
func (l *layer) store(f Add) {
	if len(f.Path) > maxPath {
		return
	}
	f.Path = l.real(f.Path, false)
	switch {
	case l.maybe:
		l.unknownUnder(f.Path, "a command that makes it may not run")
	case l.spend(1 + (len(f.Path)/256)*(len(f.Path)/256)): // long paths are looked up name by name
		l.put(&f)
		l.touched[f.Path] = true
	}
}

// delete removes a path and all below it.
func (l *layer) delete(p string) {
	p = l.real(p, false)
	n := l.at(p)
	switch {
	case p == "/":
		l.opaque("it removes everything")
	case l.maybe:
		l.doubt(p, "a command that removes it may not run")
	default:
		if n == nil || n.born < l.now {
			l.removed[p] = true
		}
		l.remove(p)
	}
}

// doubt records that what is at p and below may have been removed or changed.
func (l *layer) doubt(p, why string) {
	if d := (Perhaps{p, why}); l.news(d) {
		l.doubts = append(l.doubts, d)
	}
	l.walk(p, func(_ string, n *node) bool {
		n.old = true
		*l.left--
		return *l.left > 0
	})
}

// unknownUnder records that there may be further files at p and below.
func (l *layer) unknownUnder(p, why string) {
	if u := (UnknownUnder{Path: p, Why: why}); l.news(u) {
		l.unsure = append(l.unsure, u)
		l.unknown = append(l.unknown, u)
		*l.left--
	}
}

// installed records that packages bring files of their own. Of a base that was not
// read no file is known anyway.
func (l *layer) installed(by string) {
	if u := (UnknownUnder{Path: "/", Why: by + " installs packages", Packages: true}); !l.partial && l.news(u) {
		l.unsure = append(l.unsure, u)
	}
}

// opaque records that the step may have done anything.
func (l *layer) opaque(why string) {
	if !l.said[UnknownUnder{Path: "/", Why: why}] {
		l.unknownUnder("/", why)
		l.doubt("/", why)
	}
}

func (l *layer) news(e Event) bool {
	if l.said[e] {
		return false
	}
	l.said[e] = true
	return true
}

// mounted reports whether p is where something is mounted for the step.
func (l *layer) mounted(p string) bool {
	return slices.ContainsFunc(l.mounts, func(m string) bool { return within(p, m) })
}

func (l *layer) events() []Event {
	var out []Event
	maps.DeleteFunc(l.removed, func(p string, _ bool) bool { return l.mounted(p) })
	maps.DeleteFunc(l.touched, func(p string, _ bool) bool { return l.mounted(p) })
	l.doubts = slices.DeleteFunc(l.doubts, func(d Perhaps) bool { return l.mounted(d.Path) })
	l.unsure = slices.DeleteFunc(l.unsure, func(u UnknownUnder) bool { return l.mounted(u.Path) })
	for _, p := range slices.Sorted(maps.Keys(l.removed)) {
		above := false
		for dir := path.Dir(p); dir != "/" && !above; dir = path.Dir(dir) {
			above = l.removed[dir]
		}
		if !above {
			out = append(out, Remove{p})
		}
	}
	for _, p := range slices.Sorted(maps.Keys(l.touched)) {
		if n := l.at(p); n != nil && n.file != nil {
			out = append(out, *n.file)
		}
	}
	slices.SortStableFunc(l.doubts, func(a, b Perhaps) int { return cmp.Compare(a.Path, b.Path) })
	for _, d := range l.doubts {
		out = append(out, d)
	}
	slices.SortStableFunc(l.unsure, func(a, b UnknownUnder) int { return cmp.Compare(a.Path, b.Path) })
	for _, u := range l.unsure {
		out = append(out, u)
	}
	return out
}

// within reports whether p is dir or below it.
func within(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir+"/")
}

// restore stores a file in place of itself: what is below a directory stays.
func (l *layer) restore(f Add) {
	if l.maybe {
		l.doubt(f.Path, "a command that changes it may not run")
		return
	}
	n := l.at(f.Path)
	if n == nil || !l.spend(1) {
		return
	}
	n.file = &f
	l.touched[f.Path] = true
}
