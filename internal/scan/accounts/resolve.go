package accounts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

const maxID = 1<<31 - 1 // the runtimes' limit, below the kernel's

// number reads a user or group as the runtimes do: what strconv takes for a
// number is one ("00", "+0"), also if an account has it as its name.
func number(s string) (n int, numeric, inRange bool) {
	n, err := strconv.Atoi(s)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false, false
	}
	return n, true, err == nil && n >= 0 && n <= maxID
}

func (a *Accounts) resolveUser(u *User, name string) {
	if a.windows {
		u.Unknown = a.Unknown
		return
	}
	if name == "" {
		name = "0"
	}
	n, numeric, inRange := number(name)
	if numeric && !inRange {
		u.Problem = fmt.Sprintf("the uid %s is not in the range 0-%d: the container will not start", name, maxID)
		return
	}
	if numeric {
		a.resolveNumber(u, n)
		return
	}
	x, ok := a.named(name)
	switch {
	case ok:
		u.take(x)
	case name != "root":
		u.missing("user "+name, "/etc/passwd", a.Passwd, a.Unknown)
		if u.Unknown != "" {
			u.Name = name // whatever uid it has, this is what it is called
		}
	default: // whatever finds it finds uid 0
		u.Known, u.UID, u.GID = true, 0, 0
		if a.Unknown == "" {
			u.missing("user root", "/etc/passwd", a.Passwd, "")
		}
	}
}

func (a *Accounts) resolveNumber(u *User, uid int) {
	u.Known, u.UID = true, uid
	x, ok := a.numbered(uid)
	switch {
	case ok:
		u.Exists, u.Name, u.Home, u.GID, u.Source = true, x.name, x.home, x.gid, x.source
	case uid == 0 || a.Unknown == "":
		u.GID = 0 // the default of the runtimes
	}
	for _, d := range a.documented {
		if !ok && d.UID == uid {
			u.Name = d.Name
		}
	}
}

func (u *User) take(x account) {
	u.Exists, u.Name, u.Source = true, x.name, x.source
	if x.unsure != "" {
		u.Unknown = fmt.Sprintf("the uid of %s is not known: %s", x.name, x.unsure)
		return
	}
	u.Home, u.UID, u.GID, u.never0 = x.home, x.uid, x.gid, x.never0
	if u.Known = x.uid >= 0; !u.Known && !x.never0 {
		u.Unknown = fmt.Sprintf("the Dockerfile does not say which uid %s gets", x.name)
	}
}

func (a *Accounts) resolveGroup(u *User, name string) {
	n, numeric, inRange := number(name)
	switch {
	case strings.Contains(name, ":"):
		u.Problem = "a user with two colons is refused by some runtimes, and read differently by others"
	case numeric && inRange:
		u.GID = n
	case numeric:
		u.Problem = fmt.Sprintf("the gid %s is not in the range 0-%d: the container will not start", name, maxID)
	default:
		a.resolveGroupName(u, name)
	}
}

func (a *Accounts) resolveGroupName(u *User, name string) {
	g, ok := a.groupNamed(name)
	switch {
	case ok:
		u.GID = g.gid
	case name == "root" && a.UnknownGroups != "":
		u.GID = 0
	default:
		u.GID = -1
		u.missing("group "+name, "/etc/group", a.Group, a.UnknownGroups)
	}
}

// missing says that a name was not found, and what that means.
func (u *User) missing(who, where string, file *image.File, unknown string) {
	switch {
	case unknown != "":
		u.Unknown = fmt.Sprintf("whether the %s exists is not known: %s", who, unknown)
	case file == nil:
		u.Problem = fmt.Sprintf("the image has no %s to find the %s in: the container will not start", where, who)
	default:
		u.Problem = fmt.Sprintf("the %s is not in %s: the container will not start", who, where)
	}
}
