package action

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Uses        string
		Steps       []step
	}
}

// Jobs have the permissions that they name and no other, actions are fixed by commit,
// the token stays in no checkout, and no script holds an expression.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("workflows %q, %v", files, err)
	}
	for _, file := range files {
		var w workflow
		if err := yaml.Unmarshal([]byte(readFile(t, file)), &w); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if w.Permissions == nil || len(w.Permissions) > 0 {
			t.Errorf("%s: permissions for all jobs %v, want {}", file, w.Permissions)
		}
		for name, job := range w.Jobs {
			if len(job.Permissions) == 0 {
				t.Errorf("%s: job %s has no permissions of its own", file, name)
			}
			for _, s := range job.Steps {
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s: job %s runs an expression: %s", file, name, s.Run)
				}
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
					t.Errorf("%s: job %s leaves the token in the checkout", file, name)
				}
				for _, script := range regexp.MustCompile(`\.ci/\w+`).FindAllString(s.Run, -1) {
					if _, err := os.Stat("../" + script); err != nil {
						t.Errorf("%s: job %s: %v", file, name, err)
					}
				}
			}
		}
	}
}

// What others wrote is fixed by its whole commit, with the version that it is, here and
// in what the documentation has to be copied.
func TestPinned(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, file := range append(files, "../action.yml", "../docs/ci.md") {
		for line := range strings.Lines(readFile(t, file)) {
			_, use, ok := strings.Cut(strings.TrimSpace(line), "uses: ")
			if ok && !strings.HasPrefix(use, "./") && use != "sandbox-audit/sandbox-audit@COMMIT" && !pinned.MatchString(use) {
				t.Errorf("%s: %s is not fixed", file, use)
			}
		}
	}
}
