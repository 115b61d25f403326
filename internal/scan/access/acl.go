package access

import (
	"encoding/binary"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// aclXattr is the attribute that holds a file's access control list.
const aclXattr = "system.posix_acl_access"

// The tags of an entry (linux/posix_acl.h).
const (
	userOwner  = 0x01
	userNamed  = 0x02
	groupOwner = 0x04
	groupNamed = 0x08
	maskTag    = 0x10
	otherTag   = 0x20
)

// maxEntries is how many entries of a list count. File systems keep fewer.
const maxEntries = 1024

// An acl is an access control list, without what it says of the owner.
type acl struct {
	users  []entry
	groups []entry
	mask   uint16 // of users and groups
	other  uint16
}

type entry struct {
	id     int
	perm   uint16
	owning bool // of the file's group, whatever its id
}

// minimal is the list that a mode stands for.
func minimal(f *image.File) acl {
	m := uint16(f.Mode.Perm())
	return acl{groups: []entry{{perm: m >> 3 & 7, owning: true}}, mask: 7, other: m & 7}
}

// parseACL reads the attribute: version 2 in four bytes, then entries of a tag and
// permissions in two bytes each and an id in four (linux/posix_acl_xattr.h). What
// is no such list no kernel accepts, and the mode decides.
func parseACL(value string) (acl, bool) {
	b := []byte(value)
	if len(b) < 4 || binary.LittleEndian.Uint32(b) != 2 || (len(b)-4)%8 != 0 || len(b) > 4+8*maxEntries {
		return acl{}, false
	}
	l := acl{mask: 7}
	for b = b[4:]; len(b) > 0; b = b[8:] {
		e := entry{perm: binary.LittleEndian.Uint16(b[2:]) & 7, id: int(binary.LittleEndian.Uint32(b[4:]))}
		switch binary.LittleEndian.Uint16(b) {
		case userOwner:
		case userNamed:
			l.users = append(l.users, e)
		case groupOwner:
			l.groups = append(l.groups, entry{perm: e.perm, owning: true})
		case groupNamed:
			l.groups = append(l.groups, e)
		case maskTag:
			l.mask = e.perm
		case otherTag:
			l.other = e.perm
		default:
			return acl{}, false
		}
	}
	return l, true
}

// user returns the entry that names the user.
func (l acl) user(u accounts.User) (entry, bool) {
	for _, e := range l.users {
		if u.Known && e.id == u.UID {
			return e, true
		}
	}
	return entry{}, false
}
