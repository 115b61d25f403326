package dockerfile

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

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
	case "-perm":
		return s.permissions()
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
			return v.n.isDir() && len(v.n.kids) == 0 || v.n.file != nil && v.n.file.Size == 0 && (v.n.file.Open != nil || v.n.file.Base != nil)
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

// permissions reads the mode of -perm: just that, with "-" at least that, with "/" any
// of its bits. Modes in letters are not understood.
func (s *search) permissions() test {
	text := s.next()
	digits := strings.TrimLeft(text, "-/")
	how := strings.TrimSuffix(text, digits)
	bits, err := strconv.ParseUint(digits, 8, 12)
	s.bad = s.bad || err != nil || len(how) > 1
	return func(v visited) bool {
		if v.n.file == nil {
			return false
		}
		switch has := octal(v.n.file.Mode); how {
		case "-":
			return has&bits == bits
		case "/":
			return has&bits != 0 || bits == 0
		default:
			return has == bits
		}
	}
}

// octal is a mode in the bits that chmod(1) takes.
func octal(m fs.FileMode) uint64 {
	bits := uint64(m.Perm())
	for _, b := range []struct {
		flag fs.FileMode
		bit  uint64
	}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}} {
		if m&b.flag != 0 {
			bits |= b.bit
		}
	}
	return bits
}
