package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/report"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

// An audit is one run over its targets.
type audit struct {
	options
	proc    process
	outputs []output
	gate    policy.Gate
	args    map[string]string // --build-arg

	results []*scan.Result
	failed  []report.FailedTarget
	texts   dockerfiles
}

func newAudit(o options, proc process) (*audit, error) {
	a := &audit{options: o, proc: proc, args: map[string]string{}, texts: dockerfiles{}}
	var err error
	if a.outputs, err = o.parseOutputs(); err != nil {
		return nil, err
	}
	if a.gate, err = o.gate(); err != nil {
		return nil, err
	}
	if o.from != "" && o.from != "containerd" && !slices.Contains(sources, o.from) {
		return nil, didYouMean(fmt.Errorf("--from %s is no source", o.from), o.from, sources)
	}
	if when := []string{"auto", "always", "never"}; !slices.Contains(when, o.color) {
		return nil, didYouMean(fmt.Errorf("--color %s is not known", o.color), o.color, when)
	}
	for _, kv := range o.buildArgs {
		name, value, ok := strings.Cut(kv, "=")
		if !ok {
			value = proc.getenv(name)
		}
		a.args[name] = value
	}
	return a, nil
}

// run audits the targets, writes every output and returns the exit code.
func (a *audit) run(ctx context.Context, targets []string) (int, error) {
	trace, err := a.lines()
	if err != nil {
		return exitUsage, err
	}
	for _, t := range targets {
		if err := a.target(ctx, t, trace); err != nil {
			var wrong *usageError
			if errors.As(err, &wrong) {
				return exitUsage, err
			}
			a.failed = append(a.failed, report.FailedTarget{Name: t, Message: err.Error(), Hint: hintOf(err)})
			a.say(err)
		}
	}
	if err := a.write(); err != nil {
		complain(a.proc.stderr, err)
		return exitIncomplete, nil
	}
	var names []string
	for _, f := range a.failed {
		names = append(names, f.Name)
	}
	code, reason := a.gate.Decide(a.results, names)
	if reason != "" {
		fmt.Fprintf(a.proc.stderr, "sandbox-audit: %s\n", report.Clean(reason, 4*a.limits.TextBytes))
	}
	return code, nil
}

// say tells on standard error, line by line, why a target could not be read; the
// error names it.
func (a *audit) say(err error) {
	for i, line := range strings.Split(err.Error(), "\n") {
		line = report.Clean(line, 4*a.limits.TextBytes)
		if i == 0 {
			line = "sandbox-audit: " + line
		}
		fmt.Fprintln(a.proc.stderr, line)
	}
	if h := hintOf(err); h != "" {
		fmt.Fprintf(a.proc.stderr, "hint: %s\n", report.Clean(h, a.limits.TextBytes))
	}
}

// hintOf is what an error says the user can do.
func hintOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// target audits one target: a Dockerfile, or all images of an archive or reference.
func (a *audit) target(ctx context.Context, target string, trace *dockerfile.Build) error {
	stdin := bufio.NewReader(a.proc.stdin)
	if a.isDockerfile(target, stdin) {
		return a.dockerfileTarget(ctx, target, stdin)
	}
	scanner := image.NewScanner(scan.Probes(rules.All()), a.limits)
	p := a.progress(target)
	defer p.end()
	scanner.Progress = p.read
	opened, err := source.Open(ctx, target, source.Options{
		From: a.from, Platform: a.platform, Insecure: a.insecure,
		Scanner: scanner, Stdin: stdin, Getenv: a.proc.getenv,
	})
	if err != nil {
		return err
	}
	defer opened.Close()
	if a.verbose {
		for _, n := range opened.Notes {
			fmt.Fprintf(a.proc.stderr, "sandbox-audit: %s\n", report.Clean(n, 4*a.limits.TextBytes))
		}
	}
	for _, src := range opened.Sources {
		img, err := scanner.Load(ctx, src)
		if err != nil {
			return err
		}
		a.judge(scan.Target{Name: src.Name, Kind: src.Kind, Digest: src.Digest, Image: img, Build: trace})
	}
	return nil
}

func (a *audit) judge(t scan.Target) {
	opt := scan.Options{SessionVars: a.sessionVars, SandboxUser: a.sandboxUser}
	a.results = append(a.results, scan.Run(t, rules.All(), opt, a.limits))
}

// progress tells of a target on a terminal, and is quiet in a pipe and in CI.
func (a *audit) progress(target string) *progress {
	if a.quiet || a.proc.getenv("CI") != "" || !isTerminal(a.proc.stderr) {
		return nil
	}
	return newProgress(a.proc.stderr, report.Clean(target, 80))
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// write makes every output.
func (a *audit) write() error {
	r := &report.Report{
		Tool:  report.Tool{Name: "sandbox-audit", Version: buildVersion(), URI: homepage},
		Rules: rules.All(), Failed: a.failed, Docs: ruleDoc, RepoPath: repoPath, Snippet: a.texts.snippet, Mask: secret.Mask,
		TextBytes: a.limits.TextBytes,
	}
	for _, res := range a.results {
		r.Targets = append(r.Targets, report.Target{Result: res, Checklist: policy.Checklist(res)})
	}
	for _, o := range a.outputs {
		if o.format == "text" && o.file == "" && len(a.results) == 0 {
			continue // there is nothing but what standard error says
		}
		err := o.write(a.proc.stdout, func(w io.Writer) error {
			switch o.format {
			case "json":
				return report.JSON(w, r)
			case "sarif":
				return report.SARIF(w, r)
			}
			return report.Text(w, r, report.TextOptions{Color: a.colour(o), Width: width(a.proc.stdout)})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// colour follows --color, then NO_COLOR (no-color.org), then the terminal.
func (a *audit) colour(o output) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	switch {
	case o.file != "" || a.proc.getenv("NO_COLOR") != "":
		return false
	case a.proc.getenv("FORCE_COLOR") != "" || a.proc.getenv("CLICOLOR_FORCE") != "":
		return true
	}
	return isTerminal(a.proc.stdout) && a.proc.getenv("TERM") != "dumb" && a.proc.getenv("CLICOLOR") != "0"
}

// width is that of the terminal; 0 if there is none.
func width(w any) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

const homepage = "https://github.com/sandbox-audit/sandbox-audit"

func ruleDoc(id string) report.RuleDoc {
	d := rules.Doc(id)
	return report.RuleDoc{
		Finds: d.Section(rules.WhatItFinds), Why: d.Section(rules.WhyItMatters), Fix: d.Section(rules.HowToFix),
		Markdown: d.Markdown, URI: homepage + "/blob/main/rules/docs/" + id + ".md",
	}
}

// repoPath is a path relative to the root of the repository it is in, or to the
// working directory if it is in none.
func repoPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	base, err := os.Getwd()
	if err != nil {
		return path
	}
	if root := repository(filepath.Dir(abs)); root != "" {
		base = root
	}
	if rel, err := filepath.Rel(base, abs); err == nil {
		return rel
	}
	return path
}

// repository is the closest folder upwards that holds .git; "" if none does.
func repository(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
