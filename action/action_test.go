// Package action holds the shell steps of the composite action in action.yml. Its
// tests run them as a runner would, in an environment of their own.
package action

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A runner is the part of a CI runner that the steps see: a folder for programs, a
// temporary one, and the files of outputs and summary.
type runner struct {
	t             *testing.T
	bin, temp     string
	output, notes string
}

func newRunner(t *testing.T) runner {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the steps need bash")
	}
	root := t.TempDir()
	r := runner{t, filepath.Join(root, "bin"), filepath.Join(root, "temp dir"), filepath.Join(root, "output"), filepath.Join(root, "summary")}
	for _, dir := range []string{r.bin, r.temp} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// program puts a shell script on the runner's PATH.
func (r runner) program(name, script string) string {
	r.t.Helper()
	path := filepath.Join(r.bin, name)
	if err := os.WriteFile(path, []byte("#!/usr/bin/env bash\n"+script), 0o755); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// run runs a step's script and gives its exit code, its log, and the outputs it set.
func (r runner) run(script string, env ...string) (code int, log string, outputs map[string]string) {
	r.t.Helper()
	path, err := filepath.Abs(script)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.output, nil, 0o644); err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command("bash", path)
	cmd.Dir = r.temp
	cmd.Env = append([]string{
		"PATH=" + r.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "RUNNER_TEMP=" + r.temp,
		"RUNNER_OS=Linux", "RUNNER_ARCH=X64", "GITHUB_OUTPUT=" + r.output, "GITHUB_STEP_SUMMARY=" + r.notes,
	}, env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	outputs = map[string]string{}
	for line := range strings.Lines(r.read(r.output)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		outputs[name] = value
	}
	return cmd.ProcessState.ExitCode(), string(out), outputs
}

func (r runner) read(path string) string {
	r.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// release makes an archive as a release has it, and a curl that serves it and its
// checksums from the one address they may come from.
func (r runner) release(checksums func(sum string) string) (sum string) {
	r.t.Helper()
	const archive = "sandbox-audit_1.2.3_linux_amd64.tar.gz"
	served := filepath.Join(r.temp, "served")
	program := r.program("sandbox-audit", "echo released\n")
	if err := os.Mkdir(served, 0o755); err != nil {
		r.t.Fatal(err)
	}
	if out, err := exec.Command("tar", "-C", r.bin, "-czf", filepath.Join(served, archive), "sandbox-audit").CombinedOutput(); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	if err := os.Remove(program); err != nil {
		r.t.Fatal(err)
	}
	digest := sha256.Sum256([]byte(r.read(filepath.Join(served, archive))))
	sum = hex.EncodeToString(digest[:])
	if err := os.WriteFile(filepath.Join(served, "checksums.txt"), []byte(checksums(sum)), 0o644); err != nil {
		r.t.Fatal(err)
	}
	r.program("curl", `url=${!#}
base=https://github.com/sandbox-audit/sandbox-audit/releases/download/v1.2.3
[ "${url%/*}" = "$base" ] || { echo "unexpected $url"; exit 22; }
cp "`+served+`/${url##*/}" "${url##*/}"
`)
	return sum
}

func TestInstall(t *testing.T) {
	listed := func(sum string) string {
		return strings.Repeat("0", 64) + "  other.tar.gz\n" + sum + "  sandbox-audit_1.2.3_linux_amd64.tar.gz\n"
	}
	wrong := strings.Repeat("0", 64)
	for _, c := range []struct {
		name, version, sha256 string // "right" stands for the archive's
		checksums             func(string) string
		code                  int
		log                   string
	}{
		{name: "listed", version: "1.2.3", checksums: listed},
		{name: "given", version: "1.2.3", sha256: "right", checksums: func(string) string { return "" }},
		{name: "given, and not that", version: "1.2.3", sha256: wrong, checksums: listed, code: 2, log: "not " + wrong},
		{name: "other than listed", version: "1.2.3", checksums: func(string) string { return listed(wrong) }, code: 2, log: "not " + wrong},
		{name: "not listed", version: "1.2.3", checksums: func(string) string { return "" }, code: 2, log: "not in checksums.txt"},
		{name: "no release", version: "1.2.3/../../evil", checksums: listed, code: 2, log: "no release"},
		{name: "no digest", version: "1.2.3", sha256: "$(id)", checksums: listed, code: 2, log: "sha256"},
		{name: "of no such version", version: "9.9.9", checksums: listed, code: 22, log: "unexpected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			sum := r.release(c.checksums)
			code, log, outputs := r.run("install.sh", "INPUT_VERSION="+c.version, "INPUT_SHA256="+strings.Replace(c.sha256, "right", sum, 1))
			if code != c.code || !strings.Contains(log, c.log) {
				t.Fatalf("exit code %d, want %d, and %q in:\n%s", code, c.code, c.log, log)
			}
			program, installed := outputs["program"]
			if installed != (c.code == 0) {
				t.Fatalf("outputs %v at exit code %d", outputs, code)
			}
			if !installed {
				return
			}
			if out, err := exec.Command(program).Output(); err != nil || string(out) != "released\n" {
				t.Errorf("the installed program says %q, %v", out, err)
			}
		})
	}
}

func TestInstallFromPath(t *testing.T) {
	r := newRunner(t)
	if code, log, _ := r.run("install.sh", "INPUT_VERSION=", "INPUT_SHA256="); code != 2 || !strings.Contains(log, "not on PATH") {
		t.Errorf("without any: exit code %d\n%s", code, log)
	}
	want := r.program("sandbox-audit", "")
	if code, log, outputs := r.run("install.sh", "INPUT_VERSION=", "INPUT_SHA256="); code != 0 || outputs["program"] != want {
		t.Errorf("exit code %d, outputs %v, want %s\n%s", code, outputs, want, log)
	}
}

// fake writes what an audit would and keeps its arguments, one per line.
const fake = `printf '%s\n' "$@" >"$RUNNER_TEMP/arguments"
for a; do case $a in
  sarif=*) [ "$CODE" = 2 ] || echo '{}' >"${a#*=}" ;;
  markdown=*) [ "$CODE" = 2 ] || echo summary >"${a#*=}" ;;
esac; done
exit "$CODE"
`

// An audit's exit code passes through scan and gate as it is, whatever was found.
func TestScanAndGate(t *testing.T) {
	for _, want := range []string{"0", "1", "2", "3"} {
		r := newRunner(t)
		program := r.program("sandbox-audit", fake)
		code, log, outputs := r.run("scan.sh", "CODE="+want, "PROGRAM="+program, "INPUT_TARGETS=agent:dev", "INPUT_DOCKERFILE=", "INPUT_FAIL_ON=", "INPUT_REQUIRE=")
		if code != 0 || outputs["exit-code"] != want {
			t.Fatalf("audit %s: scan ends with %d, outputs %v\n%s", want, code, outputs, log)
		}
		if reported := outputs["sarif"] != ""; reported != (want != "2") {
			t.Errorf("audit %s: outputs %v", want, outputs)
		}
		if want != "2" && r.read(r.notes) != "summary\n" {
			t.Errorf("audit %s: step summary %q", want, r.read(r.notes))
		}
		if code, log, _ := r.run("gate.sh", "EXIT_CODE="+outputs["exit-code"]); code != int(want[0]-'0') {
			t.Errorf("audit %s: gate ends with %d\n%s", want, code, log)
		}
	}
}

func TestGateWithoutAudit(t *testing.T) {
	r := newRunner(t)
	for _, value := range []string{"", "0; exit 0", "$(exit 0)"} {
		if code, _, _ := r.run("gate.sh", "EXIT_CODE="+value); code != 3 {
			t.Errorf("gate of %q ends with %d, want 3", value, code)
		}
	}
}

// Inputs are words for the audit, never shell and never a flag.
func TestScanInputs(t *testing.T) {
	r := newRunner(t)
	program := r.program("sandbox-audit", fake)
	targets := "agent:dev\r\n\n-o text\n$(touch pwned) `touch pwned`; touch pwned\n"
	_, log, _ := r.run("scan.sh", "CODE=0", "PROGRAM="+program, "INPUT_TARGETS="+targets, "INPUT_DOCKERFILE=my app/Dockerfile; touch pwned", "INPUT_FAIL_ON=note", "INPUT_REQUIRE=privilege")
	_, got, _ := strings.Cut(r.read(filepath.Join(r.temp, "arguments")), "summary.md\n")
	want := strings.Join([]string{"--dockerfile=my app/Dockerfile; touch pwned", "--fail-on=note", "--require=privilege", "--",
		"agent:dev", "-o text", "$(touch pwned) `touch pwned`; touch pwned", ""}, "\n")
	if got != want {
		t.Errorf("arguments\n%s\nwant\n%s\n%s", got, want, log)
	}
	if _, err := os.Stat(filepath.Join(r.temp, "pwned")); err == nil {
		t.Error("an input ran as code")
	}
	if _, _, outputs := r.run("scan.sh", "CODE=0", "PROGRAM="+program, "INPUT_TARGETS=\n", "INPUT_DOCKERFILE=", "INPUT_FAIL_ON=", "INPUT_REQUIRE="); outputs["exit-code"] != "2" {
		t.Errorf("no target: outputs %v", outputs)
	}
}

func TestPermission(t *testing.T) {
	for _, c := range []struct{ name, upload, sarif, event, head, actor, want string }{
		{"push", "true", "a.sarif", "push", "", "someone", "true"},
		{"pull request of the repository", "true", "a.sarif", "pull_request", "o/r", "someone", "true"},
		{"pull request from a fork", "true", "a.sarif", "pull_request", "fork/r", "someone", "false"},
		{"pull request from a deleted fork", "true", "a.sarif", "pull_request", "", "someone", "false"},
		{"pull request from Dependabot", "true", "a.sarif", "pull_request", "o/r", "dependabot[bot]", "false"},
		{"nothing to upload", "true", "", "push", "", "someone", "false"},
		{"not wanted", "false", "a.sarif", "push", "", "someone", "false"},
	} {
		r := newRunner(t)
		code, log, outputs := r.run("permission.sh", "INPUT_UPLOAD="+c.upload, "SARIF="+c.sarif, "GITHUB_EVENT_NAME="+c.event,
			"HEAD_REPOSITORY="+c.head, "GITHUB_REPOSITORY=o/r", "GITHUB_ACTOR="+c.actor)
		if code != 0 || outputs["upload"] != c.want {
			t.Errorf("%s: exit code %d, outputs %v, want upload=%s\n%s", c.name, code, outputs, c.want, log)
		}
	}
}
