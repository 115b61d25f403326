// Package rootcode lists what root executes or reads as code in a container: what
// must not be in another user's hands. It knows what the image itself says; what is
// mounted or run from outside it does not know.
package rootcode

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch/imports"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

// Fact is what root runs and reads on the target.
var Fact = &scan.Derived[*Code]{
	Name:    "root-code",
	Needs:   []scan.Need{accounts.Fact, launch.Fact, python.Fact, crontabs, linkerDirs, imports.PathFiles},
	Compute: compute,
}

// Code is what root runs and reads as code.
type Code struct {
	// Starts is whether the container starts as root. If not, Items holds what
	// matters to setuid programs and to an operator who enters as root.
	Starts accounts.Answer
	// Setuid is a setuid root program of the image; nil if there is none.
	Setuid *image.File
	Items  []Item // those nearest to the start of the container first

	packages map[string]bool // directories with an __init__ module
}

// An Item is a file or directory that root trusts.
type Item struct {
	Path   string // as root names it: it need not be there
	What   string // what it is to root: "the entrypoint", "directory 1 of root's PATH"
	Inside Inside // what in a directory counts besides the directory itself
	// Becomes is true for what any program that changes users reads: who writes it
	// is root once a setuid program runs.
	Becomes bool
}

// Inside says which files of a directory are code to root.
type Inside uint8

// The kinds of directory.
const (
	Nothing  Inside = iota // a file, or a directory in which names do not matter
	Files                  // everything directly in it
	Programs               // what can be executed directly in it
	Shared                 // shared objects directly in it
	Modules                // Python modules, also those of packages at any depth
)

// Holds reports whether f is such a file of the directory dir, a real path.
func (c *Code) Holds(in Inside, dir string, f *image.File) bool {
	direct := path.Dir(f.Path) == dir
	switch in {
	case Files:
		return direct && !f.Mode.IsDir()
	case Programs:
		return direct && (isLink(f) || f.Mode.IsRegular() && f.Mode&0o111 != 0)
	case Shared:
		return direct && (isLink(f) || f.Mode.IsRegular()) && strings.Contains(path.Base(f.Path), ".so")
	case Modules:
		return isModule(f) && c.importable(dir, path.Dir(f.Path))
	}
	return false
}

func isLink(f *image.File) bool { return f.Mode.Type() == fs.ModeSymlink }

// isModule reports whether f is what an import reads, or where it looks for
// bytecode (PEP 3147).
func isModule(f *image.File) bool {
	if f.Mode.IsDir() {
		return path.Base(f.Path) == cacheDir
	}
	switch path.Ext(f.Path) {
	case ".py", ".pyc", ".so", ".pth":
		return true
	}
	return false
}

const cacheDir = "__pycache__"

// importable reports whether modules in sub are those of dir or of packages in it.
// A directory without __init__ is no package for this: it may be anything.
func (c *Code) importable(dir, sub string) bool {
	if path.Base(sub) == cacheDir {
		sub = path.Dir(sub)
	}
	for sub != dir && c.packages[sub] {
		sub = path.Dir(sub)
	}
	return sub == dir
}

// A builder collects items.
type builder struct {
	p    *scan.Pass
	cfg  *image.Config
	code *Code
	seen map[string]bool
}

func compute(p *scan.Pass) *Code {
	b := &builder{p: p, cfg: &p.Image.Config, code: &Code{packages: map[string]bool{}}, seen: map[string]bool{}}
	b.code.Starts = accounts.Fact.Of(p).Resolve(b.cfg.User).IsRoot()
	if p.Image.NoConfig {
		b.code.Starts = accounts.Unknown
	}
	starts := b.code.Starts == accounts.Yes
	if starts {
		b.chain()
	}
	b.system()
	b.search(starts)
	if starts {
		b.services()
	}
	b.libraries()
	b.files()
	return b.code
}

// files finds what only the names and modes of files tell.
func (b *builder) files() {
	for f := range b.p.Image.Files() {
		if !f.Live() || !f.Mode.IsRegular() {
			continue
		}
		if b.code.Setuid == nil && f.Mode&fs.ModeSetuid != 0 && f.Mode&0o011 != 0 && f.UID == 0 {
			b.code.Setuid = f
		}
		if dir, base := path.Split(f.Path); base == "__init__.py" || base == "__init__.pyc" {
			b.code.packages[path.Clean(dir)] = true
		}
	}
}

// add adds an item unless its path is there already.
func (b *builder) add(p, what string, in Inside) {
	if p = path.Clean(p); !path.IsAbs(p) || b.seen[p] {
		return
	}
	b.seen[p] = true
	b.code.Items = append(b.code.Items, Item{Path: p, What: what, Inside: in})
}

// abs is a path as the container's first program sees it.
func (b *builder) abs(p string) string {
	if path.IsAbs(p) {
		return p
	}
	return path.Join("/", b.cfg.WorkingDir, p)
}

// chain adds the programs that run before root is given up, as far as they are
// known, and what Python among them imports.
func (b *builder) chain() {
	l := launch.Fact.Of(b.p)
	for i, link := range l.Chain {
		what := "the entrypoint"
		if i > 0 {
			what = "started by the entrypoint as root"
		}
		if len(link.Argv) > 0 && strings.Contains(link.Argv[0], "/") {
			b.add(b.abs(link.Argv[0]), what, Nothing)
		}
		if link.Path != "" {
			b.add(link.Path, what, Nothing)
		}
		b.python(link)
		b.script(link)
		if l.Drop.How != "" && l.Drop.Verdict >= launch.Partial && len(link.Argv) > 0 && path.Base(link.Argv[0]) == l.Drop.How {
			break // what comes next runs as the user
		}
	}
	b.ran(l)
	if h := b.cfg.Healthcheck; len(h) > 1 && h[0] != "NONE" {
		if program, _, _ := strings.Cut(strings.TrimSpace(h[1]), " "); path.IsAbs(program) {
			b.add(program, "the health check", Nothing)
		}
	}
	for _, name := range []string{"LD_PRELOAD", "BASH_ENV"} {
		value, _ := b.cfg.Getenv(name)
		for p := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ':' || r == ' ' }) {
			b.add(p, "named by "+name, Nothing)
		}
	}
	if value, _ := b.cfg.Getenv("LD_LIBRARY_PATH"); value != "" {
		for p := range strings.SplitSeq(value, ":") {
			b.add(b.abs(p), "a directory of LD_LIBRARY_PATH", Shared)
		}
	}
}

// ran adds what a script runs, or reads, as root on the way: it need not be part of
// the chain.
func (b *builder) ran(l *launch.Launch) {
	for _, link := range l.Ran {
		what := "run by the entrypoint as root"
		if len(link.Argv) == 0 {
			what = "read by the entrypoint as root"
		}
		if link.Path != "" {
			b.add(link.Path, what, Nothing)
		}
		b.python(link)
		b.script(link)
	}
}

// searchPath is the PATH of a container whose image sets none, as runtimes do.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// search adds the directories of PATH. Without a start as root only those count
// that root has by default.
func (b *builder) search(starts bool) {
	value, ok := b.cfg.Getenv("PATH")
	if !ok {
		value = searchPath
	}
	usual := strings.Split(searchPath, ":")
	for i, dir := range strings.Split(value, ":") {
		if dir = path.Clean(b.abs(dir)); starts || slices.Contains(usual, dir) {
			b.add(dir, fmt.Sprintf("directory %d of PATH", i+1), Programs)
		}
	}
	for _, dir := range usual {
		b.add(dir, "a directory of programs", Programs)
	}
}
