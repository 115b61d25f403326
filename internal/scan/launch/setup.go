package launch

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// idle are the commands that scripts use to prepare and to report: they end, and
// run no code but their own.
var idle = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`
		: [ test true false echo printf pwd type hash alias unalias trap wait ulimit umask shopt times jobs disown
		command builtin enable readonly declare typeset local export
		chown chmod chgrp mkdir rmdir rm cp mv ln touch install mktemp mkfifo mknod setfacl stat ls du df find
		cat head tac wc cut tr sort uniq sed awk gawk mawk grep egrep fgrep tee od xxd base64 md5sum sha256sum
		basename dirname readlink realpath date hostname uname id whoami groups getent nproc seq expr which env printenv
		useradd adduser usermod userdel deluser groupadd addgroup groupmod groupdel delgroup passwd chpasswd gpasswd
		mount umount sysctl ip iptables ip6tables ipset nft ldconfig update-ca-certificates locale-gen
		tar gzip gunzip unzip xz envsubst jq logger sync kill nc ping`) {
		m[name] = true
	}
	return m
}()

// setup reports whether a command prepares only, and is not what the container is
// for.
func setup(words []shell.Word) bool {
	if !words[0].Known {
		return false
	}
	switch name := path.Base(words[0].Text); name {
	case "env":
		return len(words) == 1
	case "find":
		return !execs(words)
	case "sleep":
		return len(words) == 2 && strings.Trim(words[1].Text, "0123456789.smh") == ""
	case "tail":
		return !slices.ContainsFunc(words[1:], func(w shell.Word) bool {
			return strings.HasPrefix(strings.ToLower(w.Text), "-f") || strings.HasPrefix(w.Text, "--f")
		})
	default:
		return idle[name]
	}
}

// changesAccounts reports whether a command of a script makes accounts, or gives
// one another uid.
func changesAccounts(words []shell.Word) bool {
	switch path.Base(words[0].Text) {
	case "useradd", "adduser", "usermod", "userdel", "deluser":
		return true
	case "sed":
		return slices.ContainsFunc(words, func(w shell.Word) bool { return strings.HasPrefix(w.Text, "-i") || w.Text == "--in-place" }) &&
			slices.ContainsFunc(words, func(w shell.Word) bool { return w.Text == "/etc/passwd" })
	}
	return false
}

// idles reports whether a command, by its name, does nothing for anyone: what runs
// in the container later is run from outside.
func idles(name string) bool { return name == "sleep" || name == "tail" || idle[name] }

// execs reports whether find(1) runs something that is not itself setup.
func execs(words []shell.Word) bool {
	for i, w := range words {
		if strings.HasPrefix(w.Text, "-exec") || strings.HasPrefix(w.Text, "-ok") {
			return i+1 == len(words) || !setup(words[i+1:])
		}
	}
	return false
}
