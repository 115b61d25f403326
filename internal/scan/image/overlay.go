package image

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A node is one name in the merged tree. One without a live file but with kids
// is a directory that no entry declared.
type node struct {
	live *File
	kids map[string]*node
}

// overlay merges layers in order, as a runtime unpacks them: entries in archive
// order, writes through symbolic links of parents, whiteouts that hide lower
// layers only (OCI image-spec, layer.md, "Applying Changesets").
type overlay struct {
	root  *node
	hops  int
	layer *Layer
	img   *Image
}

// replay applies the layers oldest first and decides the fate of every file.
func (img *Image) replay(contents []*Content, hops int) {
	o := &overlay{root: &node{}, hops: hops, img: img}
	for i, c := range contents {
		o.layer = img.Layers[i]
		events := c.claim()
		for _, ev := range events {
			switch ev.kind {
			case add:
				o.add(ev.file, ev.path)
			case whiteout:
				o.remove(ev.path)
			case opaque:
				if n := o.dir(ev.path); n != nil {
					o.opaque(n, ev.path)
				}
			case perhaps:
				if n := o.find(ev.path, false); n != nil {
					o.doubt(n)
				}
			}
		}
		o.settle(events)
	}
	img.root = o.root
	slices.SortStableFunc(img.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.What, b.What))
	})
}

// settle checks that the layer's directories are still where it put them: runtimes
// set their times last.
func (o *overlay) settle(events []event) {
	for _, ev := range events {
		if ev.kind != add || !ev.file.Mode.IsDir() || ev.file.Live() && ev.file.Path == ev.path {
			continue
		}
		w := walk{hops: o.hops, last: true}
		if n, _, ok := w.to(o.root, ev.path); !ok || n.live != nil && !n.live.Mode.IsDir() {
			o.problem(ev.path, "is a directory that the layer then takes away again; runtimes may refuse the layer")
		}
	}
}

// claim returns the events with files of their own: the same content may be a
// layer of several images, or twice of one, and each gives a file its own fate.
func (c *Content) claim() []event {
	if !c.claimed {
		c.claimed = true
		return c.events
	}
	own := make([]event, len(c.events))
	for i, ev := range c.events {
		if ev.file != nil {
			ev.file = &File{Entry: ev.file.Entry, facts: ev.file.facts}
		}
		own[i] = ev
	}
	return own
}

func (o *overlay) add(f *File, p string) {
	f.Layer, f.Path = o.layer, p
	o.layer.Files = append(o.layer.Files, f)
	dir, base := path.Split(p)
	if base == "" {
		o.take(o.root, f)
		return
	}
	parent, at := o.parent(dir)
	f.Path = path.Join(at, base) // where it really is, links of its parents followed
	if f.HardLink {
		o.link(f)
	}
	o.clear(parent)
	n := parent.kid(base)
	if old := n.live; old != nil && old.Layer == o.layer && (!old.Mode.IsDir() || !f.Mode.IsDir()) {
		o.problem(f.Path, "stands twice in this layer; runtimes keep the last, if they take it at all")
	}
	o.take(n, f)
}

// clear ends what stands where a directory is needed.
func (o *overlay) clear(n *node) {
	if n.live != nil && !n.live.Mode.IsDir() {
		o.problem(n.live.Path, "is no directory, but an entry lies below it; runtimes refuse the layer")
		n.end(Replaced, o.layer)
	}
}

// take puts f at n. A directory over a directory keeps what is below; anything
// else ends it.
func (o *overlay) take(n *node, f *File) {
	merge := f.Mode.IsDir() && (n.live == nil || n.live.Mode.IsDir())
	n.end(Replaced, o.layer)
	if !merge {
		o.endBelow(n, Replaced, false)
	}
	n.live = f
}

// link finds the file whose content a hard link shares, in the tree as it is now.
func (o *overlay) link(f *File) {
	if leavesRoot(f.Link) {
		o.problem(f.Path, "is a hard link to a path that leaves the image root; runtimes clamp it or refuse it")
	}
	dir, base := path.Split(path.Clean("/" + f.Link))
	parent, at := o.parent(dir)
	t := parent.kids[base]
	if t == nil || t.live == nil || t.live.Mode.IsDir() || path.Join(at, base) == f.Path {
		o.problem(f.Path, fmt.Sprintf("is a hard link to %s, which does not exist; runtimes refuse the layer", f.Link))
		return
	}
	f.Original = t.live
	for f.Original.Original != nil {
		f.Original = f.Original.Original
	}
	f.Size, f.Mode = f.Original.Size, f.Original.Mode.Type()|f.Mode&^fs.ModeType
	if f.Mode.Type() == fs.ModeSymlink {
		f.Link = f.Original.Link // it leads where the first link does
	}
}

func (o *overlay) remove(p string) {
	dir, base := path.Split(p)
	parent := o.dir(dir)
	if parent == nil || parent.kids[base] == nil {
		return
	}
	n := parent.kids[base]
	own := n.live != nil && n.live.Layer == o.layer
	if own || o.stored(n) {
		o.problem(p, "is both stored and removed by this layer; readers differ on what stays")
	}
	if !own {
		n.end(Deleted, o.layer)
	}
	if o.endBelow(n, Deleted, true); n.live == nil && len(n.kids) == 0 {
		delete(parent.kids, base)
	}
}

// opaque ends what lower layers stored below n. Runtimes also lose what this layer
// stored before the marker in directories that it does not list; the
// specification keeps that.
func (o *overlay) opaque(n *node, p string) {
	if o.unlisted(n) {
		o.problem(p, "is made opaque after this layer stored files in directories below that it does not list; readers differ on what stays")
	}
	o.endBelow(n, Deleted, true)
}

// unlisted reports whether the layer stored anything below n in a directory that
// it has no entry for.
func (o *overlay) unlisted(n *node) bool {
	for _, k := range n.kids {
		own := k.live != nil && k.live.Layer == o.layer
		if !own && o.stored(k) || own && o.unlisted(k) {
			return true
		}
	}
	return false
}

// stored reports whether the layer stored anything below n.
func (o *overlay) stored(n *node) bool {
	for _, k := range n.kids {
		if k.live != nil && k.live.Layer == o.layer || o.stored(k) {
			return true
		}
	}
	return false
}

// endBelow ends everything below n; with lower, only what lower layers stored.
func (o *overlay) endBelow(n *node, how How, lower bool) {
	for name, k := range n.kids {
		o.endBelow(k, how, lower)
		switch {
		case k.live == nil:
		case k.live.Layer != o.layer:
			k.end(how, o.layer)
		case !lower:
			o.problem(k.live.Path, "is stored by this layer, which then stores something else above it; runtimes may refuse the layer")
			k.end(how, o.layer)
		}
		if k.live == nil && len(k.kids) == 0 {
			delete(n.kids, name)
		}
	}
}

func (o *overlay) doubt(n *node) {
	if n.live != nil && n.live.Live() {
		n.live.Fate = Fate{Perhaps, o.layer}
	}
	for _, k := range n.kids {
		o.doubt(k)
	}
}

func (o *overlay) problem(entry, what string) {
	o.img.Problems = append(o.img.Problems, Problem{Kind: Ambiguous, Layer: o.layer.Index, Entry: entry, What: what})
}

func (n *node) end(how How, by *Layer) {
	if n.live != nil {
		n.live.Fate, n.live = Fate{how, by}, nil
	}
}

func (n *node) kid(name string) *node {
	if n.kids == nil {
		n.kids = map[string]*node{}
	}
	k := n.kids[name]
	if k == nil {
		k = &node{}
		n.kids[name] = k
	}
	return k
}

// parent returns the directory that dir names once its symbolic links are
// followed, and its real path. It makes directories that no entry declared, also
// where something else is in the way.
func (o *overlay) parent(dir string) (n *node, at string) {
	w := walk{hops: o.hops, last: true, tell: o.tell(dir), missing: func(here *node, name string) *node {
		o.clear(here)
		return here.kid(name)
	}}
	n, at, _ = w.to(o.root, dir) // at a loop, the link that was met last
	return n, at
}

// dir returns the directory that a marker at p speaks of; nil if there is none.
func (o *overlay) dir(p string) *node {
	n := o.find(p, true)
	if n != nil && n.live != nil && !n.live.Mode.IsDir() {
		o.problem(p, "holds a whiteout but is no directory; runtimes refuse the layer")
		return nil
	}
	return n
}

// find returns the node at p with the links of its parents followed, and its own
// too if last is set; nil if there is none.
func (o *overlay) find(p string, last bool) *node {
	n, _, ok := walk{hops: o.hops, last: last, tell: o.tell(p)}.to(o.root, p)
	if !ok {
		return nil
	}
	return n
}

// tell reports what is odd about the way to p.
func (o *overlay) tell(p string) func(string) {
	return func(what string) { o.problem(p, what) }
}

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
		if l := k.live; l != nil && l.Mode.Type() == fs.ModeSymlink && (w.last || len(todo) > 0) {
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
