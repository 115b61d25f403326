package accounts

import (
	"strconv"
	"strings"
)

// A Range is ids that a user may take into a user namespace of its own, with
// newuidmap(1) or newgidmap(1).
type Range struct {
	First, Last int
	Source      Source // a line of /etc/subuid or /etc/subgid
}

// Holds reports whether id is in the range.
func (r Range) Holds(id int) bool { return r.First <= id && id <= r.Last }

// SubordinateUIDs are the uids that /etc/subuid gives u (subuid(5)).
func (a *Accounts) SubordinateUIDs(u User) []Range { return a.subuid.ranges(u) }

// SubordinateGIDs are the gids that /etc/subgid gives u (subgid(5)).
func (a *Accounts) SubordinateGIDs(u User) []Range { return a.subgid.ranges(u) }

// ranges reads lines of a name or uid, the first id and how many there are. What is
// not that is skipped, as newuidmap does (shadow, "lib/subordinateio.c").
func (t table) ranges(u User) []Range {
	if t.file == nil || !u.Known && u.Name == "" {
		return nil
	}
	var out []Range
	for src, f := range t.lines() {
		if len(f) != 3 || f[0] != u.Name && (!u.Known || f[0] != strconv.Itoa(u.UID)) || f[0] == "" {
			continue
		}
		first, err := strconv.ParseUint(f[1], 10, 32)
		if err != nil {
			continue
		}
		count, err := strconv.ParseUint(f[2], 10, 32)
		if err != nil || count == 0 {
			continue
		}
		src.Text = strings.Join(f, ":")
		out = append(out, Range{int(first), int(first + count - 1), src})
	}
	return out
}
