package image

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
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
	last  place
}

// A place is where a directory is once its links are followed. Entries of one
// directory stand together in archives, so the overlay keeps the last place until
// something happens that could make its name lead elsewhere: a symbolic link that
// comes or goes, or a directory that goes.
type place struct {
	dir  string // as the archive names it
	node *node
	at   string // really
}

func newOverlay(img *Image, hops int) *overlay {
	return &overlay{root: &node{}, hops: hops, img: img}
}

// apply puts one layer over those below it and decides what becomes of their files.
func (o *overlay) apply(l *Layer, c *Content) {
	o.layer = l
	events := c.claim()
	l.Files = make([]*File, 0, len(events))
	for _, ev := range events {
		switch ev.kind {
		case add:
			o.add(ev.file, ev.path)
		case whiteout:
			o.last = place{}
			o.remove(ev.path)
		case opaque:
			o.last = place{}
			if n, at := o.dir(ev.path); n != nil {
				o.opaque(n, ev.path, at)
			}
		case perhaps:
			if n, _, ok := (walk{hops: o.hops}).to(o.root, ev.path); ok {
				o.doubt(n)
			}
		}
	}
	o.settle(events)
}

// finish hands the merged tree to the image.
func (o *overlay) finish() {
	o.img.root = o.root
	slices.SortStableFunc(o.img.Problems, func(a, b Problem) int {
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
// layer of several images, or twice of one, and each gives a file its own fate, and
// a hard link what its target has.
func (c *Content) claim() []event {
	first := !c.claimed
	c.claimed = true
	own := slices.Clone(c.events)
	for i, ev := range own {
		if ev.file != nil && (!first || ev.file.HardLink) {
			own[i].file = &File{Entry: ev.file.Entry, facts: ev.file.facts}
		}
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
	parent, at := o.home(dir)
	if at != dir[:max(len(dir)-1, 1)] {
		f.Path = path.Join(at, base) // where it really is, links of its parents followed
	}
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
		o.last = place{}
	}
}

// take puts f at n. A directory over a directory keeps what is below; anything
// else ends it.
func (o *overlay) take(n *node, f *File) {
	merge := f.Mode.IsDir() && (n.live == nil || n.live.Mode.IsDir())
	if f.symlink() || n.live.symlink() || !merge && len(n.kids) > 0 {
		o.last = place{}
	}
	if merge && n.live != nil && sameDir(&n.live.Entry, &f.Entry) {
		f.again = n.live.Since()
	}
	n.end(Replaced, o.layer)
	if !merge {
		o.endBelow(n, Replaced, false)
	}
	n.live = f
}

func sameDir(a, b *Entry) bool {
	return a.Mode == b.Mode && a.UID == b.UID && a.GID == b.GID && maps.Equal(a.Xattrs, b.Xattrs)
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
	if f.symlink() {
		f.Link = f.Original.Link // it leads where the first link does
	}
}

func (o *overlay) remove(p string) {
	dir, base := path.Split(p)
	parent, _ := o.dir(dir)
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
func (o *overlay) opaque(n *node, p, at string) {
	switch {
	case o.unlisted(n):
		o.problem(p, "is made opaque after this layer stored files in directories below that it does not list; readers differ on what stays")
	case path.Clean(p) != at && o.stored(n):
		o.problem(p, "is made opaque through a symbolic link after this layer stored files there; readers differ on what stays")
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

// home is parent for an entry of dir, which most often is where the last one was.
func (o *overlay) home(dir string) (n *node, at string) {
	if o.last.node != nil && o.last.dir == dir {
		return o.last.node, o.last.at
	}
	told := len(o.img.Problems)
	n, at = o.parent(dir)
	o.last = place{}
	if len(o.img.Problems) == told { // else every entry has it told again
		o.last = place{dir, n, at}
	}
	return n, at
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

// dir returns the directory that a marker at p speaks of and its real path; nil if
// there is none.
func (o *overlay) dir(p string) (n *node, at string) {
	n, at, ok := walk{hops: o.hops, last: true, tell: o.tell(p)}.to(o.root, p)
	switch {
	case !ok:
		return nil, ""
	case n.live != nil && !n.live.Mode.IsDir():
		o.problem(p, "holds a whiteout but is no directory; runtimes refuse the layer")
		return nil, ""
	}
	return n, at
}

// tell reports what is odd about the way to p.
func (o *overlay) tell(p string) func(string) {
	return func(what string) { o.problem(p, what) }
}
