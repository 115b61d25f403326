// Package accounts says who is who in an image: which user a container starts as, which
// groups that user is in and which ids are subordinate to it, from /etc/passwd,
// /etc/group, /etc/subuid and /etc/subgid as the last layer leaves them, or as the
// instructions of a Dockerfile would leave the accounts. It resolves users exactly as
// the runtimes do (moby/sys, user.GetExecUser).
package accounts

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packed"
)

// Fact is the accounts of the target.
var Fact = &scan.Derived[*Accounts]{
	Name:    "accounts",
	Needs:   []scan.Need{tables},
	Compute: compute,
}

// tables keeps every file that could be /etc/passwd, /etc/group, /etc/subuid or
// /etc/subgid, also behind a symbolic link.
var tables = &image.Probe[packed.Text]{
	Name: "accounts", Version: 2,
	Want: func(e image.Entry) bool {
		return slices.Contains([]string{"passwd", "group", "subuid", "subgid"}, path.Base(e.Path)) && e.Size <= maxTable
	},
	Read: func(e image.Entry, b []byte) (packed.Text, bool) {
		if int64(len(b)) < e.Size || bytes.IndexByte(b, 0) >= 0 {
			return packed.Text{}, false
		}
		return packed.Pack(b), true
	},
}

const maxTable = 1 << 20 // bytes: some 20,000 accounts

// Accounts are the users and groups of an image.
type Accounts struct {
	// Passwd and Group are the files that decide, symbolic links followed; nil if
	// the image has none.
	Passwd, Group *image.File
	// Unknown is why there may be accounts that are not known here: an unread
	// base, say. Empty if the list is whole.
	Unknown       string
	UnknownGroups string // the same for groups

	windows       bool // accounts are not these, and no uid says who is root
	passwd, group table
	subuid        table // zero if there is none
	subgid        table
	made          []account // by instructions, oldest first
	madeGroups    []group
	written       []written // to policies, by instructions
	passwords     []Password
	withdrawn     []string                 // "sudo" or "doas" that an instruction takes away
	documented    []dockerfile.BaseAccount // of a base that was not read
}

func compute(p *scan.Pass) *Accounts {
	a := &Accounts{}
	if p.Image.Config.OS == "windows" {
		a.Unknown = "the accounts of Windows images are not read"
		a.UnknownGroups, a.windows = a.Unknown, true
		return a
	}
	a.passwd, a.Unknown = load(p.Image, "/etc/passwd")
	a.group, a.UnknownGroups = load(p.Image, "/etc/group")
	a.Passwd, a.Group = a.passwd.file, a.group.file
	a.subuid, _ = load(p.Image, "/etc/subuid") // what is not known of them grants nothing
	a.subgid, _ = load(p.Image, "/etc/subgid")
	if base, ok := dockerfile.KnownBase(p.Image.UnreadBase); ok {
		a.documented = base.Accounts
	}
	if p.Image.Predicted && p.Build != nil {
		a.build(p.Build.Steps, p.Image.UnreadBase != "")
	}
	return a
}

// load returns what the image has at name, and why that may not be all.
func load(img *image.Image, name string) (t table, unknown string) {
	f := img.Lookup(name)
	if f == nil || !f.Mode.IsRegular() {
		switch {
		case f != nil && f.Mode.Type() == fs.ModeSymlink, f == nil && img.Lstat(name) != nil:
			unknown = name + " is a symbolic link to nowhere"
		case img.UnreadBase != "":
			unknown = fmt.Sprintf("the base image %s was not read", img.UnreadBase)
		case !img.Complete():
			unknown = "a part of the image was not read"
		default:
			unknown = unseen(img, name, nil)
		}
		return table{}, unknown
	}
	text, ok := tables.Of(f)
	switch {
	case f.Fate.How == image.Perhaps:
		unknown = fmt.Sprintf("a command that could not be understood may have changed %s", f.Path)
	case !ok && f.Size != 0:
		unknown = fmt.Sprintf("the content of %s was not read", f.Path)
	case !img.Complete():
		unknown = "a part of the image was not read"
	default:
		unknown = unseen(img, name, f.Layer)
	}
	return table{f, text.String()}, unknown
}

// unseen says which unknown files of a predicted image may be name, or replace
// the one that layer has there; empty if none may.
func unseen(img *image.Image, name string, layer *image.Layer) string {
	for _, u := range img.Unseen {
		below := u.Path == "/" || name == u.Path || strings.HasPrefix(name, u.Path+"/")
		if below && (layer == nil || layer.Index < u.Layer.Index) {
			return fmt.Sprintf("files that are not known land below %s: %s", u.Path, u.Why)
		}
	}
	return ""
}

// unsure keeps the first reasons.
func (a *Accounts) unsure(reason string) {
	a.Unknown = cmp.Or(a.Unknown, reason)
	a.UnknownGroups = cmp.Or(a.UnknownGroups, reason)
}

// named finds an account by name: an instruction that changed one counts before
// the file, in the file the first line does.
func (a *Accounts) named(name string) (account, bool) {
	for _, m := range slices.Backward(a.made) {
		if m.name == name {
			return m, true
		}
	}
	for x := range a.passwd.accounts() {
		if x.name == name {
			return x, true
		}
	}
	return account{}, false
}

func (a *Accounts) numbered(uid int) (account, bool) {
	for x := range a.passwd.accounts() {
		if x.uid == uid {
			return x, true
		}
	}
	for _, m := range a.made {
		if m.uid == uid && m.unsure == "" {
			return m, true
		}
	}
	return account{}, false
}

func (a *Accounts) groupNamed(name string) (group, bool) {
	for g := range a.group.groups() {
		if g.name == name {
			return g, true
		}
	}
	for _, g := range a.madeGroups {
		if g.name == name {
			return g, true
		}
	}
	return group{}, false
}

// groupsOf returns the groups that list the user, each once.
func (a *Accounts) groupsOf(user string) []Group {
	var out []Group
	type identity struct {
		name string
		gid  int
	}
	seen := map[identity]bool{}
	add := func(g group) {
		if id := (identity{g.name, g.gid}); g.name != "" && !seen[id] && slices.Contains(g.members, user) {
			seen[id] = true
			out = append(out, Group{g.name, g.gid, g.source})
		}
	}
	for g := range a.group.groups() {
		add(g)
	}
	for _, g := range a.madeGroups {
		add(g)
	}
	return out
}

// Resolve returns what a runtime makes of spec, the User of a config or the value
// of a USER instruction with its variables expanded.
func (a *Accounts) Resolve(spec string) User {
	u := User{Spec: spec, UID: -1, GID: -1}
	name, grp, _ := strings.Cut(spec, ":")
	a.resolveUser(&u, name)
	if u.Problem == "" && grp != "" {
		a.resolveGroup(&u, grp)
	} else if u.Name != "" {
		u.Groups = a.groupsOf(u.Name)
	}
	return u
}
