package rootcode

import (
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// becoming is what programs read that change the user, and the linker before them.
var becoming = []Item{
	{Path: "/etc/passwd", What: "the list of accounts"},
	{Path: "/etc/shadow", What: "the passwords"},
	{Path: "/etc/group", What: "the list of groups"},
	{Path: "/etc/gshadow", What: "the passwords of groups"},
	{Path: "/etc/sudoers", What: "what sudo allows"},
	{Path: "/etc/sudoers.d", What: "what sudo allows", Inside: Files},
	{Path: "/etc/doas.conf", What: "what doas allows"},
	{Path: "/etc/doas.d", What: "what doas allows", Inside: Files},
	{Path: "/etc/pam.d", What: "how logins are checked", Inside: Files},
	{Path: "/etc/pam.conf", What: "how logins are checked"},
	{Path: "/etc/nsswitch.conf", What: "where accounts are looked up"},
	{Path: "/etc/ld.so.preload", What: "libraries that every program loads"},
	{Path: "/etc/ld.so.cache", What: "where libraries are found"},
	{Path: "/etc/ld.so.conf", What: "where libraries are found"},
	{Path: "/etc/ld.so.conf.d", What: "where libraries are found", Inside: Files},
}

// services are what init systems, cron and login shells run as root.
var services = []Item{
	{Path: "/etc/crontab", What: "a crontab of root"},
	{Path: "/etc/anacrontab", What: "a crontab of root"},
	{Path: "/etc/cron.d", What: "crontabs of root", Inside: Files},
	{Path: "/etc/cron.hourly", What: "what cron runs", Inside: Files},
	{Path: "/etc/cron.daily", What: "what cron runs", Inside: Files},
	{Path: "/etc/cron.weekly", What: "what cron runs", Inside: Files},
	{Path: "/etc/cron.monthly", What: "what cron runs", Inside: Files},
	{Path: "/etc/periodic/15min", What: "what cron runs", Inside: Files},
	{Path: "/etc/periodic/hourly", What: "what cron runs", Inside: Files},
	{Path: "/etc/periodic/daily", What: "what cron runs", Inside: Files},
	{Path: "/etc/periodic/weekly", What: "what cron runs", Inside: Files},
	{Path: "/etc/periodic/monthly", What: "what cron runs", Inside: Files},
	{Path: "/var/spool/cron/crontabs/root", What: "a crontab of root"},
	{Path: "/var/spool/cron/root", What: "a crontab of root"},
	{Path: "/etc/crontabs/root", What: "a crontab of root"},
	{Path: "/etc/inittab", What: "what init runs"},
	{Path: "/etc/rc.local", What: "an init script"},
	{Path: "/etc/init.d", What: "init scripts", Inside: Files},
	{Path: "/etc/cont-init.d", What: "init scripts", Inside: Files},
	{Path: "/etc/my_init.d", What: "init scripts", Inside: Files},
	{Path: "/etc/systemd/system", What: "units of systemd", Inside: Files},
	{Path: "/etc/supervisor/supervisord.conf", What: "what supervisord runs"},
	{Path: "/etc/supervisor/conf.d", What: "what supervisord runs", Inside: Files},
	{Path: "/etc/supervisord.conf", What: "what supervisord runs"},
	{Path: "/etc/profile", What: "what login shells run"},
	{Path: "/etc/profile.d", What: "what login shells run", Inside: Files},
	{Path: "/etc/bash.bashrc", What: "what shells run"},
	{Path: "/root/.profile", What: "what root's shells run"},
	{Path: "/root/.bashrc", What: "what root's shells run"},
	{Path: "/root/.bash_profile", What: "what root's shells run"},
}

func (b *builder) system() {
	for _, it := range becoming {
		if n := len(b.code.Items); !b.seen[it.Path] {
			b.add(it.Path, it.What, it.Inside)
			b.code.Items[n].Becomes = true
		}
	}
}

// services adds what runs as root besides the entrypoint's own programs.
func (b *builder) services() {
	for _, it := range services {
		b.add(it.Path, it.What, it.Inside)
	}
	for f, programs := range crontabs.Facts(b.p.Image) {
		if !f.Live() {
			continue
		}
		for p := range strings.Lines(programs) {
			b.add(strings.TrimSpace(p), "run by "+f.Path, Nothing)
		}
	}
}

// libraries adds the directories of shared objects: the usual ones, and those that
// the linker is told of.
func (b *builder) libraries() {
	for _, dir := range []string{"/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"} {
		b.add(dir, "a directory of libraries", Shared)
	}
	for f, dirs := range linkerDirs.Facts(b.p.Image) {
		if !f.Live() {
			continue
		}
		for dir := range strings.Lines(dirs) {
			b.add(strings.TrimSpace(dir), "a directory of libraries, by "+f.Path, Shared)
		}
	}
}

const maxTable = 64 << 10 // bytes of a table that are read

// crontabs keeps the programs that tables of root run, by absolute path, one a line
// (crontab(5)). Those of the system have the user in a field of its own.
var crontabs = &image.Probe[string]{
	Name: "crontab", Version: 1, Head: maxTable,
	Want: func(e image.Entry) bool { return crontab(e.Path) != 0 },
	Read: func(e image.Entry, b []byte) (string, bool) {
		var out strings.Builder
		for line := range strings.Lines(string(b)) {
			words := strings.Fields(line)
			times := 5
			if len(words) > 0 && strings.HasPrefix(words[0], "@") {
				times = 1
			}
			skip := times + crontab(e.Path) - 1
			if len(words) <= skip || strings.HasPrefix(words[0], "#") || crontab(e.Path) == 2 && words[times] != "root" {
				continue
			}
			for _, w := range words[skip:] {
				if w = strings.Trim(w, `"'();&|`); path.IsAbs(w) && !strings.HasPrefix(w, "/dev/") {
					out.WriteString(w + "\n")
				}
			}
		}
		return out.String(), out.Len() > 0
	},
}

// crontab says of what kind the table at p is: 0 for none of root's, 1 for one of
// root's own, 2 for one of the system.
func crontab(p string) int {
	switch {
	case p == "/etc/crontab", path.Dir(p) == "/etc/cron.d":
		return 2
	case p == "/var/spool/cron/crontabs/root", p == "/var/spool/cron/root", p == "/etc/crontabs/root":
		return 1
	}
	return 0
}

// linkerDirs keeps the directories that the dynamic linker is told of, one a line
// (ldconfig(8); musl, "/etc/ld-musl-ARCH.path").
var linkerDirs = &image.Probe[string]{
	Name: "linker-directories", Version: 1, Head: maxTable,
	Want: func(e image.Entry) bool {
		return e.Path == "/etc/ld.so.conf" || path.Dir(e.Path) == "/etc/ld.so.conf.d" && path.Ext(e.Path) == ".conf" ||
			strings.HasPrefix(e.Path, "/etc/ld-musl-") && path.Ext(e.Path) == ".path"
	},
	Read: func(_ image.Entry, b []byte) (string, bool) {
		var out strings.Builder
		for line := range strings.Lines(string(b)) {
			line, _, _ = strings.Cut(line, "#")
			for w := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n:,", r) }) {
				if path.IsAbs(w) {
					out.WriteString(w + "\n")
				}
			}
		}
		return out.String(), out.Len() > 0
	},
}
