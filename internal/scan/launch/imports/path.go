package imports

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packed"
)

// A Start is an interpreter as it is started.
type Start struct {
	Command Command
	Called  string      // absolute path by which it was found, links not followed; empty if unknown
	File    *image.File // the program; nil if it is not known
	Dir     string      // working directory; empty if unknown
	// Getenv returns a variable that the interpreter sees: whether it is set,
	// and its value, if that is known.
	Getenv func(name string) (value string, known, set bool)
}

// A layout is where an interpreter finds its modules.
type layout struct {
	entries []string // sys.path, in order, all absolute
	libs    []string // directories of standard libraries among them
	version string   // "3.12"; empty if unknown
	site    []string // entries when the site module runs; empty if it does not
	// loose is why more directories, or others, may be on the path; empty if
	// they are all known.
	loose string
}

// layout lays out sys.path (Python, "The initialization of the sys.path module
// search path"; the site module), without what the kind of program puts first.
func (x *Index) layout(s Start) layout {
	l := layout{}
	if !s.Command.NoEnv {
		l.environment(s)
	}
	prefixes := x.prefixes(s)
	for _, in := range x.inv.Installations() {
		if in.Lib != "" && slices.Contains(prefixes, in.Prefix) {
			l.add(in.Lib, path.Join(in.Lib, "lib-dynload"))
			l.libs = append(l.libs, in.Lib)
			l.version = minor(in.Version)
		}
	}
	if m := versioned.FindStringSubmatch(path.Base(name(s))); m != nil && l.version == "" {
		l.version = m[1]
	}
	if s.Command.NoSite {
		return l
	}
	l.userSite(s)
	for _, p := range x.sites(prefixes) {
		lib := "python" + l.version
		l.add(path.Join(p, "lib", lib, "site-packages"), path.Join(p, "lib64", lib, "site-packages"),
			path.Join(p, "local/lib", lib, "dist-packages"), path.Join(p, "lib/python3/dist-packages"))
	}
	x.extend(&l)
	l.site = slices.Clone(l.entries)
	return l
}

var versioned = regexp.MustCompile(`(\d+\.\d+)t?$`)

func name(s Start) string {
	if s.File != nil {
		return s.File.Path
	}
	return s.Called
}

func (l *layout) add(dirs ...string) {
	for _, d := range dirs {
		if d = path.Clean(d); !slices.Contains(l.entries, d) {
			l.entries = append(l.entries, d)
		}
	}
}

// environment adds the directories of PYTHONPATH; an empty one is the working
// directory.
func (l *layout) environment(s Start) {
	for _, name := range []string{"PYTHONHOME", "PYTHONPLATLIBDIR"} {
		if _, _, set := s.Getenv(name); set {
			l.loose = name + " moves the standard library"
		}
	}
	value, known, set := s.Getenv("PYTHONPATH")
	switch {
	case !set || known && value == "":
		return
	case !known:
		l.loose = "PYTHONPATH is not known"
		return
	}
	for dir := range strings.SplitSeq(value, ":") {
		switch {
		case path.IsAbs(dir):
			l.add(dir)
		case s.Dir == "":
			l.loose = "the working directory, where PYTHONPATH looks, is not known"
		default:
			l.add(path.Join(s.Dir, dir))
		}
	}
}

func (l *layout) userSite(s Start) {
	_, _, off := s.Getenv("PYTHONNOUSERSITE")
	if s.Command.NoUserSite || off && !s.Command.NoEnv {
		return
	}
	home, known, set := s.Getenv("HOME")
	if !set || !known {
		home = "/root"
	}
	if path.IsAbs(home) && l.version != "" {
		l.add(path.Join(home, ".local/lib/python"+l.version+"/site-packages"))
	}
}

// prefixes are the roots below which the interpreter finds its libraries: a
// virtual environment's own and that of the interpreter it stands on, which is
// found by the link that was called (PEP 405).
func (x *Index) prefixes(s Start) []string {
	var out []string
	add := func(program string) {
		if p := path.Dir(path.Dir(program)); program != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	add(s.Called)
	if s.File != nil {
		add(s.File.Path)
	}
	for _, in := range x.inv.Installations() {
		if in.Home != "" && slices.Contains(out, in.Prefix) {
			add(path.Join(in.Home, "python3"))
		}
	}
	return out
}

// sites are the prefixes whose installed modules the interpreter finds: those of a
// virtual environment only, unless that says otherwise.
func (x *Index) sites(prefixes []string) []string {
	for _, in := range x.inv.Installations() {
		if in.Home != "" && !in.System && slices.Contains(prefixes, in.Prefix) {
			return []string{in.Prefix}
		}
	}
	return prefixes
}

// extend adds what .pth files name, and the trees of editable installs.
func (x *Index) extend(l *layout) {
	for f, text := range PathFiles.Facts(x.img) {
		if f.Buried() || !slices.Contains(l.entries, path.Dir(f.Path)) {
			continue
		}
		for line := range strings.Lines(text.String()) {
			if line = strings.TrimSpace(line); !path.IsAbs(line) {
				line = path.Join(path.Dir(f.Path), line)
			}
			l.add(line)
		}
	}
	for _, e := range x.inv.Editables() {
		if !e.File.Buried() {
			l.add(e.Tree, path.Join(e.Tree, "src"))
		}
	}
}

// PathFiles keeps the lines of .pth files that name directories, one a line, as
// written (Python, site). Lines of code are left out.
var PathFiles = &image.Probe[packed.Text]{
	Name: "python-path-file", Version: 2, Head: 64 << 10,
	Want: func(e image.Entry) bool { return path.Ext(e.Path) == ".pth" },
	Read: func(_ image.Entry, b []byte) (packed.Text, bool) {
		var out strings.Builder
		for line := range strings.Lines(string(b)) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' || strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "import\t") {
				continue
			}
			out.WriteString(line + "\n")
		}
		return packed.Pack([]byte(out.String())), out.Len() > 0
	},
}

// minor is the first two parts of a version.
func minor(v string) string {
	parts := strings.SplitN(v, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

//go:embed stdlib.txt
var stdlib string

// standard are the top-level modules of the standard library, of every version
// (sys.stdlib_module_names).
var standard = func() map[string]bool {
	m := map[string]bool{}
	for n := range strings.FieldsSeq(stdlib) {
		m[n] = true
	}
	return m
}()

// loaded are those that are in sys.modules before a program is looked for, so that
// nothing on the path can stand for them.
var loaded = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(`sys builtins _frozen_importlib _imp _thread _warnings _weakref _io marshal posix
		_frozen_importlib_external time zipimport _codecs codecs encodings _signal _abc abc io __main__ _stat stat
		_collections_abc genericpath posixpath os.path os _sitebuiltins site`) {
		m[n] = true
	}
	return m
}()
