// Package access says what a user of a container may do to the files of its image:
// by owner, mode, group and access control list, through every directory on the way
// (acl(5), path_resolution(7), inode(7)). It judges as the kernel does for a process
// that has no capability, or, for uid 0, all of them. Mounts, volumes and a
// read-only root are not known to it.
package access

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// Fact is the directories of the target's final file system.
var Fact = &scan.Derived[*Tree]{
	Name:    "access",
	Compute: func(p *scan.Pass) *Tree { return newTree(p.Image) },
}

// A Tree is a file system on which access is judged.
type Tree struct {
	img        *image.Image
	undeclared map[string]bool // directories that only files below them show
}

func newTree(img *image.Image) *Tree {
	t := &Tree{img: img, undeclared: map[string]bool{}}
	known := map[string]bool{"/": true}
	for f := range img.Files() {
		if f.Buried() {
			continue
		}
		for dir := path.Dir(f.Path); !known[dir]; dir = path.Dir(dir) {
			known[dir] = true
			if img.Lstat(dir) == nil {
				t.undeclared[dir] = true
			}
		}
	}
	return t
}

// For returns what u may do. The Checker is for one goroutine.
func (t *Tree) For(u accounts.User) *Checker {
	c := &Checker{tree: t, user: u, groups: map[int]string{}, dirs: map[string]dir{}}
	for _, g := range u.Groups {
		if _, there := c.groups[g.GID]; !there {
			c.groups[g.GID] = g.Name
		}
		c.unknownGroup = c.unknownGroup || g.GID < 0
	}
	return c
}

// A Checker judges the access of one user and remembers the directories.
type Checker struct {
	tree *Tree
	user accounts.User
	dirs map[string]dir // by real path

	groups       map[int]string // names of the user's supplementary groups
	unknownGroup bool           // the number of one of them is not known
}

// A dir is what the user may do to a directory.
type dir struct {
	search Way // may it be passed, together with all above it
	change Way // may its name be made to lead elsewhere, here or further up
}

// A Way is the answer to whether a user may do something, and what decided it.
type Way struct {
	Answer accounts.Answer
	// Path is the file or directory whose owner or permissions decided: the one
	// asked about, or one above it. File is its entry, nil if no layer has one.
	Path string
	File *image.File
	Fact string // "owned by app (uid 1000)", "mode 0666"; what is missing if the answer is unknown
}

// either is the answer to "a or b".
func either(a, b Way) Way { return first(a, b, accounts.Yes) }

// both is the answer to "a and b".
func both(a, b Way) Way { return first(a, b, accounts.No) }

// first is the one that gives the answer that decides, or else leaves it open; a
// before b, and b if neither does.
func first(a, b Way, decides accounts.Answer) Way {
	for _, answer := range []accounts.Answer{decides, accounts.Unknown} {
		if a.Answer == answer {
			return a
		}
		if b.Answer == answer {
			return b
		}
	}
	return b
}

// at returns what is known of a directory by its real path.
func (c *Checker) at(p string) dir {
	if d, ok := c.dirs[p]; ok {
		return d
	}
	f := c.tree.img.Lstat(p)
	d := dir{search: c.permission(p, f, Execute)}
	if p == "/" {
		d.change = Way{Answer: accounts.No, Path: p, Fact: "the root of the file system"}
	} else {
		up := c.at(path.Dir(p))
		d.search = both(up.search, d.search)
		d.change = either(up.change, c.replace(path.Dir(p), f))
	}
	c.dirs[p] = d
	return d
}

// create says whether the user may make new names in a directory.
func (c *Checker) create(dir string) Way {
	return both(c.at(dir).search, c.permission(dir, c.tree.img.Lstat(dir), Write))
}

// replace says whether the user may make a name in a directory, or rename, delete
// and replace f, which has that name. In a sticky directory only the owner of
// either may (inode(7), S_ISVTX).
func (c *Checker) replace(dir string, f *image.File) Way {
	w := c.create(dir)
	d := c.tree.img.Lstat(dir)
	if f == nil || d == nil || d.Mode&fs.ModeSticky == 0 || c.user.IsRoot() == accounts.Yes {
		return w
	}
	mine := either(c.owns(f), c.owns(d))
	if mine.Answer == accounts.No {
		mine = Way{accounts.No, dir, d, "the sticky bit of " + dir}
	}
	return both(w, mine)
}

// Change says whether the user can have other content at p: write it, or replace
// it or anything on the way to it. Symbolic links are followed inside the image. Of
// a directory it says whether anything can be put into it; of a name that is not
// there, whether it can be made.
func (c *Checker) Change(p string) Way { return c.walk(p, change) }

// May says whether the user may read, write or execute what is at p, as it is.
func (c *Checker) May(p string, a Action) Way { return c.walk(p, a) }

// linkHops is how many symbolic links a lookup follows (path_resolution(7)).
const linkHops = 40

// walk resolves p. For change, any step of the way that the user may replace
// decides; for other actions every directory on the way must let the user pass.
func (c *Checker) walk(p string, a Action) Way {
	here, hops := "/", 0
	best := Way{Answer: accounts.No, Path: p, Fact: "nothing is there"}
	for todo := strings.Split(p, "/"); len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			here = path.Dir(here)
			continue
		}
		next := path.Join(here, name)
		f := c.tree.img.Lstat(next)
		if a == change {
			d := c.at(here)
			if best = either(best, either(d.change, c.replace(here, f))); best.Answer == accounts.Yes {
				return best
			}
		}
		switch {
		case f == nil && !c.tree.undeclared[next]:
			return best
		case f == nil || f.Mode.IsDir():
			here = next
		case f.Mode.Type() == fs.ModeSymlink:
			if hops++; hops > linkHops {
				return Way{accounts.Unknown, next, f, fmt.Sprintf("%s is part of a loop of symbolic links", next)}
			}
			if path.IsAbs(f.Link) {
				here = "/"
			}
			todo = append(strings.Split(f.Link, "/"), todo...)
		case len(todo) > 0:
			return best // not a directory: nothing is below it
		default:
			return c.end(best, here, next, f, a)
		}
	}
	if a == change {
		return either(best, c.create(here))
	}
	return both(c.at(here).search, c.permission(here, c.tree.img.Lstat(here), a))
}

// end judges the file that a path leads to.
func (c *Checker) end(best Way, dir, p string, f *image.File, a Action) Way {
	if a == change {
		return either(best, both(c.at(dir).search, c.permission(p, f, Write)))
	}
	return both(c.at(dir).search, c.permission(p, f, a))
}
