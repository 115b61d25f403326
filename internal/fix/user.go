package fix

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// uid is the number of the account that is made, and of its group: high enough for no
// distribution's own.
const uid = 10001

// NonRoot lets the container start as user, "uid:gid" or a name. If that is empty, an
// account of the given name is made, as the base's distribution does it; on a base of
// which that is not known there is only its number. The USER goes after all that the
// build does as root.
func NonRoot(b *dockerfile.Build, user, account string) *scan.Fix {
	if !safeName.MatchString(account) {
		account = "sandbox"
	}
	made := ""
	if user == "" {
		made = makes(b, account)
		user = fmt.Sprintf("%d:%d", uid, uid)
	}
	last := b.Target.From
	var set *dockerfile.Instr // a USER that nothing follows which runs in the build
	for _, in := range b.Target.Instrs {
		switch in.Cmd {
		case "RUN", "WORKDIR", "USER", "COPY", "ADD", "SHELL", "ARG":
			last, set = in, nil
			if in.Cmd == "USER" {
				set = in
			}
		}
	}
	what := "start as " + user
	if made != "" {
		what = fmt.Sprintf("make the account %s and start as it", account)
	}
	if set != nil {
		at := lines(set.Span)
		return one(what, false, edit(set, at, made+"USER "+user+"\n"))
	}
	return one(what, false, edit(last, before(last.Span.End+1), made+"USER "+user+"\n"))
}

var safeName = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,30}$`)

var (
	busybox = regexp.MustCompile(`(^|[/-])(alpine|busybox)([:@-]|$)|[:-]alpine`)
	shadow  = regexp.MustCompile(`^(docker\.io/)?(library/)?(debian|ubuntu|python|node|golang|ruby|rust|php|perl|buildpack-deps|gcc|openjdk|eclipse-temurin|maven|fedora|almalinux|rockylinux)(:|@|$)`)
)

// makes is the instruction that makes an account; empty if the base has no known means.
func makes(b *dockerfile.Build, account string) string {
	base := b.Base
	if b.Shell != nil && (len(b.Shell.Args) == 0 || !slices.Contains([]string{"/bin/sh", "/bin/bash", "/bin/ash", "sh", "bash"}, b.Shell.Args[0])) || !b.BaseKnown {
		return ""
	}
	switch {
	case busybox.MatchString(base):
		return fmt.Sprintf("RUN addgroup -g %d %s && adduser -D -H -u %d -G %s -s /sbin/nologin %s\n", uid, account, uid, account, account)
	case shadow.MatchString(base) && !strings.Contains(base, "nanoserver") && !strings.Contains(base, "windows"):
		return fmt.Sprintf("RUN groupadd --gid %d %s && useradd --uid %d --gid %d --no-create-home --shell /usr/sbin/nologin %s\n", uid, account, uid, uid, account)
	}
	return ""
}
