package imports

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packed"
)

// Bounds of what is kept of one file.
const (
	maxCode = 1 << 20
	maxZip  = 2 << 20
)

// codes keeps the source and bytecode that a program of the image may run: which
// it runs is known only after all layers went by. Of the standard library nothing
// is kept, of what was installed with packages only what holds a word that could
// matter: everything else there is looked at by name.
var codes = &image.Probe[code]{
	Name: "python-code", Version: 2,
	Want: func(e image.Entry) bool { return wanted(e) != none },
	Read: func(e image.Entry, b []byte) (code, bool) {
		if int64(len(b)) < e.Size {
			return code{}, false
		}
		keep := false
		switch wanted(e) {
		case module:
			keep = !installed(e.Path) || matters(e.Path, b)
		case cached:
			keep = unchecked(string(b[:min(len(b), headerBytes)])) && !installed(e.Path)
		case zipped:
			keep = hasZip(b)
		case plain:
			keep = isBytecode(string(b[:min(len(b), headerBytes)])) || hasZip(b) || isProgram(b)
		}
		if !keep {
			return code{}, false
		}
		return pack(b), true
	},
}

// code is the content of one file. What is small is not worth packing.
type code struct {
	small string
	large packed.Text
}

// Kept is how many bytes stay in memory.
func (c code) Kept() int { return len(c.small) + c.large.Kept() }

const small = 2 << 10

func pack(b []byte) code {
	if len(b) <= small {
		return code{small: string(b)}
	}
	return code{large: packed.Pack(b)}
}

func (c code) String() string { return c.small + c.large.String() }

// kind is what a file may be, by its header.
type kind uint8

const (
	none   kind = iota
	module      // by its extension
	cached      // in __pycache__
	zipped      // by its extension
	plain       // without an extension: a script, bytecode or a zip file
)

func wanted(e image.Entry) kind {
	ext := path.Ext(e.Path)
	switch ext {
	case ".py", ".pyw", ".pyc":
		switch {
		case e.Size > maxCode || inLibrary(e.Path):
			return none
		case path.Base(path.Dir(e.Path)) == "__pycache__":
			return cached
		}
		return module
	case ".pyz", ".zip", ".egg", ".pex":
		if e.Size <= maxZip {
			return zipped
		}
		return none
	}
	if e.Size <= 256<<10 && e.Size > headerBytes && (ext == "" || ext[len(ext)-1] >= '0' && ext[len(ext)-1] <= '9') && !elsewhere(e.Path) {
		return plain
	}
	return none
}

// elsewhere reports whether p is where no program of an image lies: the many files
// without an extension there are not worth a look.
func elsewhere(p string) bool {
	for _, dir := range []string{"/usr/share/", "/var/lib/", "/usr/lib/x86_64-linux-gnu/", "/etc/", "/usr/include/"} {
		if strings.HasPrefix(p, dir) {
			return !strings.HasPrefix(p, "/etc/s6-overlay/") && !strings.HasPrefix(p, "/etc/services.d/")
		}
	}
	return strings.Contains(p, ".dist-info/")
}

var library = regexp.MustCompile(`/lib(64|32)?/(python|pypy)\d[^/]*/`)

// inLibrary reports whether p is of a standard library.
func inLibrary(p string) bool {
	return strings.Contains(p, "/lib") && library.MatchString(p) && !installed(p)
}

// installed reports whether p is where installers put what they install.
func installed(p string) bool {
	return strings.Contains(p, "/site-packages/") || strings.Contains(p, "/dist-packages/")
}

// needles are what the code that gives up privileges, or that touches what the
// control plane hands over, can't do without.
var needles = newWords("setuid", "setgid", "setresuid", "setreuid", "setgroups", "initgroups",
	"SESSION_", "CONTROL_PLANE", "prctl", "unsetenv")

// starts are the names of modules with which programs begin.
var starts = []string{"sitecustomize", "usercustomize", "__main__", "main", "cli", "app", "server", "entry", "entrypoint", "run", "start", "launch"}

// matters reports whether an installed module is kept. Those with which a program
// begins are, where they are small.
func matters(p string, b []byte) bool {
	if needles.in(b) {
		return true
	}
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	return len(b) <= 16<<10 && slices.Contains(starts, stem) || len(b) <= small && stem == "__init__"
}

// isProgram reports whether a file without an extension may be Python's source.
func isProgram(b []byte) bool {
	if bytes.IndexByte(b[:min(len(b), 512)], 0) >= 0 {
		return false
	}
	line, _, _ := bytes.Cut(b[:min(len(b), 256)], []byte("\n"))
	return bytes.HasPrefix(line, []byte("#!")) && bytes.Contains(line, []byte("python")) || bytes.Contains(b, []byte("import "))
}

// hasZip reports whether b ends in the directory of a zip file.
func hasZip(b []byte) bool {
	return bytes.Contains(b[max(0, len(b)-66_000):], []byte("PK\x05\x06"))
}

// headerBytes is the size of the header of bytecode (PEP 552).
const headerBytes = 16

// isBytecode reports whether a file is bytecode by its first bytes: as a script,
// it is whatever its name.
func isBytecode(text string) bool {
	return len(text) >= headerBytes && text[2] == '\r' && text[3] == '\n'
}

// unchecked reports whether bytecode is used without a look at its source.
func unchecked(text string) bool {
	return isBytecode(text) && text[4] == 1 && text[5]+text[6]+text[7] == 0
}
