package accounts

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

var (
	// withoutSetuid matches a mode that leaves no setuid bit.
	withoutSetuid = regexp.MustCompile(`^([ugoa]*-[rwx]*s[rwxst]*|0?[0-7]{3}|[0-3][0-7]{3})$`)
	setuidSearch  = regexp.MustCompile(`-perm [-/+]?(u[+=]s|[0-7]*[4-7]000)`)
)

// withdraws reads commands that take sudo or doas away from an image whose base was
// not read, or their setuid bit.
func (r *run) withdraws(words []shell.Word) {
	text := shell.Source(words)
	switch name, rest := path.Base(words[0].Text), words[1:]; name {
	case "rm", "unlink":
		r.withdraw(rest)
	case "chmod":
		if p := (shell.Options{}).Parse(rest, false); len(p.Rest) > 1 && withoutSetuid.MatchString(p.Rest[0].Text) {
			r.withdraw(p.Rest[1:])
		} else if len(rest) > 1 && withoutSetuid.MatchString(rest[0].Text) { // "-s" looks like an option
			r.withdraw(rest[1:])
		}
	case "find":
		if setuidSearch.MatchString(text) && (strings.Contains(text, " chmod ") || strings.Contains(text, " -delete")) && len(rest) > 0 && rest[0].Text == "/" {
			r.into.withdrawn = append(r.into.withdrawn, "sudo", "doas")
		}
	case "apt-get", "apt", "apk", "dnf", "yum", "microdnf", "zypper":
		removes := func(w shell.Word) bool { return slices.Contains([]string{"remove", "purge", "del", "erase"}, w.Text) }
		if slices.ContainsFunc(rest, removes) {
			r.withdraw(rest)
		}
	}
}

func (r *run) withdraw(words []shell.Word) {
	for _, w := range words {
		if base := path.Base(w.Text); w.Known && (base == "sudo" || base == "doas" || base == "opendoas") {
			r.into.withdrawn = append(r.into.withdrawn, strings.TrimPrefix(base, "open"))
		}
	}
}
