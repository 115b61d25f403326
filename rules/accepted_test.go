package rules

import (
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

func audited(t *testing.T, text string) *scan.Result {
	t.Helper()
	f, err := scantest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f.Audit(t, All())
}

// TestAcceptedSudo checks what accepting a finding rests on (D20): sudo that is given on
// purpose stops the run, under a name that stays the same on another base and in another
// line, and that no other grant has.
func TestAcceptedSudo(t *testing.T) {
	const image = `-- Dockerfile --
FROM debian:12
RUN echo 'agent ALL=(ALL) NOPASSWD:ALL' > /etc/sudoers.d/90-agent
USER agent
-- 0/etc/passwd --
root:x:0:0::/root:/bin/sh
agent:x:1000:1000::/home/agent:/bin/sh
-- 0/etc/group --
agent:x:1000:
-- 0/etc/sudoers mode=0440 --
@includedir /etc/sudoers.d
-- 0/usr/bin/sudo mode=4755 --
ELF
-- 1/etc/sudoers.d/90-agent mode=0440 --
agent ALL=(ALL) NOPASSWD:ALL
`
	names := func(text string) string {
		r := audited(t, text)
		if code, _ := (policy.Gate{FailOn: scan.LevelError}).Decide([]*scan.Result{r}, nil); code != policy.ExitFindings {
			t.Errorf("exit code %d, want %d", code, policy.ExitFindings)
		}
		var out []string
		for i, name := range policy.Fingerprints(r, func(p string) string { return p }) {
			if r.Findings[i].Rule.ID == "SBX205" {
				out = append(out, name)
			}
		}
		return strings.Join(out, " ")
	}
	first := names(image)
	if first == "" {
		t.Fatal("no finding")
	}
	again := strings.NewReplacer("FROM debian:12", "FROM debian:13\n\n# meant: the agent installs packages", "ELF", "another ELF").Replace(image)
	if got := names(again); got != first {
		t.Errorf("built again it is called %s, not %s", got, first)
	}
	if got := names(strings.ReplaceAll(image, "90-agent", "91-tool")); got == first {
		t.Error("another grant has the same name")
	}
}

// Tools that a sandbox may be meant to have are no finding by themselves, neither as
// programs nor as links to busybox (D25): what to forbid, only its owner knows.
func TestToolsAreNoFinding(t *testing.T) {
	r := audited(t, `-- Dockerfile --
FROM alpine:3.20
RUN apk add curl gcc
USER 1000:1000
-- 0/etc/passwd --
root:x:0:0::/root:/bin/sh
agent:x:1000:1000::/home/agent:/bin/sh
-- 0/bin/busybox mode=0755 --
ELF
-- 0/usr/bin/nc link=/bin/busybox --
-- 1/usr/bin/curl mode=0755 --
ELF
-- 1/usr/bin/gcc mode=0755 --
ELF
`)
	for _, f := range r.Findings {
		if f.Level > scan.LevelNote {
			t.Errorf("%s: %s", f.Rule.ID, f.Message)
		}
	}
}
