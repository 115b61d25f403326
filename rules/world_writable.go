package rules

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/access"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

var _ = register(&scan.Rule{
	ID: "SBX209", Name: "world-writable", Step: scan.Privilege, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{732},
	Title: "everyone may write a system file, or a directory without the sticky bit",
	Many:  "%d files and directories are writable by everyone",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{access.Fact, launch.Runtime},
	Run: func(p *scan.Pass) {
		anyone := access.Fact.Of(p).For(stranger)
		found, least := false, newLeastModes(p)
		for f := range p.Image.Files() {
			if !worldWritable(f.Mode) || passing(f.Path) || f.Buried() || anyone.May(f.Path, access.Write).Answer == accounts.No {
				continue
			}
			found = true
			switch {
			case f.Fate.How == image.Perhaps:
				p.Unknownf(p.At(f), "%s may have been changed by a command that is not understood", f.Path)
			case f.Mode.IsDir():
				p.Reportf(p.At(f), "the directory %s has mode %s, without the sticky bit: everyone may replace what is in it", f.Path, access.Octal(f.Mode)).Mend(least.fix(f))
			default:
				p.Reportf(p.At(f), "%s has mode %s: everyone may write it", f.Path, access.Octal(f.Mode)).Mend(least.fix(f))
			}
		}
		for _, c := range unseenChmods(p) {
			if worldWritable(c.Apply(0)) && !passing(c.Path) {
				found = true
				p.Reportf(atPath(p, c), "chmod %s lets everyone write %s%s", c.Mode, c.Path, below(c.Deep)).Mend(fix.Mode(p.Build, c, false, false))
			}
		}
		if !found && allFilesKnown(p) {
			p.Shownf(scan.Location{}, "everyone may write no system file and no directory without the sticky bit")
		}
	},
})

// leastModes are the fixes of the instructions that let everyone write something.
type leastModes struct {
	*scan.Pass
	chmods []dockerfile.Chmod
	made   map[string]*scan.Fix // one for all files of a -R
}

func newLeastModes(p *scan.Pass) leastModes {
	m := leastModes{Pass: p, made: map[string]*scan.Fix{}}
	if p.Build != nil {
		m.chmods = p.Build.Chmods()
	}
	return m
}

// fix gives the least mode that works in the instruction that lets everyone write a
// file. The user that runs untrusted code keeps the right where it owns the file, and in
// a directory that is not the system's.
func (m leastModes) fix(f *image.File) *scan.Fix {
	if m.Build == nil {
		return nil
	}
	in := m.Build.File.Find(m.At(f).Source)
	if in == nil {
		return nil
	}
	user, known := launch.RuntimeUser(m.Pass)
	owns := known && user.Known && user.UID == f.UID
	if in.Cmd == "COPY" || in.Cmd == "ADD" {
		return fix.LeastFlag(m.Build, in, owns)
	}
	i := len(m.chmods) - 1
	for i >= 0 && (m.chmods[i].Step.Instr != in || !sets(m.chmods[i], f.Path)) {
		i--
	}
	if i < 0 {
		return nil
	}
	shared := f.Mode.IsDir() && !owns && !m.chmods[i].Deep && !system(f.Path)
	key := fmt.Sprint(i, owns, shared)
	if _, ok := m.made[key]; !ok {
		m.made[key] = fix.Mode(m.Build, m.chmods[i], shared, shared || owns)
	}
	return m.made[key]
}

// system reports whether p is where the system looks for programs and settings: who may
// add a file there needs no right to change the others.
func system(p string) bool {
	for _, dir := range []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot"} {
		if p == dir || strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}

func sets(c dockerfile.Chmod, name string) bool {
	return c.Path == name || c.Deep && strings.HasPrefix(name, c.Path+"/")
}

// stranger is a user who owns nothing and is in no group of the image.
var stranger = accounts.User{Known: true, UID: 1<<31 - 2, GID: 1<<31 - 2, Name: "everyone"}

// worldWritable reports whether a mode lets everyone write a file, or replace what
// is in a directory. Links, devices and sockets say nothing by their mode.
func worldWritable(m fs.FileMode) bool {
	return m&0o002 != 0 && (m.IsRegular() || m.IsDir()) && m&fs.ModeSticky == 0
}

// passing reports whether p is where files come and go: temporary directories, and
// what the runtime mounts over.
func passing(p string) bool {
	for _, dir := range []string{"/tmp", "/var/tmp", "/run", "/var/run", "/dev", "/proc", "/sys"} {
		if strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}

func below(deep bool) string {
	if deep {
		return " and all below it"
	}
	return ""
}
