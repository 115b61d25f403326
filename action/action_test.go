// Package action holds the shell steps of the composite action in action.yml. Its
// tests run them as a runner would, in an environment of their own.
package action

import (
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
	for _, value := range []string{"", "0; exit 0", "$(exit 0)", "137", "256", "00", "-0"} { // a shell takes 256 for 0
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
