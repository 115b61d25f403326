package accounts

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// programs gives each program that makes its caller root when it runs as root with
// arguments of the caller's choice the reason why. The first of the reasons hold
// for whatever arguments a policy fixes.
var programs = func() map[string]string {
	m := map[string]string{}
	for _, group := range [][2]string{
		{opensShell, `vi vim view rvim vim.tiny vim.basic nvim nano pico rview ed ex emacs emacsclient joe mcedit micro hx less more most
			man pg screen tmux mysql psql sqlite3 ftp sftp telnet gdb visudo vipw vigr crontab git mutt irb`},
		{isShell, `sh bash dash ash zsh ksh mksh fish csh tcsh rbash busybox toybox su sudo doas runuser login`},
		{interprets, `python pypy perl ruby node nodejs deno bun php lua luajit tclsh expect wish awk gawk mawk nawk sed java jshell
			gcc g++ cc clang make cmake ninja ant gradle mvn cargo go rustc ghc R Rscript julia erl elixir scala groovy`},
		{runsOthers, `env nice ionice nohup timeout time stdbuf setsid xargs find flock watch chroot unshare nsenter setpriv capsh
			strace ltrace script taskset chrt cpulimit parallel run-parts start-stop-daemon gosu su-exec setuidgid s6-setuidgid chpst at batch
			entr systemd-run dbus-run-session ssh rsync socat ncat openssl tcpdump nmap zip tar bsdtar ip iptables logrotate supervisord
			supervisorctl service ansible ansible-playbook update-alternatives ld.so ldconfig ssh-keygen`},
		{changesFiles, `cp mv tee dd install ln chmod chown chgrp setfacl setcap cpio unzip 7z ar patch scp curl wget aria2c truncate
			sponge mkfifo mknod debugfs gzip bzip2 xz zstd split sort`},
		{changesUsers, `passwd chpasswd usermod useradd adduser addgroup groupadd groupmod gpasswd newusers chsh chfn chage`},
		{changesKernel, `mount insmod modprobe kexec sysctl losetup mkfs fdisk parted swapon pivot_root`},
		{installs, `apt apt-get aptitude dpkg yum dnf microdnf tdnf rpm zypper apk pacman snap flatpak pip pip2 pip3 pipx uv npm npx yarn
			pnpm gem bundle composer conda mamba micromamba easy_install cpan brew nix nix-env opkg luarocks`},
		{runsContainers, `docker dockerd podman nerdctl ctr crictl buildah skopeo kubectl lxc lxd incus machinectl runc crun containerd
			systemctl systemd-nspawn`},
	} {
		for name := range strings.FieldsSeq(group[1]) {
			m[name] = group[0]
		}
	}
	return m
}()

const (
	opensShell     = "opens a shell or another file from inside"
	isShell        = "is a shell, or starts one"
	interprets     = "runs code it is given"
	runsOthers     = "runs or loads what its arguments name"
	changesFiles   = "writes or changes any file"
	changesUsers   = "changes accounts and their passwords"
	changesKernel  = "changes what the kernel mounts or loads"
	installs       = "installs packages, whose scripts it runs"
	runsContainers = "starts services or containers"
)

var version = regexp.MustCompile(`[-.0-9]+$`)

// reason looks a program up by its name, with a version or without.
func reason(p string) string {
	base := path.Base(p)
	if why, ok := programs[base]; ok {
		return why
	}
	return programs[version.ReplaceAllString(base, "")]
}

// systemDirs hold shells on every system.
var systemDirs = map[string]bool{"/bin": true, "/sbin": true, "/usr/bin": true, "/usr/sbin": true}

// A Judge says which commands give root to who may run them as root.
type Judge struct {
	Image *image.Image
	// Change says whether the user can have other content at a path, and why.
	Change func(path string) (Answer, string)

	looked int // files that patterns were compared with
}

// Root says why a grant gives its holder root; empty if it does not, as far as that
// can be told without reading the command itself.
func (j *Judge) Root(g Grant) string {
	c := g.Command
	switch {
	case c.Path == "ALL":
		return "any command"
	case c.Path == "list":
		return ""
	case g.Loads != "":
		return g.Loads
	case c.Path == "sudoedit":
		return j.edits(c)
	case strings.HasPrefix(c.Path, "^"):
		return j.pattern(c, systemDirs[path.Dir(strings.Trim(c.Path, "^$"))])
	case strings.HasSuffix(c.Path, "/"), hasMeta(c.Path):
		return j.directory(c)
	}
	return j.program(c.Path, c.Args)
}

// hasMeta reports whether a pattern matches more than itself.
func hasMeta(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// edits judges sudoedit, which lets its caller rewrite what it names.
func (j *Judge) edits(c Command) string {
	switch {
	case c.Args == nil || hasMeta(*c.Args):
		return "sudoedit rewrites any file"
	case strings.HasPrefix(*c.Args, "/etc/"), systemDirs[path.Dir(*c.Args)]:
		return "sudoedit rewrites a file that root trusts"
	}
	return ""
}

// maxLooked is how many files the patterns of a policy are compared with: no policy of
// an image has that many patterns.
const maxLooked = 20_000_000

// directory judges a pattern or a whole directory by the programs it matches.
func (j *Judge) directory(c Command) string {
	pattern := c.Path
	if strings.HasSuffix(pattern, "/") {
		pattern += "*"
	}
	for f := range j.Image.Files() {
		if j.looked++; j.looked > maxLooked {
			return "the policy has too many patterns to tell what they match"
		}
		if f.Buried() || f.Mode.IsDir() || f.Mode.Type() != fs.ModeSymlink && f.Mode&0o111 == 0 {
			continue
		}
		if ok, err := path.Match(pattern, f.Path); err != nil || !ok {
			continue
		}
		if why := j.program(f.Path, c.Args); why != "" {
			return fmt.Sprintf("%s is one of them: %s", f.Path, why)
		}
	}
	return j.pattern(c, systemDirs[path.Dir(pattern)])
}

// pattern judges what matches nothing that is known.
func (j *Judge) pattern(c Command, system bool) string {
	if system {
		return "it matches the system's shells"
	}
	if dir := strings.TrimSuffix(path.Dir(c.Path), "/"); !hasMeta(dir) && strings.HasPrefix(dir, "/") {
		if can, how := j.Change(dir); can == Yes {
			return "the caller can put a program there: " + how
		}
	}
	return ""
}

// program judges one program with the arguments that a policy fixes.
func (j *Judge) program(p string, args *string) string {
	if strings.HasPrefix(p, "/") {
		if can, how := j.Change(p); can == Yes {
			return fmt.Sprintf("the caller can change it: %s", how)
		}
	}
	why := reason(p)
	switch {
	case why == "":
		return ""
	case args == nil, hasMeta(*args), strings.HasPrefix(*args, "^"), why == opensShell:
		return "it " + why
	case *args == "" && (why == isShell || why == interprets && !strings.HasPrefix(path.Base(p), "sed")):
		return "it " + why
	case *args != "" && why == changesUsers && changesRoot.MatchString(*args):
		return "it " + why
	}
	if why == isShell || why == interprets || why == runsOthers {
		return j.script(*args)
	}
	return ""
}

var changesRoot = regexp.MustCompile(`(^|[ ,])root($|[ :])`)

// script judges a shell or interpreter whose arguments a policy fixes: by the files
// among them.
func (j *Judge) script(args string) string {
	for w := range strings.FieldsSeq(args) {
		if !strings.HasPrefix(w, "/") {
			continue
		}
		if can, how := j.Change(w); can == Yes {
			return fmt.Sprintf("the caller can change %s: %s", w, how)
		}
	}
	return ""
}

// String is the command for a message: its arguments could hold a secret.
func (c Command) String() string {
	switch {
	case c.Path == "ALL":
		return "any command"
	case c.Args == nil:
		return c.Path
	case *c.Args == "":
		return c.Path + " without arguments"
	}
	return c.Path + " with certain arguments"
}
