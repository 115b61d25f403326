// Package packages says who brought a file of an image: the distribution's package
// manager, by what its databases list, or a tool that unpacks whole trees of its
// own. A database counts for the files that were there while it was: one that a
// later layer deletes still tells of the files of its time, and one that a later
// layer brings tells nothing of files that were gone by then.
package packages

import (
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packed"
)

// Fact is the ownership of the target's files.
var Fact = &scan.Derived[*Owners]{
	Name:    "packages",
	Needs:   []scan.Need{dpkg.probe, dpkgSums.probe, apk.probe, rpm.probe, pacman.probe, conda.probe},
	Compute: func(p *scan.Pass) *Owners { return compute(p.Image) },
}

// A database is how one package manager writes down what it installed.
type database struct {
	manager string
	probe   *image.Probe[listing]
	// owned yields everything that one file of the database lists, where file is its
	// path.
	owned func(file, text string) iter.Seq[owned]
}

// owned is what a database says of one path.
type owned struct {
	pkg, path string
	bits      fs.FileMode // setuid and setgid, if the package ships it so; anyBits if that is not told
}

// anyBits stands for bits that a database does not tell.
const anyBits = isSpecial

// databases are the known ones, those that list all of a package's files first.
var databases = []*database{dpkg, apk, rpm, pacman, conda, dpkgSums}

// A listing is the text of one file of a database.
type listing struct {
	text packed.Text
	cut  bool // it is longer than what was read
}

// Kept is how many bytes stay in memory.
func (l listing) Kept() int { return l.text.Kept() }

// keep is the Read of a database whose text is kept as it is.
func keep(e image.Entry, b []byte) (listing, bool) {
	return listing{packed.Pack(b), int64(len(b)) < e.Size}, true
}

// Owner is who brought a file.
type Owner struct {
	Manager string // "dpkg", "apk", "rpm", "pacman", "conda", "npm", "gem" or "toolchain"
	Package string // as the manager calls it: "python3-minimal"
}

// Distribution reports whether the owner is a package of a distribution, not a
// tree that a language's tool unpacked.
func (o Owner) Distribution() bool {
	return slices.Contains([]string{dpkg.manager, apk.manager, rpm.manager, pacman.manager, conda.manager}, o.Manager)
}

// Owners know who brought which file.
type Owners struct {
	// Unread is the package manager whose database the image has but that could not
	// be read to its end: over a limit, or damaged. Files of its packages may have no
	// owner here: see MayOwn. Empty if there is none.
	Unread string

	owners []Owner
	files  map[string]claim // of the paths that the image has, and of its bytecode's sources, so that no database makes it large
	trees  map[string]claim // by the directory below which all is owned

	privileged map[string]*privileged
}

// A claim is the ownership of a path as long as databases list it. A path that
// changes hands is the last owner's all along.
type claim struct {
	owner int // index into Owners.owners; 0 is nobody
	span  image.Span
}

func compute(img *image.Image) *Owners {
	o := &Owners{owners: make([]Owner, 1), files: make(map[string]claim, img.Count()), trees: map[string]claim{}, privileged: map[string]*privileged{}}
	for f := range img.Files() {
		if f.Mode.IsDir() {
			continue
		}
		o.files[fold(f.Path)] = claim{}
		if source, ok := SourceOf(f.Path); ok {
			o.files[fold(source)] = claim{}
		}
	}
	o.notePrivileged(img)
	listed := map[string]bool{}
	for _, db := range databases {
		for f, l := range db.probe.Facts(img) {
			if key, ok := strings.CutSuffix(f.Path, ".md5sums"); ok && listed[key+".list"] {
				continue // the list says the same and more
			}
			listed[f.Path] = true
			o.load(db, f, l)
		}
	}
	o.findTrees(img)
	return o
}

// load adds what one version of one database file lists.
func (o *Owners) load(db *database, f *image.File, l listing) {
	if l.cut {
		o.Unread = db.manager
	}
	span, last := f.Span(), 0
	for x := range db.owned(f.Path, l.text.String()) {
		p := fold(x.path)
		old, there := o.files[p]
		if !there {
			continue
		}
		if last == 0 || o.owners[last].Package != x.pkg {
			last = o.owner(Owner{db.manager, x.pkg})
		}
		o.files[p] = old.extend(last, span)
		if v := o.privileged[p]; v != nil {
			v.listed = append(v.listed, listed{f.Layer.Index, x.bits})
		}
	}
}

func (o *Owners) owner(w Owner) int {
	o.owners = append(o.owners, w)
	return len(o.owners) - 1
}

func (c claim) extend(owner int, span image.Span) claim {
	if c.owner > 0 {
		span = span.Join(c.span)
	}
	return claim{owner, span}
}

// usr are the directories that distributions merge into /usr. Packages list files
// under either name.
var usr = []string{"/bin/", "/sbin/", "/lib/", "/lib64/", "/lib32/", "/libx32/"}

func fold(p string) string {
	for _, dir := range usr {
		if strings.HasPrefix(p, dir) {
			return "/usr" + p
		}
	}
	return p
}

// Of returns who owns path, absolute and with no symbolic link in its parents, in
// the final file system.
func (o *Owners) Of(path string) (Owner, bool) {
	const last = 1<<31 - 1 // no image has that many layers: only what nothing ended overlaps
	return o.at(path, image.Span{From: last, To: last + 1})
}

// OfFile returns who owned the path of f while f was there.
func (o *Owners) OfFile(f *image.File) (Owner, bool) { return o.at(f.Path, f.Span()) }

func (o *Owners) at(p string, span image.Span) (Owner, bool) {
	p = fold(p)
	if c := o.files[p]; c.owner > 0 && c.span.Overlaps(span) {
		return o.owners[c.owner], true
	}
	if len(o.trees) == 0 {
		return Owner{}, false
	}
	for dir := path.Dir(p); len(dir) > 1; dir = path.Dir(dir) {
		if c, ok := o.trees[dir]; ok && c.span.Overlaps(span) {
			return o.owners[c.owner], true
		}
	}
	return Owner{}, false
}

// MayOwn reports whether path could be one that an unread database lists:
// something in /usr that is neither the administrator's nor a source tree
// (Filesystem Hierarchy Standard 3.0, 4.9 and 4.12).
func (o *Owners) MayOwn(path string) bool {
	p := fold(path)
	return o.Unread != "" && strings.HasPrefix(p, "/usr/") && !strings.HasPrefix(p, "/usr/local/") && !strings.HasPrefix(p, "/usr/src/")
}
