package python

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// An Installation is an interpreter's home, or a virtual environment.
type Installation struct {
	Prefix  string // sys.prefix: "/usr/local"
	Version string // "3.13", as its library directory says, or "3.13.1" as pyvenv.cfg does; empty if unknown
	Lib     string // directory of the standard library; empty for a virtual environment
	Home    string // directory of the interpreter that a virtual environment stands on; else empty
	System  bool   // a virtual environment that finds the modules installed for that interpreter, too
}

// landmark is the module by which an interpreter knows its library, also without
// source (CPython, "Modules/getpath.py").
var landmark = regexp.MustCompile(`^(.*)/(?:lib(?:64|32)?/(?:python|pypy)|lib-python/)(\d+(?:\.\d+)?)t?/os\.pyc?$`)

// install notes what f's path says about interpreters and distributions.
func (inv *Inventory) install(f *image.File) {
	switch base := path.Base(f.Path); {
	case !f.Mode.IsRegular():
	case strings.HasPrefix(base, "os.py"):
		m := landmark.FindStringSubmatch(f.Path)
		if m == nil {
			return
		}
		in := Installation{Prefix: cmp.Or(m[1], "/"), Version: m[2], Lib: path.Dir(f.Path)}
		inv.lib[in.Lib], inv.bin[path.Join(in.Prefix, "bin")] = true, true
		if !f.Buried() && !slices.Contains(inv.installations, in) {
			inv.installations = append(inv.installations, in)
		}
	case path.Ext(base) == ".egg-link":
		inv.editable[normalize(strings.TrimSuffix(base, ".egg-link"))] = true
	}
}

// venvs reads pyvenv.cfg (PEP 405).
var venvs = &image.Probe[Installation]{
	Name: "pyvenv", Version: 2, Head: 4 << 10,
	Want: func(e image.Entry) bool { return path.Base(e.Path) == "pyvenv.cfg" },
	Read: func(e image.Entry, b []byte) (Installation, bool) {
		in := Installation{Prefix: path.Dir(e.Path)}
		for line := range strings.Lines(string(b)) {
			key, value, _ := strings.Cut(line, "=")
			switch value = strings.TrimSpace(value); strings.ToLower(strings.TrimSpace(key)) {
			case "home":
				in.Home = value
			case "include-system-site-packages":
				in.System = strings.EqualFold(value, "true")
			case "version", "version_info":
				in.Version = cmp.Or(in.Version, value)
			}
		}
		return in, in.Home != ""
	},
}

// environments adds the virtual environments and puts all installations in order.
func (inv *Inventory) environments(img *image.Image) {
	for f, in := range venvs.Facts(img) {
		in.Prefix = path.Dir(f.Path) // links of its parents followed
		inv.venvs[in.Prefix] = true
		if !f.Buried() {
			inv.installations = append(inv.installations, in)
		}
	}
	slices.SortFunc(inv.installations, func(a, b Installation) int {
		return cmp.Or(cmp.Compare(a.Prefix, b.Prefix), cmp.Compare(a.Lib, b.Lib))
	})
}

// ownScripts are the programs that an interpreter installs beside itself.
var ownScripts = regexp.MustCompile(`^(2to3|idle|pydoc|pyvenv|python)[0-9.]*t?(-[0-9.]+)?(-config)?$`)

// Standard reports whether p belongs to an interpreter itself, whoever brought that:
// all below its library directory but what pip and the administrator put there.
func (inv *Inventory) Standard(p string) bool {
	dir, base := path.Split(p)
	dir = path.Clean(dir)
	if inv.bin[dir] && ownScripts.MatchString(base) {
		return true
	}
	if inv.lib[dir] && (base == "sitecustomize.py" || base == "usercustomize.py") {
		return false // the library has none: they are the administrator's (site module)
	}
	for up := dir; len(up) > 1; up = path.Dir(up) {
		if inv.lib[up] {
			rest := strings.TrimPrefix(p, up+"/")
			return !strings.HasPrefix(rest, "site-packages/") && !strings.HasPrefix(rest, "dist-packages/")
		}
	}
	return false
}
