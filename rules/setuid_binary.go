package rules

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
)

var _ = register(&scan.Rule{
	ID: "SBX206", Name: "setuid-binary", Step: scan.Privilege, Level: scan.LevelWarning, Severity: 8.0, CWE: []int{250, 269},
	Title: "a setuid or setgid program that the distribution does not ship so",
	Many:  "%d setuid or setgid programs are not the distribution's",
	Where: scan.InImage | scan.InDockerfile, Kernel: true,
	Needs: []scan.Need{packages.Fact, setuidScripts},
	Run: func(p *scan.Pass) {
		owners := packages.Fact.Of(p)
		var stock, perhaps []*image.File
		added := false
		for f := range p.Image.Files() {
			if f.Buried() || !changesUser(f.Entry) {
				continue
			}
			switch _, shipped := owners.Shipped(f); {
			case f.Fate.How == image.Perhaps:
				p.Unknownf(p.At(f), "%s may have been changed by a command that is not understood", f.Path)
			case runsAnything(f.Path) == "" && shipped:
				stock = append(stock, f)
			case runsAnything(f.Path) == "" && owners.MayOwn(f.Path):
				perhaps = append(perhaps, f)
			default:
				added = setuid(p, f) || added
			}
		}
		added = setuidCommands(p) || added
		listStock(p, stock, "setuid or setgid, as the distribution's packages ship it")
		listStock(p, perhaps, "setuid or setgid, where "+owners.Unread+" packages put files")
		if len(perhaps) > 0 {
			p.Unknownf(scan.Location{}, "whether setuid and setgid programs are the distribution's can't be told (%d): the %s database could not be read", len(perhaps), owners.Unread)
		}
		if !added && len(perhaps) == 0 && allFilesKnown(p) {
			p.Shownf(scan.Location{}, "no setuid or setgid program%s", besides(len(stock)))
		}
	},
})

// setuidScripts are the setuid and setgid files that start with "#!".
var setuidScripts = &image.Probe[bool]{
	Name: "setuid-script", Version: 1, Head: 2, Want: changesUser,
	Read: func(_ image.Entry, b []byte) (bool, bool) { return true, bytes.Equal(b, []byte("#!")) },
}

// changesUser reports whether executing a file can change the user or group of
// someone else than its owner. Setgid without the right to execute for the group
// means another thing (inode(7)).
func changesUser(e image.Entry) bool {
	return e.Mode.IsRegular() && (e.Mode&fs.ModeSetuid != 0 && e.Mode&0o011 != 0 || e.Mode&fs.ModeSetgid != 0 && e.Mode&0o010 != 0)
}

// setuid reports one file, and whether it matters.
func setuid(p *scan.Pass, f *image.File) bool {
	what := "setuid root"
	level := scan.LevelWarning
	switch {
	case f.Mode&fs.ModeSetuid != 0 && f.UID < 0:
		what = "setuid of a user whose uid is not known"
	case f.Mode&fs.ModeSetuid != 0 && f.UID > 0:
		what = fmt.Sprintf("setuid of uid %d", f.UID)
	case f.Mode&fs.ModeSetuid != 0:
	case f.GID == 0:
		what = "setgid root"
	default:
		what, level = fmt.Sprintf("setgid of gid %d", f.GID), scan.LevelNote
	}
	if _, script := setuidScripts.Of(f); script {
		p.Reportf(p.At(f), "%s is %s, which has no effect: the kernel ignores it for scripts", f.Path, what).As(scan.LevelNote)
		return false
	}
	kind := runsAnything(f.Path)
	if kind == "" {
		p.Reportf(p.At(f), "%s is %s, and no package of the distribution brought it so", f.Path, what).As(level)
		return level > scan.LevelNote
	}
	then := "can do anything as that user or group"
	if what == "setuid root" {
		level, then = scan.LevelError, "is root"
	}
	p.Reportf(p.At(f), "%s is %s, and it is %s: whoever runs it %s", f.Path, what, kind, then).As(level)
	return level > scan.LevelNote
}

// setuidCommands reports what RUN instructions make setuid among the files of a
// base image, which a prediction does not have.
func setuidCommands(p *scan.Pass) (found bool) {
	for _, c := range unseenChmods(p) {
		if c.Apply(0o755)&fs.ModeSetuid == 0 {
			continue
		}
		found = true
		if kind := runsAnything(c.Path); kind != "" {
			p.Reportf(atPath(p, c), "chmod %s makes %s setuid, and it is %s: whoever runs it can do anything as its owner", c.Mode, c.Path, kind).As(scan.LevelError)
			continue
		}
		p.Reportf(atPath(p, c), "chmod %s makes %s setuid", c.Mode, c.Path)
	}
	return found
}

// besides excepts n programs from a claim.
func besides(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" but %d that the distribution's packages ship so", n)
}

// listStock reports files together, in one note.
func listStock(p *scan.Pass, files []*image.File, what string) {
	if len(files) == 0 {
		return
	}
	const most = 50 // no distribution ships that many
	slices.SortFunc(files, func(a, b *image.File) int { return cmp.Compare(a.Path, b.Path) })
	var names []string
	var places []scan.Location
	for _, f := range files {
		names, places = append(names, f.Path), append(places, p.At(f))
	}
	list := strings.Join(names[:min(len(names), most)], ", ")
	if over := len(names) - most; over > 0 {
		list += fmt.Sprintf(" and %d more", over)
	}
	p.Reportf(scan.Location{}, "%s (%d): %s", what, len(files), list).As(scan.LevelNote).Places = places
}

// kinds are the programs that do as they are told: setuid, they are root for
// everyone. No distribution ships them so.
var kinds = func() map[string]string {
	m := map[string]string{}
	for kind, names := range map[string]string{
		"a shell":   "sh bash dash ash rbash ksh mksh zsh fish csh tcsh busybox toybox pwsh",
		"an editor": "vi vim nvim nano ed emacs pico joe rvim view vimdiff ex",
		"an interpreter": "python pypy perl ruby node nodejs lua luajit php tclsh expect awk gawk mawk nawk java jshell guile bun deno " +
			"julia octave scala sqlite gdb make jq",
		"a file tool": "cp mv dd tar cpio install ln rm cat tee head tail sed find chmod chown chgrp rsync zip unzip gzip xz base64 " +
			"less more curl wget socat nc ncat netcat xxd od sort cut diff git ar rpm dpkg apt pip",
		"a program that runs others": "env nice ionice timeout xargs nohup setsid stdbuf strace ltrace time watch script flock " +
			"chroot unshare nsenter setpriv setarch taskset capsh start-stop-daemon gosu su-exec setuidgid docker gcc cc ld ldconfig",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = kind
		}
	}
	return m
}()

// runsAnything says what kind of program p is that does whatever its user says;
// empty if its name is none of these. A version does not count: python3.13,
// vim.basic.
func runsAnything(p string) string {
	base := strings.TrimSuffix(path.Base(p), "-static")
	if i := strings.IndexAny(base, ".0123456789"); i > 0 {
		base = strings.TrimRight(base[:i], "-")
	}
	return kinds[base]
}
