package packages

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// findTrees finds the directories that a tool brought as a whole, and what nothing
// here reads of databases, by the names of files that mark them.
func (o *Owners) findTrees(img *image.Image) {
	runtimes := map[string]bool{} // of Go: directories that hold src/runtime
	var versions []*image.File
	for f := range img.Files() {
		if !f.Mode.IsRegular() {
			continue
		}
		dir, base := path.Split(f.Path)
		switch {
		case base == "package.json":
			if pkg := npm(dir); pkg != "" {
				o.tree(f, dir, Owner{"npm", pkg})
			}
		case base == "VERSION":
			versions = append(versions, f)
		case strings.HasSuffix(dir, "/src/runtime/"):
			runtimes[strings.TrimSuffix(dir, "src/runtime/")] = true
		case base == rpmJournal && f.Size > 0 && slices.Contains(rpmDirs, dir):
			o.Unread = rpm.manager
		default:
			o.findTree(f, dir, base)
		}
	}
	for _, f := range versions {
		if dir, _ := path.Split(f.Path); runtimes[dir] {
			o.tree(f, dir, Owner{"toolchain", "go"})
		}
	}
}

// findTree finds trees that one file marks.
func (o *Owners) findTree(f *image.File, dir, base string) {
	// conda keeps unpacked packages in pkgs/NAME-VERSION-BUILD.
	if root, ok := strings.CutSuffix(dir, "/info/"); ok && base == "index.json" && path.Base(path.Dir(root)) == "pkgs" {
		o.tree(f, root, Owner{conda.manager, path.Base(root)})
		return
	}
	// RubyGems has specifications/NAME-VERSION.gemspec beside gems/NAME-VERSION.
	if home, ok := strings.CutSuffix(dir, "/specifications/"); ok {
		if gem, ok := strings.CutSuffix(base, ".gemspec"); ok {
			o.tree(f, home+"/gems/"+gem, Owner{"gem", gem})
		}
		return
	}
	// rustup has toolchains/NAME/lib/rustlib.
	if at := strings.Index(dir, "/toolchains/"); at >= 0 && strings.HasPrefix(base, "manifest-") && strings.HasSuffix(dir, "/lib/rustlib/") {
		o.tree(f, strings.TrimSuffix(dir, "/lib/rustlib/"), Owner{"toolchain", "rust"})
	}
}

func (o *Owners) tree(mark *image.File, dir string, w Owner) {
	dir = fold(path.Clean(dir))
	o.trees[dir] = o.trees[dir].extend(o.owner(w), mark.Span())
}

// npm returns the package whose directory dir is: what stands behind the last
// node_modules, "name" or "@scope/name"; empty if dir is none.
func npm(dir string) string {
	const modules = "/node_modules/"
	i := strings.LastIndex(dir, modules)
	if i < 0 {
		return ""
	}
	name := strings.TrimSuffix(dir[i+len(modules):], "/")
	if n := strings.Count(name, "/"); name == "" || n > 1 || n == 1 && name[0] != '@' {
		return ""
	}
	return name
}
