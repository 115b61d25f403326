package image

import (
	"io/fs"
	"strings"
)

// A walk resolves paths as the kernel does inside a container: ".." and absolute
// link targets stop at the root (path_resolution(7)).
type walk struct {
	hops    int                                 // symbolic links to follow at most
	last    bool                                // follow the last name too
	missing func(here *node, name string) *node // makes a missing name; nil if there it ends
	tell    func(what string)                   // told of what runtimes may refuse; nil if nobody asks
}

// to resolves p from root and returns the node and its real path. It is not ok
// if a name is missing or the links don't end; n is then the last link met.
func (w walk) to(root *node, p string) (n *node, at string, ok bool) {
	todo := strings.Split(p, "/")
	trail := []*node{root}
	var names []string
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if len(trail) > 1 {
				trail, names = trail[:len(trail)-1], names[:len(names)-1]
			} else if w.tell != nil {
				w.tell("leads through a symbolic link that climbs over the image root; runtimes clamp it or refuse it")
			}
			continue
		}
		here := trail[len(trail)-1]
		k := here.kids[name]
		if k == nil && w.missing != nil {
			k = w.missing(here, name)
		}
		if k == nil {
			if w.tell != nil && here.live != nil && !here.live.Mode.IsDir() {
				w.tell("leads through something that is no directory; runtimes refuse the layer")
			}
			return nil, "", false
		}
		if l := k.live; l.symlink() && (w.last || len(todo) > 0) {
			if w.hops--; w.hops < 0 {
				if w.tell != nil {
					w.tell("leads through a loop of symbolic links; where it lands is unknown")
				}
				return k, "/" + strings.Join(append(names, name), "/"), false
			}
			if strings.HasPrefix(l.Link, "/") {
				trail, names = trail[:1], names[:0]
			}
			todo = append(strings.Split(l.Link, "/"), todo...)
			continue
		}
		trail, names = append(trail, k), append(names, name)
	}
	return trail[len(trail)-1], "/" + strings.Join(names, "/"), true
}

// linkHops is how many symbolic links a lookup follows (path_resolution(7): 40).
const linkHops = 40

// Lookup returns the file a container finds at p, symbolic links followed inside
// the image; nil if there is none, or only a directory that no entry declared.
func (img *Image) Lookup(p string) *File { return img.lookup(p, true) }

// Lstat is Lookup without following the last link.
func (img *Image) Lstat(p string) *File { return img.lookup(p, false) }

func (img *Image) lookup(p string, last bool) *File {
	if img == nil || img.root == nil {
		return nil
	}
	n, _, ok := walk{hops: linkHops, last: last}.to(img.root, p)
	if !ok {
		return nil
	}
	return n.live
}

// symlink reports whether f is a symbolic link. A nil File is none.
func (f *File) symlink() bool { return f != nil && f.Mode.Type() == fs.ModeSymlink }
