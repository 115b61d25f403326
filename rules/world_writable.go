package rules

import (
	"io/fs"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/access"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

var _ = register(&scan.Rule{
	ID: "SBX209", Name: "world-writable", Step: scan.Privilege, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{732},
	Title: "everyone may write a system file, or a directory without the sticky bit",
	Many:  "%d files and directories are writable by everyone",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{access.Fact},
	Run: func(p *scan.Pass) {
		anyone := access.Fact.Of(p).For(stranger)
		found := false
		for f := range p.Image.Files() {
			if !worldWritable(f.Mode) || passing(f.Path) || f.Buried() || anyone.May(f.Path, access.Write).Answer == accounts.No {
				continue
			}
			found = true
			switch {
			case f.Fate.How == image.Perhaps:
				p.Unknownf(p.At(f), "%s may have been changed by a command that is not understood", f.Path)
			case f.Mode.IsDir():
				p.Reportf(p.At(f), "the directory %s has mode %s, without the sticky bit: everyone may replace what is in it", f.Path, access.Octal(f.Mode))
			default:
				p.Reportf(p.At(f), "%s has mode %s: everyone may write it", f.Path, access.Octal(f.Mode))
			}
		}
		for _, c := range unseenChmods(p) {
			if worldWritable(c.Apply(0)) && !passing(c.Path) {
				found = true
				p.Reportf(atPath(p, c), "chmod %s lets everyone write %s%s", c.Mode, c.Path, below(c.Deep))
			}
		}
		if !found && allFilesKnown(p) {
			p.Shownf(scan.Location{}, "everyone may write no system file and no directory without the sticky bit")
		}
	},
})

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
