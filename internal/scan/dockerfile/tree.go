package dockerfile

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/pattern"
)

// A tree is the files that are known to be in an image or a build context.
type tree struct {
	root    *node
	partial bool // an external base has further files
	unknown []UnknownUnder
	now     int  // the layer being made
	links   bool // there are symbolic links
}

// A node is one name. One without a file is a directory that is only known
// because something is in it.
type node struct {
	file *Add
	kids map[string]*node
	born int  // layer that first had it
	old  bool // may have been removed or changed since
}

func newTree() *tree { return &tree{root: &node{}} }

func (n *node) isDir() bool { return n.file == nil || n.file.Mode.IsDir() }

func split(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
}

// at returns the node of a path, following no links.
func (t *tree) at(p string) *node {
	n := t.root
	for _, name := range split(p) {
		if n = n.kids[name]; n == nil {
			return nil
		}
	}
	return n
}

// maxHops is how many symbolic links one path may go through (Linux, MAXSYMLINKS).
const maxHops = 40

// real returns p with the symbolic links among its parents resolved, and of p
// itself if last is set.
func (t *tree) real(p string, last bool) string {
	if !t.links {
		return path.Clean("/" + p)
	}
	todo := split(p)
	var done strings.Builder
	for n, hops := t.root, 0; len(todo) > 0; {
		name := todo[0]
		if todo = todo[1:]; n != nil {
			n = n.kids[name]
		}
		if n == nil || n.file == nil || n.file.Mode&fs.ModeSymlink == 0 || len(todo) == 0 && !last {
			done.WriteString("/" + name)
			continue
		}
		if hops++; hops > maxHops {
			return path.Clean("/" + p)
		}
		link := n.file.Link
		if !path.IsAbs(link) {
			link = done.String() + "/" + link
		}
		todo = append(split(path.Clean("/"+link)), todo...)
		n = t.root
		done.Reset()
	}
	return path.Clean("/" + done.String())
}

// put stores a file at its path.
func (t *tree) put(f *Add) {
	n := t.root
	for _, name := range split(f.Path) {
		k := n.kids[name]
		if k == nil {
			k = &node{born: t.now}
			if n.kids == nil {
				n.kids = map[string]*node{}
			}
			n.kids[name] = k
		}
		if !n.isDir() {
			n.file = nil
		}
		n = k
	}
	n.file, n.old = f, false
	t.links = t.links || f.Mode&fs.ModeSymlink != 0
	if !f.Mode.IsDir() {
		n.kids = nil
	}
}

// directory returns the node of a path, and makes it where there is none.
func (t *tree) directory(p string) *node {
	n := t.root
	for _, name := range split(p) {
		if n.kids == nil {
			n.kids = map[string]*node{}
		}
		if n.kids[name] == nil {
			n.kids[name] = &node{born: t.now}
		}
		n = n.kids[name]
	}
	if n.kids == nil {
		n.kids = map[string]*node{}
	}
	return n
}

func (t *tree) remove(p string) {
	dir, name := path.Split(p)
	if parent := t.at(dir); parent != nil {
		delete(parent.kids, name)
	}
}

// walk calls f for p and all below it, directories first, names in order. f
// returns false to leave a directory out.
func (t *tree) walk(p string, f func(p string, n *node) bool) {
	if n := t.at(p); n != nil {
		n.walk(path.Clean("/"+p), f)
	}
}

func (n *node) walk(p string, f func(p string, n *node) bool) {
	if !f(p, n) {
		return
	}
	for _, name := range n.names() {
		if k := n.kids[name]; k != nil {
			k.walk(path.Join(p, name), f)
		}
	}
}

func (n *node) names() []string {
	names := make([]string, 0, len(n.kids))
	for name := range n.kids {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// glob returns the paths that a pattern matches (POSIX XCU 2.14). For the shell,
// unlike for COPY, a leading dot must be in the pattern: dots is not set. spend is
// told how many names are looked at, and whether to go on.
func (t *tree) glob(pat string, dots bool, spend func(int) bool) []string {
	found := []string{"/"}
	for _, seg := range split(pat) {
		var next []string
		if !pattern.HasMeta(seg, 0) {
			for _, dir := range found {
				p := t.real(path.Join(dir, unescaped(seg)), false)
				if t.at(p) != nil {
					next = append(next, p)
				}
			}
			found = next
			continue
		}
		re := segment(seg)
		for _, dir := range found {
			n := t.at(t.real(dir, true))
			if re == nil || n == nil || !spend(len(n.kids)) {
				continue
			}
			for _, name := range n.names() {
				if re.MatchString(name) && (dots || name[0] != '.' || seg[0] == '.') {
					next = append(next, path.Join(dir, name))
				}
			}
		}
		found = next
	}
	return found
}

func unescaped(s string) string { return strings.ReplaceAll(s, `\`, "") }

// segment compiles a pattern for one name; nil if it is none.
func segment(pat string) *regexp.Regexp {
	if len(pat) > 1000 {
		return nil
	}
	expr, err := pattern.Regexp(pat, pattern.EntireString)
	if err != nil {
		return nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil
	}
	return re
}
