//go:build ignore

// New scaffolds a rule: its file, its page and two fixtures.
//
//	go run ./rules/new.go SBX205 passwordless-sudo
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("new: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: go run ./rules/new.go SBX205 passwordless-sudo")
	}
	if err := scaffold(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// steps are the steps of the checklist by the hundreds of an id.
var steps = map[byte]string{
	'0': "Audit", '1': "Bytecode", '2': "Privilege", '3': "Environment", '4': "Network", '5': "Runtime", '6': "Supply",
}

func scaffold(id, name string) error {
	if !regexp.MustCompile(`^SBX[0-6][0-9]{2}$`).MatchString(id) {
		return fmt.Errorf("%q is not a rule id such as SBX205", id)
	}
	if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(name) {
		return fmt.Errorf("%q is not a rule name such as passwordless-sudo", name)
	}
	fixtures := filepath.Join("testdata", "images", name)
	for _, file := range []struct{ path, text string }{
		{filepath.Join("rules", strings.ReplaceAll(name, "-", "_")+".go"), rule(id, name)},
		{filepath.Join("rules", "docs", id+".md"), page(id)},
		{filepath.Join(fixtures, "fires.txtar"), fixture},
		{filepath.Join(fixtures, "quiet.txtar"), strings.ReplaceAll(fixture, "/what/it/looks/for", "/something/else")},
	} {
		if err := create(file.path, file.text); err != nil {
			return err
		}
		fmt.Println(file.path)
	}
	fmt.Println("\nnow write them, then: go test ./rules -update")
	return nil
}

func create(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is already there; nothing was overwritten", path)
	}
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	return f.Close()
}

func rule(id, name string) string {
	return fmt.Sprintf(`package rules

import "github.com/sandbox-audit/sandbox-audit/internal/scan"

var _ = register(&scan.Rule{
	ID: %q, Name: %q, Step: scan.%s, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{250},
	Title: "one line, no capital, no period",
	Where: scan.InImage | scan.InDockerfile,
	Run: func(p *scan.Pass) {
		for f := range p.Image.Files() {
			if f.Live() && f.Path == "/what/it/looks/for" {
				p.Reportf(p.At(f), "%%s is there, and that matters because ...", f.Path)
			}
		}
	},
})
`, id, name, steps[id[3]])
}

func page(id string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", id)
	for _, h := range []string{"What it finds", "Why it matters", "Bad", "Good", "How to fix", "When to ignore", "References"} {
		fmt.Fprintf(&b, "\n## %s\n\n...\n", h)
	}
	return b.String()
}

const fixture = `What the fixture shows.
-- Dockerfile --
FROM scratch
COPY file /what/it/looks/for
-- 1/what/it/looks/for mode=0644 --
body
-- want --
`
