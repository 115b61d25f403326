//go:build ignore

// Compare audits each Dockerfile of this folder and the image that build made of it, and
// writes which findings and verdicts both have, and which only one, as the table of
// docs/agreement.md:
//
//	go run testdata/agreement/compare.go OUT PROGRAM
//
// OUT is what build wrote to, PROGRAM the sandbox-audit to use.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A finding is one place of one finding, as the JSON output has it.
type finding struct {
	Rule       string
	Path       string
	Field      string
	State      string
	Dockerfile struct{ Line int }
	Places     []finding
}

// String says what is found where.
func (f finding) String() string {
	s := f.Rule
	if f.Dockerfile.Line > 0 {
		s += fmt.Sprintf(":%d", f.Dockerfile.Line)
	}
	for _, part := range []string{f.Path, f.Field} {
		if part != "" {
			s += " `" + part + "`"
		}
	}
	if f.State != "" && f.State != "live" {
		s += " " + f.State
	}
	return s
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: go run testdata/agreement/compare.go OUT PROGRAM")
	}
	out, program := os.Args[1], os.Args[2]
	token, err := os.ReadFile(filepath.Join(out, "token"))
	if err != nil {
		log.Fatal(err)
	}
	files, err := filepath.Glob("testdata/agreement/*.Dockerfile")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("| Dockerfile | both | only the Dockerfile | only the image |\n| --- | --- | --- | --- |")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".Dockerfile")
		if _, err := os.Stat(filepath.Join(out, name+".log")); err != nil {
			continue
		}
		arg := "API_TOKEN=" + string(token)
		predicted := audit(program, file, "--context", filepath.Join(out, "context"), "--base-image", filepath.Join(out, "images@base"), "--build-arg", arg)
		built := audit(program, filepath.Join(out, "images@"+name), "--dockerfile", file, "--build-arg", arg)
		fmt.Println(row(name, predicted, built))
	}
}

// audit returns the verdicts and findings of a target, each place once.
func audit(program string, args ...string) map[string]bool {
	cmd := exec.Command(program, append([]string{"-q", "-o", "json"}, args...)...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		log.Fatal(err)
	}
	var result struct {
		Targets []struct {
			Findings  []finding
			Checklist []struct{ Step, Verdict string }
		}
	}
	if err := json.Unmarshal(text, &result); err != nil || len(result.Targets) != 1 {
		log.Fatalf("%v: no result: %v", args, err)
	}
	all := map[string]bool{}
	for _, c := range result.Targets[0].Checklist {
		all[c.Step+" is "+c.Verdict] = true
	}
	for _, f := range result.Targets[0].Findings {
		places := f.Places
		if len(places) == 0 {
			places = []finding{f}
		}
		for _, p := range places {
			p.Rule = f.Rule
			all[p.String()] = true
		}
	}
	return all
}

// maxListed is how many places of one rule and line are listed by name.
const maxListed = 5

// fold replaces many places of one rule and line by their number.
func fold(all []string) []string {
	places := map[string]int{}
	for _, f := range all {
		rule, _, _ := strings.Cut(f, " ")
		places[rule]++
	}
	var out []string
	for _, f := range all {
		rule, _, _ := strings.Cut(f, " ")
		switch n := places[rule]; {
		case n <= maxListed || !strings.HasPrefix(f, "SBX"):
			out = append(out, f)
		case !slices.Contains(out, fmt.Sprintf("%s, %d places", rule, n)):
			out = append(out, fmt.Sprintf("%s, %d places", rule, n))
		}
	}
	return out
}

func row(name string, predicted, built map[string]bool) string {
	var both int
	var only [2][]string
	for f := range predicted {
		if built[f] {
			both++
		} else {
			only[0] = append(only[0], f)
		}
	}
	for f := range built {
		if !predicted[f] {
			only[1] = append(only[1], f)
		}
	}
	for i, o := range only {
		slices.Sort(o)
		only[i] = fold(o)
	}
	return fmt.Sprintf("| %s | %d | %s | %s |", name, both, strings.Join(only[0], "<br>"), strings.Join(only[1], "<br>"))
}
