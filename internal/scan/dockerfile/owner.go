package dockerfile

import (
	"io/fs"
	"strconv"
	"strings"
)

// own gives f to an owner, "user[:group]" by name or number. A user alone brings
// a group of the same number, or the one that the image's accounts say.
func (f *Add) own(owner string) {
	if owner == "" {
		return
	}
	user, group, both := strings.Cut(owner, ":")
	if !both {
		group = user
	}
	if user != "" {
		f.UID, f.User = id(user)
	}
	if group != "" {
		f.GID, f.Group = id(group)
	}
}

func id(s string) (n int, name string) {
	if n, err := strconv.ParseUint(s, 10, 31); err == nil {
		return int(n), ""
	}
	if s == "root" {
		return 0, ""
	}
	return 0, s
}

// A modeChange is a mode as chmod takes it, octal or symbolic.
type modeChange func(fs.FileMode) fs.FileMode

// parseMode reads a mode (POSIX, chmod).
func parseMode(s string) (modeChange, bool) {
	if n, err := strconv.ParseUint(s, 8, 32); err == nil && n <= 0o7777 {
		return func(m fs.FileMode) fs.FileMode { return m.Type() | fromUnix(uint32(n)) }, true
	}
	var changes []modeChange
	for clause := range strings.SplitSeq(s, ",") {
		c, ok := parseClause(clause)
		if !ok {
			return nil, false
		}
		changes = append(changes, c)
	}
	return func(m fs.FileMode) fs.FileMode {
		for _, c := range changes {
			m = c(m)
		}
		return m
	}, true
}

// parseClause reads one "u+rwx". Copies from another class ("g=u") are not read.
func parseClause(s string) (modeChange, bool) {
	i := strings.IndexAny(s, "+-=")
	if i < 0 || i+1 < len(s) && strings.ContainsAny(s[i+1:], "+-=ugoa") {
		return nil, false
	}
	var who uint32
	for _, c := range s[:i] {
		switch c {
		case 'u':
			who |= 0o4700
		case 'g':
			who |= 0o2070
		case 'o':
			who |= 0o1007
		case 'a':
			who |= 0o7777
		default:
			return nil, false
		}
	}
	if i == 0 {
		who = 0o7777 &^ 0o022 // the usual umask
	}
	var bits uint32
	conditional := false
	for _, c := range s[i+1:] {
		n := strings.IndexRune("rwxstX", c)
		if n < 0 {
			return nil, false
		}
		bits |= []uint32{0o444, 0o222, 0o111, 0o6000, 0o1000, 0}[n]
		conditional = conditional || c == 'X'
	}
	return func(m fs.FileMode) fs.FileMode {
		old, set := toUnix(m), bits
		if conditional && (m.IsDir() || old&0o111 != 0) {
			set |= 0o111
		}
		switch s[i] {
		case '+':
			old |= set & who
		case '-':
			old &^= set & who
		default:
			old = old&^who | set&who
		}
		return m.Type() | fromUnix(old)
	}, true
}

func fromUnix(n uint32) fs.FileMode {
	m := fs.FileMode(n & 0o777)
	for i, bit := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if n&(0o1000<<i) != 0 {
			m |= bit
		}
	}
	return m
}

func toUnix(m fs.FileMode) uint32 {
	n := uint32(m.Perm())
	for i, bit := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if m&bit != 0 {
			n |= 0o1000 << i
		}
	}
	return n
}
