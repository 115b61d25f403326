package dockerfile

import (
	"slices"
	"strings"
)

// subcommands are what well-known programs can be asked for without touching
// files of ours: they install, configure or report.
var subcommands = map[string][]string{
	"npm":        {"install", "i", "ci", "config", "cache", "set", "audit", "prune", "version", "--version", "-v", "update", "fund", "uninstall", "pkg", "get", "ls", "list"},
	"yarn":       {"", "install", "add", "global", "config", "cache", "set", "--version", "-v"},
	"pnpm":       {"install", "i", "add", "fetch", "config", "store", "setup", "prune", "--version", "-v"},
	"bun":        {"install", "i", "add", "--version", "-v"},
	"poetry":     {"install", "config", "export", "lock", "add", "cache", "self", "env", "--version"},
	"pdm":        {"install", "sync", "config", "export", "lock", "add", "cache", "--version"},
	"pipenv":     {"install", "sync", "lock", "--version"},
	"conda":      {"install", "create", "clean", "config", "update", "env", "init", "info", "list", "--version"},
	"mamba":      {"install", "create", "clean", "config", "update", "env", "init", "info", "list", "--version"},
	"micromamba": {"install", "create", "clean", "config", "update", "env", "info", "list", "--version"},
	"go":         {"mod", "get", "install", "env", "version", "clean", "vet", "telemetry"},
	"cargo":      {"fetch", "install", "--version", "-V", "chef"},
	"bundle":     {"install", "config", "lock", "--version"},
	"composer":   {"config", "--version", "self-update"},
	"node":       {"--version", "-v"},
	"java":       {"-version", "--version"},
	"perl":       {"-v", "--version"},
	"ruby":       {"-v", "--version"},
	"playwright": {"install", "install-deps"},
}

// installers are programs that install packages, of a distribution or an index, and
// how they are asked to.
var installers = map[string][]string{
	"apt-get": {"install", "upgrade", "dist-upgrade", "build-dep"}, "apt": {"install", "upgrade", "full-upgrade"}, "aptitude": {"install"},
	"apk": {"add", "upgrade"}, "yum": {"install", "update", "localinstall"}, "dnf": {"install", "update", "upgrade"}, "microdnf": {"install", "update"},
	"tdnf": {"install"}, "zypper": {"install", "in", "update"}, "pacman": {"-S", "-Sy", "-Syu", "-U"}, "dpkg": {"-i", "--install"}, "rpm": {"-i", "-U", "-ivh", "-Uvh"},
	"pip": {"install"}, "pip3": {"install"}, "pipx": {"install"}, "uv": {"pip", "sync", "tool", "python", "add"}, "poetry": {"install", "add"}, "pipenv": {"install", "sync"},
	"pdm": {"install", "sync"}, "conda": {"install", "create", "update", "env"}, "mamba": {"install", "create", "update", "env"}, "micromamba": {"install", "create", "update"},
	"npm": {"install", "i", "ci", "update"}, "yarn": {"install", "add", "global"}, "pnpm": {"install", "i", "add"}, "bun": {"install", "i", "add"},
	"gem": {"install"}, "bundle": {"install"}, "cargo": {"install"}, "go": {"install"}, "playwright": {"install", "install-deps"}, "luarocks": {"install"},
}

// installs reports whether a command installs packages.
func installs(name string, args []arg) bool {
	verbs := installers[name]
	return slices.ContainsFunc(args, func(a arg) bool { return slices.Contains(verbs, a.text) })
}

// harmless reports programs that leave the files alone that a build brought:
// they print, or they install what is not ours.
func harmless(name string) bool { return slices.Contains(harmlessPrograms, name) }

var harmlessPrograms = strings.Fields(`
	: [ alias awk base64 basename bg break cat clear cmp command continue curl cut date declare df diff dirname du echo exit expand export expr false fg
	file fold free getent gpg grep egrep fgrep groups hash head hexdump hostname id jobs join jq kill less let local locale ls lsb_release md5sum mktemp
	more nproc od paste popd printenv printf ps pwd read readlink readonly realpath return rev seq set sha1sum sha256sum sha512sum shift shopt sleep sort
	stat sync sysctl tail test tr trap tput true tsort tty type ulimit umask unalias uname uniq unset wait wc which whoami xxd yes
	add-apt-repository adduser addgroup apk apt apt-cache apt-get apt-key apt-mark aptitude chage chpasswd corepack deluser delgroup dnf dpkg
	dpkg-divert dpkg-reconfigure easy_install emerge gem gosu groupadd groupdel groupmod gpasswd installer ldconfig locale-gen localedef luarocks
	microdnf npm-check nvm opkg pacman passwd pipx rpm rustup service setcap ssh-keygen ssh-keyscan systemctl tdnf update-alternatives
	update-ca-certificates update-ca-trust update-rc.d useradd userdel usermod virtualenv yum zypper`)
