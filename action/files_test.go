package action

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// decode reads a YAML file of the repository; a key that T lacks is an error.
func decode[T any](t *testing.T, name string) (v T) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

type step struct {
	ID, Name, If, Shell, Run, Uses string
	Env, With                      map[string]string
}

type composite struct {
	Name, Description string
	Inputs            map[string]struct {
		Description string
		Required    bool
		Default     *string
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []step
	}
}

// Scan, upload and gate are steps of their own, no script holds an expression, and
// every variable and output that is used is there.
func TestAction(t *testing.T) {
	a := decode[composite](t, "action.yml")
	var names []string
	var all strings.Builder
	for _, s := range a.Runs.Steps {
		names = append(names, s.Name)
		all.WriteString(s.If)
		for _, m := range []map[string]string{s.Env, s.With} {
			for _, v := range m {
				all.WriteString(v)
			}
		}
		if s.Uses != "" {
			continue
		}
		if strings.Contains(s.Run, "${{") || s.Shell != "bash" {
			t.Errorf("step %s: run %q in shell %q", s.Name, s.Run, s.Shell)
		}
		script := regexp.MustCompile(`^bash "\$GITHUB_ACTION_PATH/(action/[a-z]+\.sh)"$`).FindStringSubmatch(s.Run)
		if script == nil {
			t.Fatalf("step %s runs %q", s.Name, s.Run)
		}
		text, err := os.ReadFile(filepath.Join("..", script[1]))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\b(INPUT_[A-Z0-9_]+|PROGRAM|SARIF|HEAD_REPOSITORY|EXIT_CODE|GH_TOKEN)\b`).FindAllString(string(text), -1) {
			if _, ok := s.Env[name]; !ok {
				t.Errorf("step %s: %s reads %s, which it is not given", s.Name, script[1], name)
			}
		}
	}
	if want := []string{"Install", "Scan", "May the findings be uploaded", "Upload", "Gate"}; !slices.Equal(names, want) {
		t.Errorf("steps %q, want %q", names, want)
	}
	for _, m := range regexp.MustCompile(`inputs\.([a-z0-9-]+)`).FindAllStringSubmatch(all.String(), -1) {
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("%s is not declared", m[0])
		}
	}
	for name := range a.Inputs {
		if !strings.Contains(all.String(), "inputs."+name+" ") {
			t.Errorf("input %s is not used", name)
		}
	}
	gate := a.Runs.Steps[len(a.Runs.Steps)-1]
	if gate.If != "always()" || a.Runs.Using != "composite" {
		t.Errorf("the gate runs if %q, using %s", gate.If, a.Runs.Using)
	}
}

type hook struct {
	ID, Name, Description, Entry, Language, Files string
	Types                                         []string
	PassFilenames                                 *bool `yaml:"pass_filenames"`
	RequireSerial                                 bool  `yaml:"require_serial"`
}

// The hooks for Dockerfiles take several, of any name, and the one for a project finds
// what is in it; all fail for a finding in one.
func TestHooks(t *testing.T) {
	hooks := map[string]hook{}
	for _, h := range decode[[]hook](t, ".pre-commit-hooks.yaml") {
		hooks[h.ID] = h
	}
	files, project, image := hooks["sandbox-audit"], hooks["sandbox-audit-project"], hooks["sandbox-audit-docker"]
	if len(hooks) != 3 || files.Language != "golang" || !slices.Equal(files.Types, []string{"dockerfile"}) || project.Language != "golang" || project.PassFilenames == nil || *project.PassFilenames {
		t.Fatalf("hooks %+v", hooks)
	}
	reference, entry, _ := strings.Cut(image.Entry, " ")
	if want := "sandbox-audit " + entry; image.Language != "docker_image" || files.Entry != want || !slices.Equal(image.Types, files.Types) ||
		!regexp.MustCompile(`^ghcr\.io/sandbox-audit/sandbox-audit:\d+\.\d+\.\d+$`).MatchString(reference) {
		t.Errorf("hook %+v, want one that does what %q does", image, want)
	}
	program, dir := build(t), t.TempDir()
	run := func(h hook, want int, names ...string) {
		t.Helper()
		entry := strings.Fields(h.Entry)
		cmd := exec.Command(program, append(entry[1:], names...)...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); entry[0] != "sandbox-audit" || got != want {
			t.Errorf("%s of %q ends with %d, want %d\n%s", h.Entry, names, got, want, out)
		}
	}
	for i, name := range []string{"Dockerfile", "Dockerfile.dev"} {
		text := []string{"FROM scratch\nUSER 65532:65532\n", "FROM scratch\nUSER root\n"}[i]
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		run(project, i)
	}
	run(files, 0, "Dockerfile")
	run(files, 1, "Dockerfile", "Dockerfile.dev")
}

// A change of what the project's hook reads starts it.
func TestHookOfProject(t *testing.T) {
	starts := regexp.MustCompile(decode[[]hook](t, ".pre-commit-hooks.yaml")[1].Files)
	for name, want := range map[string]bool{
		"Dockerfile": true, "images/agent/Dockerfile.dev": true, "dev.dockerfile": true, "Containerfile": true,
		"compose.yaml": true, "deploy/docker-compose.override.yml": true, "k8s/sandbox.yaml": true,
		"main.go": false, "Dockerfiles.md": false, "docs/dockerfile/index.md": false, "a.yaml.txt": false,
	} {
		if got := starts.MatchString(name); got != want {
			t.Errorf("%s: starts %t, want %t", name, got, want)
		}
	}
}

// build builds the program as a release does.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "sandbox-audit.exe")
	cmd := exec.Command("go", "build", "-trimpath", "-o", program, "./cmd/sandbox-audit")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

type gitlab map[string]struct {
	Variables    map[string]string
	BeforeScript []string `yaml:"before_script"`
	Script       []string
	Artifacts    struct {
		When    string
		Reports map[string]string
	}
}

// The template's lines install only what has the checksum, and end with the exit
// code of the audit.
func TestGitLab(t *testing.T) {
	job := decode[gitlab](t, "ci/gitlab.yml")[".sandbox-audit"]
	if job.Artifacts.When != "always" || job.Artifacts.Reports["junit"] == "" || job.Artifacts.Reports["codequality"] == "" {
		t.Errorf("artifacts %+v", job.Artifacts)
	}
	r := newRunner(t)
	r.program("sandbox-audit", "")
	sum := r.release(linux, func(string) string { return "" })
	script := filepath.Join(r.temp, "job.sh")
	lines := append(append([]string{"set -e"}, job.BeforeScript...), job.Script...)
	if err := os.WriteFile(script, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, log, _ := r.run(script, "AUDIT_VERSION=1.2.3", "AUDIT_SHA256="+sum, "AUDIT_TARGET=Dockerfile"); code != 0 || !strings.Contains(log, "released") {
		t.Errorf("exit code %d\n%s", code, log)
	}
	if code, log, _ := r.run(script, "AUDIT_VERSION=1.2.3", "AUDIT_SHA256="+strings.Repeat("0", 64), "AUDIT_TARGET=Dockerfile"); code == 0 || strings.Contains(log, "released") {
		t.Errorf("with another checksum: exit code %d\n%s", code, log)
	}
}
