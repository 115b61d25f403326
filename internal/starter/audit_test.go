package starter

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

// base is what the official image has of what the audit looks at.
const base = `-- 0/etc/passwd --
root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
-- 0/etc/group --
root:x:0:
nogroup:x:65534:
-- 0/etc/shadow mode=0640 gid=42 --
root:*:20000:0:99999:7:::
nobody:*:20000:0:99999:7:::
-- 0/usr/bin/su mode=4755 --
ELF
-- 0/usr/local/bin/pythonVERSION mode=0755 --
ELF
-- 0/usr/local/bin/python link=pythonVERSION --
-- 0/usr/local/lib/pythonVERSION/os.py --
pass
`

// added is what the second RUN of the Dockerfile leaves.
const added = `-- 1/etc/passwd --
root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
sandbox:x:10001:10001::/workspace:/usr/sbin/nologin
-- 1/etc/group --
root:x:0:
nogroup:x:65534:
sandbox:x:10001:
-- 1/etc/shadow mode=0640 gid=42 --
root:*:20000:0:99999:7:::
nobody:*:20000:0:99999:7:::
sandbox:!:20000:0:99999:7:::
-- 1/usr/bin/su mode=0755 --
ELF
-- 1/workspace/ dir mode=0700 uid=10001 gid=10001 --
-- 1/opt/agent/ dir mode=0700 --
`

// TestAuditOfImage audits the image that the Dockerfile makes, with the bytecode that
// this machine's Python makes of the sources, as the compose file runs it: all four
// verdicts are pass.
func TestAuditOfImage(t *testing.T) {
	python, version := interpreter(t, func(string) bool { return true })
	dir := compiled(t, python, unchanged)
	o := Default()
	o.Python = version
	text := strings.ReplaceAll(base, "VERSION", version) + added
	for _, name := range []string{"entrypoint", "sandbox", "agent"} {
		text += fmt.Sprintf("-- 2/opt/agent/%s.pyc mode=0400 from=agent/%s.pyc --\n", name, name)
	}
	files, err := Files(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name == "compose.yaml" {
			text += "-- compose.yaml --\n" + f.Body
		}
	}
	r := audit(t, o, text, filepath.Dir(dir))
	unexpected(t, r)
	for _, c := range policy.Checklist(r) {
		if c.Answer != policy.Pass {
			t.Errorf("%s: %v: %v", c.Step, c.Answer, c.Evidence)
		}
	}
}

// TestAuditOfDockerfile audits the Dockerfile with its context: nothing is found, and
// all is shown that the base image does not decide.
func TestAuditOfDockerfile(t *testing.T) {
	files, err := Files(Default())
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range files {
		text += "-- context/" + f.Name + " --\n" + f.Body
	}
	r := audit(t, Default(), text, t.TempDir())
	unexpected(t, r)
	shown := map[string]bool{}
	for _, c := range policy.Checklist(r) {
		if c.Answer == policy.Fail {
			t.Errorf("%s: %v: %v", c.Step, c.Answer, c.Evidence)
		}
		for _, e := range c.Evidence {
			shown[e.Rule] = shown[e.Rule] || e.Kind == policy.Shown
		}
	}
	for _, rule := range []string{"SBX108", "SBX201", "SBX202", "SBX308", "SBX309", "SBX312"} {
		if !shown[rule] {
			t.Errorf("%s is not shown", rule)
		}
	}
}

// unexpected fails for every finding but two notes, which are for others to choose: that
// a base has no digest, and that the container shares the kernel.
func unexpected(t *testing.T, r *scan.Result) {
	t.Helper()
	for _, f := range r.Findings {
		if f.Rule.ID != "SBX601" && f.Rule.ID != "SBX516" {
			t.Errorf("finding: %s: %s: %s", f.Rule.ID, f.Level, f.Message)
		}
	}
}

// audit audits the Dockerfile and what a fixture in a directory has besides.
func audit(t *testing.T, o Options, text, dir string) *scan.Result {
	t.Helper()
	files, err := Files(o)
	if err != nil {
		t.Fatal(err)
	}
	fixture := filepath.Join(dir, "starter.txtar")
	if err := os.WriteFile(fixture, []byte("-- Dockerfile --\n"+files[0].Body+text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := scantest.Read(fixture)
	if err != nil {
		t.Fatal(err)
	}
	return f.Audit(t, rules.All())
}
