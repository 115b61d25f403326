package packages

import (
	"io/fs"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages/rpmdb"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packed"
)

// apk keeps all packages in one file of records (apk-tools, apk-installed(5)).
var apk = &database{
	manager: "apk",
	probe: &image.Probe[listing]{Name: "apk", Version: 1, Read: keep, Want: func(e image.Entry) bool {
		return e.Path == "/lib/apk/db/installed" || e.Path == "/usr/lib/apk/db/installed"
	}},
	owned: records,
}

// rpm keeps a database of binary headers. What is kept of it here are records as
// apk's.
var rpm = &database{
	manager: "rpm",
	probe: &image.Probe[listing]{Name: "rpm", Version: 1, Whole: true, Read: readRPM, Want: func(e image.Entry) bool {
		dir, base := path.Split(e.Path)
		return slices.Contains(rpmFiles, base) && slices.Contains(rpmDirs, dir)
	}},
	owned: records,
}

// rpmDirs are where rpm keeps its database (rpm, macro %_dbpath, past and present).
var rpmDirs = []string{"/var/lib/rpm/", "/usr/lib/sysimage/rpm/", "/usr/share/rpm/"}

// rpmFiles are the database's main file in each of rpm's formats.
var rpmFiles = []string{"Packages", "Packages.db", "rpmdb.sqlite"}

// rpmJournal holds what is not in the main file yet (sqlite.org, "Write-Ahead
// Logging"). rpm leaves it empty.
const rpmJournal = "rpmdb.sqlite-wal"

// isSpecial are the bits of a mode for which a mode matters here.
const isSpecial = fs.ModeSetuid | fs.ModeSetgid

// records reads lines of a letter, a colon and a value: P names a package, F a
// directory, R a file in it, and a the owner, group and octal mode of that file,
// unless they are root's and 0644.
func records(_, text string) iter.Seq[owned] {
	return func(yield func(owned) bool) {
		var pkg, dir string
		var last owned
		for line := range strings.Lines(text) {
			field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
			switch field {
			case "P":
				pkg, dir = value, ""
			case "F":
				dir = value
			case "R":
				if last.path != "" && !yield(last) {
					return
				}
				last = owned{pkg, path.Join("/", dir, value), 0}
			case "a":
				last.bits = specialBits(value[strings.LastIndexByte(value, ':')+1:])
			}
		}
		if last.path != "" {
			yield(last)
		}
	}
}

// specialBits are the setuid and setgid bits of an octal mode. One that can't be read
// could have both.
func specialBits(octal string) fs.FileMode {
	n, err := strconv.ParseUint(octal, 8, 16)
	if err != nil {
		return anyBits
	}
	var bits fs.FileMode
	if n&0o4000 != 0 {
		bits |= fs.ModeSetuid
	}
	if n&0o2000 != 0 {
		bits |= fs.ModeSetgid
	}
	return bits
}

// maxRecords is how many bytes of records are kept of one database: those of a
// distribution with everything in it are a tenth of that.
const maxRecords = 64 << 20

// readRPM keeps the packages of an rpm database and their files.
func readRPM(e image.Entry, b []byte) (listing, bool) {
	if e.Size == 0 {
		return listing{}, false
	}
	var out strings.Builder
	cut := int64(len(b)) < e.Size
	for pkg, err := range rpmdb.Packages(b) {
		if err != nil || strings.ContainsRune(pkg.Name, '\n') {
			cut = true
			continue
		}
		out.WriteString("P:" + pkg.Name + "\n")
		dir := ""
		for f := range pkg.Files() {
			if out.Len() > maxRecords {
				return listing{packed.Pack([]byte(out.String())), true}, true
			}
			if strings.ContainsRune(f.Dir, '\n') || strings.ContainsRune(f.Base, '\n') {
				continue
			}
			if f.Dir != dir {
				dir = f.Dir
				out.WriteString("F:" + dir + "\n")
			}
			out.WriteString("R:" + f.Base + "\n")
			if f.Mode&isSpecial != 0 {
				out.WriteString("a:0:0:" + octal(f.Mode) + "\n")
			}
		}
	}
	return listing{packed.Pack([]byte(out.String())), cut}, true
}

// octal is the setuid and setgid bits and the permissions of a mode.
func octal(m fs.FileMode) string {
	n := uint64(m.Perm())
	if m&fs.ModeSetuid != 0 {
		n |= 0o4000
	}
	if m&fs.ModeSetgid != 0 {
		n |= 0o2000
	}
	return strconv.FormatUint(n, 8)
}
