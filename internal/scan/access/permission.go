package access

import (
	"fmt"
	"io/fs"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// An Action is what a user may do to one file, in the bits of a mode.
type Action uint8

// The actions. Execute is passing through, for a directory.
const (
	Execute Action = 1 << iota
	Write
	Read

	change // what Change asks for
)

// permission says whether the owner and the permissions of one file let the user do
// something to it (acl(5), "Access check algorithm"). f is nil for a directory that
// no layer declares, which runtimes make as root's with mode 0755.
func (c *Checker) permission(p string, f *image.File, a Action) Way {
	w := Way{Answer: accounts.Yes, Path: p, File: f}
	if c.user.IsRoot() == accounts.Yes {
		w.Fact = "root may"
		return w
	}
	if f == nil {
		f = &image.File{Entry: image.Entry{Mode: 0o755}}
	}
	mine := c.owns(f) // an owner can change the mode
	if mine.Answer == accounts.Yes {
		w.Fact = mine.Fact
		return w
	}
	return either(c.others(w, f, a), mine)
}

// owns says whether the user owns f.
func (c *Checker) owns(f *image.File) Way {
	w := Way{Answer: accounts.No, Path: f.Path, File: f, Fact: fmt.Sprintf("owned by uid %d", f.UID)}
	switch {
	case c.user.IsRoot() == accounts.No && f.UID == 0:
	case !c.user.Known:
		w.Answer, w.Fact = accounts.Unknown, fmt.Sprintf("the uid of %s is not known", c.user)
	case f.UID < 0:
		w.Answer, w.Fact = accounts.Unknown, "its owner is not known"
	case f.UID == c.user.UID:
		w.Answer, w.Fact = accounts.Yes, fmt.Sprintf("owned by %s", c.user)
	}
	return w
}

// others judges a user who does not own f.
func (c *Checker) others(w Way, f *image.File, a Action) Way {
	mode := "mode " + Octal(f.Mode)
	acl, ok := parseACL(f.Xattrs[aclXattr])
	if !ok {
		acl = minimal(f)
	}
	if e, found := acl.user(c.user); found {
		w.Answer, w.Fact = grant(e.perm&acl.mask, a), fmt.Sprintf("an access control list that names uid %d", e.id)
		return w
	}
	matched := false
	for _, e := range acl.groups {
		gid := e.id
		if e.owning {
			gid = f.GID
		}
		name, in := c.group(gid)
		if in == accounts.Unknown && grant(e.perm&acl.mask, a) != grant(acl.other, a) {
			w.Answer, w.Fact = accounts.Unknown, fmt.Sprintf("whether %s is in its group is not known", c.user)
			return w
		}
		if in != accounts.Yes {
			continue
		}
		matched = true
		if grant(e.perm&acl.mask, a) == accounts.Yes {
			w.Fact = fmt.Sprintf("%s, and %s is in its group %s", mode, c.user, name)
			if !e.owning {
				w.Fact = fmt.Sprintf("an access control list that names the group %s of %s", name, c.user)
			}
			return w
		}
	}
	w.Fact = mode
	if w.Answer = grant(acl.other, a); matched {
		w.Answer = accounts.No
	}
	return w
}

// group says whether the user is in a group, and what to call it.
func (c *Checker) group(gid int) (name string, in accounts.Answer) {
	name = fmt.Sprintf("gid %d", gid)
	called, member := c.groups[gid]
	switch {
	case gid < 0:
		return name, accounts.Unknown
	case member:
		return fmt.Sprintf("%s (gid %d)", called, gid), accounts.Yes
	case c.user.GID == gid:
		return name, accounts.Yes
	case c.user.GID < 0 || c.unknownGroup:
		return name, accounts.Unknown
	}
	return name, accounts.No
}

func grant(perm uint16, a Action) accounts.Answer {
	if Action(perm)&a != 0 {
		return accounts.Yes
	}
	return accounts.No
}

// Octal returns the permissions of a mode as chmod(1) takes them: "4755".
func Octal(m fs.FileMode) string {
	n := uint32(m.Perm())
	for i, bit := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if m&bit != 0 {
			n |= 0o1000 << i
		}
	}
	return fmt.Sprintf("%04o", n)
}
