package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/internal/cache"
	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/report"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

// An audit is one run over its targets.
type audit struct {
	options
	proc     process
	commands []string // that a target may have been meant as
	outputs  []output
	gate     policy.Gate
	args     map[string]string // --build-arg
	bases    []baseImage
	judgement

	known   image.Known  // layers that were read before
	cached  *cache.Cache // those of earlier runs; nil if there is none
	results []*scan.Result
	failed  []report.FailedTarget
	texts   dockerfiles

	stdin       *bufio.Reader
	deployments []*deployment   // the manifests among the targets
	found       map[string]bool // targets that were found in a directory
	roots       []string        // folders of what the user named: files name nothing outside of them
	built       map[string]bool // Dockerfiles that a manifest among the targets names
	plans       plan            // how the Dockerfiles among the targets are built
	turn        string          // which of several targets is audited, for progress
	pair        bool            // the one image among the targets is that of the one sandbox
}

// newAudit makes an audit of targets, with what the environment and the configuration
// say where flags do not.
func newAudit(o *options, flags *pflag.FlagSet, proc process, targets []string) (*audit, error) {
	file, err := o.configure(flags, proc, targets)
	if err != nil {
		return nil, err
	}
	a := &audit{options: *o, proc: proc, texts: dockerfiles{}, stdin: bufio.NewReader(proc.stdin), found: map[string]bool{}, built: map[string]bool{}}
	if a.judgement, err = o.newJudgement(file, proc); err != nil {
		return nil, err
	}
	if a.outputs, err = o.parseOutputs(); err != nil {
		return nil, err
	}
	if a.gate, err = o.gate(); err != nil {
		return nil, err
	}
	if err := checkLists(flags); err != nil {
		return nil, err
	}
	if a.args, err = o.parseBuildArgs(proc.getenv); err != nil {
		return nil, err
	}
	if a.bases, err = o.parseBaseImages(); err != nil {
		return nil, err
	}
	if o.from != "" && o.from != "containerd" && !slices.Contains(sources, o.from) {
		return nil, didYouMean(fmt.Errorf("--from %s is no source", o.from), o.from, sources)
	}
	if err := o.checkColor(); err != nil {
		return nil, err
	}
	return a, a.checkPlaces()
}

// run audits the targets, writes every output and returns the exit code.
func (a *audit) run(ctx context.Context, targets []string) (int, error) {
	if code, err := a.reviewed(ctx, targets); err != nil || code != exitOK {
		return code, err
	}
	a.sayStale()
	if err := a.write(); err != nil {
		complain(a.proc.stderr, err)
		complain(a.proc.stderr, errors.New("exit 3: not every output could be written"))
		return exitIncomplete, nil
	}
	return a.decide(), nil
}

// reviewed audits the targets, and judges what their ignores accepted.
func (a *audit) reviewed(ctx context.Context, targets []string) (int, error) {
	if err := a.checkTargets(targets); err != nil {
		return exitUsage, err
	}
	if code, err := a.all(ctx, targets); err != nil || code != exitOK {
		return code, err
	}
	a.review()
	a.sayUnused()
	return exitOK, nil
}

// all audits the targets. The exit code is not 0 only if there is nothing more to do.
func (a *audit) all(ctx context.Context, targets []string) (int, error) {
	trace, err := a.lines()
	if err != nil {
		return exitUsage, orNear(err, nearFile(a.dockerfile))
	}
	defer a.closeCache()
	if a.baseline != "" {
		if a.recorded, err = a.openBaseline(ctx); err != nil {
			return a.noBaseline(ctx, err)
		}
	}
	targets = a.readManifests(a.discover(targets), a.stdin)
	if err := a.checkSandbox(); err != nil {
		return exitUsage, err
	}
	targets = a.withBuilds(targets)
	a.plans = a.plan(targets)
	a.pair = a.onePair(targets)
	for i, t := range targets {
		if slices.Contains(targets[:i], t) {
			continue // its results would only repeat
		}
		if len(targets) > 1 {
			a.turn = fmt.Sprintf(" (%d of %d)", i+1, len(targets))
		}
		err := a.inTime(ctx, t, trace)
		var wrong *usageError
		switch {
		case ctx.Err() != nil:
			complain(a.proc.stderr, errInterrupted)
			return exitIncomplete, nil
		case errors.As(err, &wrong):
			return exitUsage, err
		case err != nil:
			err = a.orMeant(err, t)
			a.failed = append(a.failed, report.FailedTarget{Name: t, Message: err.Error(), Hint: hintOf(err)})
			complain(a.proc.stderr, err)
		}
	}
	a.judgeManifests()
	return exitOK, nil
}

// inTime audits one target within --timeout.
func (a *audit) inTime(ctx context.Context, target string, trace *dockerfile.Build) error {
	late := &hinted{fmt.Errorf("reading %s: not done after %s", target, a.timeout), "give it longer with --timeout"}
	ctx, cancel := context.WithTimeoutCause(ctx, a.timeout, late)
	defer cancel()
	err := a.target(ctx, target, trace)
	if err != nil && errors.Is(context.Cause(ctx), late) {
		return late
	}
	return err
}

// decide returns the exit code, and says why if it is not 0.
func (a *audit) decide() int {
	var names []string
	for _, f := range a.failed {
		names = append(names, f.Name)
	}
	code, reason := a.gate.Decide(a.results, names)
	if reason != "" {
		complain(a.proc.stderr, errors.New(reason))
	}
	return code
}

// target audits one target: a Dockerfile, or all images of an archive or reference.
func (a *audit) target(ctx context.Context, target string, trace *dockerfile.Build) error {
	stdin := a.stdin
	recipes, planned := a.plans[target]
	if !planned && a.isDockerfile(target, stdin) { // a baseline
		recipes, planned = a.recipes(target, stdin), true
	}
	if planned {
		return a.build(ctx, recipes)
	}
	a.openCache()
	scanner := image.NewScanner(scan.Probes(rules.All()), a.limits)
	scanner.Known = &a.known
	p := a.progress(ctx, scanner, target)
	defer p.end()
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
			fmt.Fprintf(a.proc.stderr, "sandbox-audit: %s\n", printable(n))
		}
	}
	p.open(opened.Sources)
	for _, src := range opened.Sources {
		p.turnTo("reading")
		img, err := scanner.Load(ctx, src)
		if err != nil {
			return err
		}
		p.turnTo("judging")
		t := scan.Target{Name: src.Name, Kind: src.Kind, Digest: src.Digest, Image: img, Build: trace}
		a.attest(&t, src)
		a.judge(t, identity{names: append(slices.Clone(src.Tags), src.Name), digest: src.Digest})
	}
	return nil
}

func (a *audit) judgeOne(t scan.Target) {
	if a.verbose && !t.NoImage {
		a.details(t)
	}
	a.results = append(a.results, scan.Run(t, a.rules, a.ruleOptions(t), a.limits))
}

// progress tells on a terminal how far the scanner is with a target, and is quiet in a
// pipe, in CI, on a terminal that can't clear a line, and where other lines would go into
// its own.
func (a *audit) progress(ctx context.Context, s *image.Scanner, target string) *progress {
	if a.quiet || a.verbose || a.proc.getenv("CI") != "" || a.proc.getenv("TERM") == "dumb" || !isTerminal(a.proc.stderr) {
		return nil
	}
	name := target
	if name == "-" {
		name = "standard input"
	}
	p := newProgress(ctx, a.proc.stderr, width(a.proc.stderr), printable(name)+a.turn)
	s.Progress, s.Done = p.read, p.done
	return p
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
// working directory if it is in none. Of a link to a file of a repository it is
// the file's, as code scanning services show no links.
func repoPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil && repository(filepath.Dir(real)) != "" {
		abs = real
	}
	base := repository(filepath.Dir(abs))
	if base == "" {
		if base, err = os.Getwd(); err != nil {
			return path
		}
	}
	if rel, err := filepath.Rel(base, abs); err == nil {
		return rel
	}
	return path
}

// remembered asks f once for each text. What it answers must not change.
func remembered(f func(string) string) func(string) string {
	known := map[string]string{}
	return func(s string) string {
		v, ok := known[s]
		if !ok {
			v = f(s)
			known[s] = v
		}
		return v
	}
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
