package dockerfile

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A search is one find command (POSIX, find; GNU and BusyBox where they agree).
type search struct {
	args     []arg
	min, max int
	depth    bool // -delete and -depth: what is in a directory comes first, and -prune does nothing
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
	if s.bad || !act {
		return found, !s.bad && !s.acts
	}
	for _, a := range s.todo {
		r.act(a)
	}
	return found, true
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

func (s *search) next() string {
	if len(s.args) == 0 {
		s.bad = true
		return ""
	}
	a := s.args[0]
	s.args = s.args[1:]
	s.bad = s.bad || !a.known
	return a.text
}

func (s *search) peek() string {
	if len(s.args) == 0 {
		return ")"
	}
	return s.args[0].text
}

func (s *search) or() test {
	x := s.and()
	for s.peek() == "-o" || s.peek() == "-or" {
		s.next()
		a, b := x, s.and()
		x = func(v visited) bool { return a(v) || b(v) }
	}
	return x
}

func (s *search) and() test {
	x := s.not()
	for !s.bad && s.peek() != ")" && s.peek() != "-o" && s.peek() != "-or" {
		if s.peek() == "-a" || s.peek() == "-and" {
			s.next()
		}
		a, b := x, s.not()
		x = func(v visited) bool { return a(v) && b(v) }
	}
	return x
}

func (s *search) not() test {
	switch s.peek() {
	case ")":
		return func(visited) bool { return true }
	case "!", "-not":
		s.next()
		x := s.not()
		return func(v visited) bool { return !x(v) }
	case "(":
		s.next()
		x := s.or()
		if s.next() != ")" {
			s.bad = true
		}
		return x
	}
	return s.primary(s.next())
}

func (s *search) primary(name string) test {
	yes := func(visited) bool { return true }
	switch name {
	case "-name", "-iname":
		re := s.pattern(name == "-iname")
		return func(v visited) bool { return re != nil && re.MatchString(path.Base(v.shown)) }
	case "-path", "-wholename", "-ipath":
		re := s.pattern(name == "-ipath")
		return func(v visited) bool { return re != nil && re.MatchString(v.shown) }
	case "-type":
		kinds := s.next()
		return func(v visited) bool { return strings.Contains(kinds, kind(v.n)) }
	case "-maxdepth", "-mindepth":
		n, err := strconv.Atoi(s.next())
		s.bad = s.bad || err != nil
		if name == "-maxdepth" {
			s.max = n
		} else {
			s.min = n
		}
		return yes
	case "-empty":
		return func(v visited) bool {
			return v.n.isDir() && len(v.n.kids) == 0 || v.n.file != nil && v.n.file.Size == 0 && v.n.file.Open != nil
		}
	case "-prune":
		return func(visited) bool { s.pruned = !s.depth; return true }
	case "-false":
		return func(visited) bool { return false }
	case "-print", "-print0":
		return func(visited) bool { s.printed = true; return true }
	case "-true", "-depth", "-xdev", "-mount", "-ignore_readdir_race", "-noleaf":
		return yes
	case "-delete":
		return func(v visited) bool { s.todo = append(s.todo, action{p: v.path}); return true }
	case "-exec", "-execdir":
		return s.exec()
	}
	s.bad = true
	return yes
}

// exec reads the command of -exec, which ends with ";" or "+".
func (s *search) exec() test {
	var cmd []arg
	for len(s.args) > 0 {
		a := s.args[0]
		s.args = s.args[1:]
		if a.text == ";" || a.text == "+" {
			return func(v visited) bool {
				args := slices.Clone(cmd)
				for i, c := range args {
					if strings.Contains(c.text, "{}") {
						args[i] = arg{text: strings.ReplaceAll(c.text, "{}", v.path), known: c.known}
					}
				}
				s.todo = append(s.todo, action{args: args})
				return true
			}
		}
		cmd = append(cmd, a)
	}
	s.bad = true
	return func(visited) bool { return false }
}

// pattern reads a pattern, in which "*" matches any text, slashes and leading
// dots included.
func (s *search) pattern(fold bool) *regexp.Regexp {
	pat := s.next()
	if fold {
		pat = strings.ToLower(pat)
	}
	re := segment(pat)
	if re != nil && fold {
		re, _ = regexp.Compile("(?i)" + re.String())
	}
	s.bad = s.bad || re == nil
	return re
}

func kind(n *node) string {
	switch {
	case n.isDir():
		return "d"
	case n.file.Mode&fs.ModeSymlink != 0:
		return "l"
	}
	return "f"
}
