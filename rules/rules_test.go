package rules

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

var update = flag.Bool("update", false, "rewrite the want sections of fixtures, the catalogue and the heads of the pages")

func TestRules(t *testing.T) { scantest.Run(t, All(), "../testdata/images", *update) }

// TestInventory keeps rules, pages, fixtures and names in agreement.
func TestInventory(t *testing.T) {
	id, name := regexp.MustCompile(`^SBX[0-9]{3}$`), regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]string{}
	for _, r := range All() {
		switch {
		case !id.MatchString(r.ID):
			t.Errorf("%q is not an id", r.ID)
		case !name.MatchString(r.Name):
			t.Errorf("%s: %q is not a name", r.ID, r.Name)
		case r.Title == "" || strings.HasSuffix(r.Title, ".") || len(r.Title) > 120:
			t.Errorf("%s: the title %q should be one line without a period", r.ID, r.Title)
		case r.Step == 0 || r.Level == 0 || r.Where == 0 || r.Run == nil || len(r.CWE) == 0:
			t.Errorf("%s: Step, Level, Where, CWE and Run must be set", r.ID)
		case !slices.Contains([]float64{9.5, 8.0, 5.5, 2.0}, r.Severity):
			t.Errorf("%s: severity %v is none of 9.5, 8.0, 5.5 and 2.0", r.ID, r.Severity)
		case r.Many != "" && strings.Count(r.Many, "%") != 1:
			t.Errorf("%s: Many needs exactly one %%d", r.ID)
		}
		for _, k := range []string{r.ID, r.Name} {
			if seen[k] != "" {
				t.Errorf("%s is used twice", k)
			}
			seen[k] = r.ID
		}
		if file := strings.ReplaceAll(r.Name, "-", "_") + ".go"; !exists(file) {
			t.Errorf("%s: want it in %s", r.ID, file)
		}
		for _, h := range Headings() {
			if s := Doc(r.ID).Section(h); s == "" || s == "..." {
				t.Errorf("docs/%s.md: nothing below %q", r.ID, h)
			}
		}
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if id := strings.TrimSuffix(filepath.Base(p), ".md"); seen[id] == "" {
			t.Errorf("%s: no such rule", p)
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// TestGenerated keeps the catalogue and the head of each page what the rules say.
func TestGenerated(t *testing.T) {
	check(t, "README.md", Catalogue())
	for _, r := range All() {
		file := filepath.Join("docs", r.ID+".md")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		_, body, _ := strings.Cut(string(b), "\n## ")
		check(t, file, Head(r)+"\n## "+body)
	}
}

func check(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	switch {
	case *update:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case err != nil:
		t.Error(err)
	case string(got) != want:
		t.Errorf("%s is stale: run go test ./rules -update", file)
	}
}

func TestFind(t *testing.T) {
	for _, r := range All() {
		for _, s := range []string{r.ID, strings.ToLower(r.ID), r.Name, strings.ToUpper(r.Name)} {
			if Find(s) != r {
				t.Errorf("Find(%q) is not %s", s, r.ID)
			}
		}
	}
	if Find("SBX999") != nil {
		t.Error("SBX999 should not exist")
	}
}

// TestManyReads keeps each rule's plural sentence readable.
func TestManyReads(t *testing.T) {
	for _, r := range All() {
		if r.Many == "" {
			continue
		}
		if s := fmt.Sprintf(r.Many, 12); !strings.HasPrefix(s, "12 ") {
			t.Errorf("%s: %q should start with the number", r.ID, s)
		}
	}
}

// TestWhole runs all rules together over complete images.
func TestWhole(t *testing.T) {
	files, err := filepath.Glob("../testdata/images/whole/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			scantest.Check(t, All(), file, *update)
		})
	}
}
