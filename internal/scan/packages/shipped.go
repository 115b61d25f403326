package packages

import (
	"io/fs"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// capability is the attribute that gives a program capabilities (capabilities(7)).
const capability = "security.capability"

// A privileged path is one that had a file with privileges of its own.
type privileged struct {
	versions []*image.File // oldest first
	listed   []listed
}

// listed is that a database lists a path.
type listed struct {
	layer int         // of the database
	bits  fs.FileMode // setuid and setgid, as the package ships it
}

// hasPrivileges reports whether who runs f gets what f has: another user or group,
// or capabilities.
func hasPrivileges(f *image.File) bool {
	return f.Mode.IsRegular() && (f.Mode&isSpecial != 0 || f.Xattrs[capability] != "")
}

// notePrivileged finds the paths whose history Shipped asks for.
func (o *Owners) notePrivileged(img *image.Image) {
	for f := range img.Files() {
		if hasPrivileges(f) && o.privileged[fold(f.Path)] == nil {
			o.privileged[fold(f.Path)] = &privileged{}
		}
	}
	if len(o.privileged) == 0 {
		return
	}
	for f := range img.Files() {
		if x := o.privileged[fold(f.Path)]; x != nil {
			x.versions = append(x.versions, f)
		}
	}
}

// Shipped reports whether a distribution's package brought f with the setuid and
// setgid bits and the capabilities it has: a database of the layer in which f first
// had them lists it, with such bits if it tells of modes, and it is no copy of what an
// earlier layer had without them. f must have such privileges.
func (o *Owners) Shipped(f *image.File) (Owner, bool) {
	x := o.privileged[fold(f.Path)]
	if x == nil {
		return Owner{}, false
	}
	owner, ok := o.OfFile(f)
	if !ok || !owner.Distribution() {
		return Owner{}, false
	}
	i := x.origin(f)
	if i > 0 && x.versions[i-1].Size == f.Size && x.versions[i-1].Layer != x.versions[i].Layer {
		return owner, false // the same program, to which a command gave them
	}
	return owner, slices.ContainsFunc(x.listed, func(l listed) bool {
		return l.layer == x.versions[i].Layer.Index && f.Mode&isSpecial&^l.bits == 0
	})
}

// origin is the index of the version of f's path that first had what f has: layers
// hold a file whole when they only change its times, or take permissions away.
func (x *privileged) origin(f *image.File) int {
	i := max(slices.Index(x.versions, f), 0)
	for i > 0 && covers(x.versions[i-1], f) {
		i--
	}
	return i
}

// covers reports whether an older version had all the privileges of f.
func covers(old, f *image.File) bool {
	const bits = fs.ModePerm | isSpecial
	return f.Mode&bits&^old.Mode == 0 && f.Mode.Type() == old.Mode.Type() && f.Size == old.Size &&
		f.UID == old.UID && f.GID == old.GID && f.Xattrs[capability] == old.Xattrs[capability]
}
