package rules

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// TestWaysToRootClaims checks what the rules on ways back to root say for the verdict
// where they find nothing, or can't tell.
func TestWaysToRootClaims(t *testing.T) {
	for _, tt := range []struct{ rule, fixture, want string }{
		{"SBX205", "quiet", "shown sudo lets agent (uid 1000) run nothing as root without a password; shown doas lets nobody become root: the image has no doas"},
		{"SBX205", "no-sudo", "shown sudo lets nobody become root: the image has no sudo; shown doas lets nobody become root: the image has no doas"},
		{"SBX205", "sudo-not-setuid", "shown sudo lets nobody become root: /usr/bin/sudo is not setuid root; shown doas lets nobody become root: the image has no doas"},
		{"SBX205", "one-script", "shown doas lets nobody become root: the image has no doas"},
		{"SBX205", "unknown-host", "unknown agent (uid 1000) may be able to run any command as root with sudo and without a password: netgroups are not known; " +
			"unknown agent (uid 1000) may be able to run any command as root with sudo and without a password: the policy is for the host build01 only; " +
			"shown doas lets nobody become root: the image has no doas"},
		{"SBX205", "not-trusted", "shown sudo does not honour this: /etc/sudoers.d/agent can be written by everyone; " +
			"shown sudo does not honour this: /etc/sudoers.d/other does not belong to root; " +
			"shown sudo lets agent (uid 1000) run nothing as root without a password; shown doas lets nobody become root: the image has no doas"},
		{"SBX205", "doas-not-trusted", "shown sudo lets nobody become root: the image has no sudo; " +
			"shown doas lets nobody become root: doas refuses to work: /etc/doas.conf can be written by its group"},
		{"SBX205", "starts-as-root", "unknown the container runs as root and nothing shows another user: name the one that runs untrusted code with --sandbox-user"},
		{"SBX205", "dockerfile-perhaps", "unknown agent may be able to run any command as root with sudo and without a password: its RUN writes the line under a condition only; " +
			"unknown what sudo allows is not all known: the base image debian:12 was not read; unknown what doas allows is not all known: the base image debian:12 was not read"},
		{"SBX210", "quiet", "shown no group of agent (uid 1000) is worth root"},
		{"SBX210", "docker", ""},
		{"SBX210", "root-anyway", "unknown the container runs as root and nothing shows another user: name the one that runs untrusted code with --sandbox-user"},
		{"SBX211", "quiet", "shown no account can be entered with a password"},
		{"SBX211", "nobody-asks", "shown no program of the image asks for a password"},
		{"SBX211", "hash", ""},
		{"SBX211", "dockerfile-quiet", "unknown which accounts have a password is not all known: the base image debian:12 was not read"},
	} {
		r := Find(tt.rule)
		f, err := scantest.Read(filepath.Join("../testdata/images", r.Name, tt.fixture+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range f.Audit(t, []*scan.Rule{r}).Claims {
			state := "unknown"
			if c.Shown {
				state = "shown"
			}
			got = append(got, fmt.Sprintf("%s %s", state, c.Text))
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("%s on %s\n got %s\nwant %s", tt.rule, tt.fixture, s, tt.want)
		}
	}
}
