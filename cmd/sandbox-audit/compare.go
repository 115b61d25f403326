package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/internal/compare"
	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/report"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

const compareLong = `Show what NEW brought, fixed and still has, compared with OLD: verdicts, findings,
layers and how it starts.

OLD and NEW are each one image, archive, directory, Dockerfile or manifest, named as for
an audit; OLD may be a file that sandbox-audit baseline write made. Findings are compared
as baselines are: by rule and place, so that a build with other lines, digests and tags,
or a secret with another value, is nothing new. What could not be read is never called
fixed.

--dockerfile is NEW's and --old-dockerfile is OLD's; --from is NEW's. All else is for
both, and so is NEW's configuration. Layers are read once, also those that both have.

Exit codes, as for a baseline:
  0  nothing at or over --fail-on is new, and every --require is pass or
     accepted for NEW; a verdict that got worse is shown
  1  something is, or a required verdict is neither
  2  wrong use or configuration
  3  OLD or NEW could not be found or read in full; what was read is compared`

// compareFormats are those in which a comparison is told.
var compareFormats = []string{"text", "json", "markdown"}

// A comparer audits two targets, the second against the first.
type comparer struct {
	*audit
	oldDockerfile string
	all           bool // list also what is the same
	oldIgnores    *policy.Ignores
	oldTexts      dockerfiles
}

func newCompare(proc process, code *int) *cobra.Command {
	var o options
	var x comparer
	cmd := &cobra.Command{
		Use:     "compare [flags] OLD NEW",
		Short:   "Show what a new image fixed, brought and still has",
		Long:    compareLong,
		Example: "  sandbox-audit compare agent:1.4 agent:1.5\n  sandbox-audit compare agent:1.4 Dockerfile --old-dockerfile Dockerfile.old\n  sandbox-audit compare baseline.json agent:1.5 -o markdown=comment.md",
		Args:    twoTargets,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault // files
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := x.prepare(&o, cmd.Flags(), proc, args)
			if err != nil {
				return err
			}
			*code, err = x.run(cmd.Context(), args[0], args[1])
			return err
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVarP(&o.outputs, "output", "o", []string{"text"}, "write `FORMAT[=FILE]`: "+strings.Join(compareFormats, ", ")+"; repeatable")
	f.BoolVar(&x.all, "all", false, "list also what is still there and what is accepted, which is else only counted")
	f.StringVar(&x.oldDockerfile, "old-dockerfile", "", "as --dockerfile, for OLD")
	o.lend(cmd, func(flag string) bool {
		return !slices.Contains([]string{"output", "baseline", "show-ignored"}, flag)
	})
	completeFlags(cmd, compareFormats)
	return cmd
}

func twoTargets(_ *cobra.Command, args []string) error {
	switch {
	case len(args) != 2:
		return &hinted{fmt.Errorf("compare takes OLD and NEW, and was given %s", count(len(args), "target", "targets")), "see sandbox-audit compare --help"}
	case args[0] == "-" && args[1] == "-":
		return errors.New("only one of OLD and NEW can be on standard input")
	}
	return nil
}

// prepare reads the flags, and with them NEW's configuration.
func (x *comparer) prepare(o *options, flags *pflag.FlagSet, proc process, args []string) error {
	for _, given := range o.outputs {
		if format, _, _ := strings.Cut(given, "="); slices.Contains(formats, format) && !slices.Contains(compareFormats, format) {
			return &hinted{fmt.Errorf("-o %s: a comparison is not told as %s", given, format), "one of " + strings.Join(compareFormats, ", ")}
		}
	}
	a, err := newAudit(o, flags, proc, args[1:])
	if err != nil {
		return err
	}
	x.audit, x.oldIgnores = a, a.ignores.Anew()
	return nil
}

func (x *comparer) run(ctx context.Context, before, after string) (int, error) {
	if err := x.checkTargets([]string{before, after}); err != nil {
		return exitUsage, err
	}
	for _, o := range x.outputs {
		if input := x.overwritten(o.file, []string{x.oldDockerfile}); input != "" {
			return exitUsage, fmt.Errorf("-o %s=%s: it would overwrite %s, which is to be read", o.format, o.file, input)
		}
	}
	old, code, err := x.readOld(ctx, before)
	if err != nil || code != exitOK {
		return code, err
	}
	x.recorded = compare.Known(old, repoPath)
	now, code, err := x.side(ctx, after)
	if err != nil || code != exitOK {
		return code, err
	}
	if len(x.oldTexts) == 0 {
		x.sayUnused()
	}
	c := compare.Of(old, now, rules.All(), repoPath, func(ignore func(*scan.Pass, *scan.Finding) *scan.Ignore) *scan.Result {
		return x.again(old.Result.Target, ignore)
	})
	if err := x.tell(c); err != nil {
		complain(x.proc.stderr, err)
		complain(x.proc.stderr, errors.New("exit 3: not every output could be written"))
		return exitIncomplete, nil
	}
	return x.conclude(c), nil
}

// readOld audits OLD, or reads the baseline that it is.
func (x *comparer) readOld(ctx context.Context, target string) (compare.Side, int, error) {
	if isFile(target) && x.isBaselineFile(target) {
		b, err := readBaseline(target)
		if err != nil {
			return compare.Side{}, exitUsage, err
		}
		if x.oldDockerfile != "" {
			return compare.Side{}, exitUsage, fmt.Errorf("--old-dockerfile is of no use: %s is a baseline", target)
		}
		return compare.Side{Name: target, Record: b}, exitOK, nil
	}
	defer func(from, dockerfile string, ignores *policy.Ignores) {
		x.from, x.dockerfile, x.ignores = from, dockerfile, ignores
		x.oldTexts, x.texts, x.deployments, x.found, x.cached = x.texts, dockerfiles{}, nil, map[string]bool{}, nil
	}(x.from, x.dockerfile, x.ignores)
	x.from, x.dockerfile, x.ignores = "", x.oldDockerfile, x.oldIgnores
	return x.side(ctx, target)
}

// isBaselineFile reports whether a file is JSON and no manifest.
func (x *comparer) isBaselineFile(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head) // a shorter file has a shorter head
	return policy.IsBaseline(bytes.TrimPrefix(head[:n], []byte("\ufeff"))) && !x.isManifest(file, x.stdin)
}

// side audits one of the two. The exit code is not 0 only if there is nothing more to do.
func (x *comparer) side(ctx context.Context, target string) (compare.Side, int, error) {
	s := compare.Side{Name: target}
	x.results, x.failed = nil, nil
	if code, err := x.audit.all(ctx, []string{target}); err != nil || code != exitOK {
		return s, code, err
	}
	x.review()
	switch n := len(x.results) + len(x.failed); {
	case n > 1:
		return s, exitUsage, x.several(target, n)
	case len(x.failed) == 1:
		s.Failure, s.Hint = x.failed[0].Message, x.failed[0].Hint
	case n == 1:
		s.Result = x.results[0]
	default:
		s.Failure = "there is nothing in it to audit"
		complain(x.proc.stderr, fmt.Errorf("%s: %s", target, s.Failure))
	}
	return s, exitOK, nil
}

// several says that a target is more than one.
func (x *comparer) several(target string, n int) error {
	var names []string
	for _, r := range x.results {
		names = append(names, r.Target.Name)
	}
	for _, f := range x.failed {
		names = append(names, f.Name)
	}
	const most = 5
	list := strings.Join(names[:min(most, n)], ", ")
	if n > most {
		list += fmt.Sprintf(" and %d more", n-most)
	}
	return &hinted{fmt.Errorf("compare takes one image or sandbox on each side, and %s is %d: %s", target, n, list), "name one of them; of an archive as FILE@NAME:TAG, of a manifest with --sandbox"}
}

// again judges the old side again, with what else sets findings apart after its ignores.
func (x *comparer) again(t scan.Target, ignore func(*scan.Pass, *scan.Finding) *scan.Ignore) *scan.Result {
	defer func(results []*scan.Result, ignores *policy.Ignores, recorded *policy.Baseline) {
		x.results, x.ignores, x.recorded = results, ignores, recorded
	}(x.results, x.ignores, x.recorded)
	x.ignores, x.recorded = x.oldIgnores, nil
	opt := x.ruleOptions(t)
	accepted := opt.Ignore
	opt.Ignore = func(p *scan.Pass, f *scan.Finding) *scan.Ignore {
		if i := accepted(p, f); i != nil {
			return i
		}
		return ignore(p, f)
	}
	res := scan.Run(t, x.rules, opt, x.limits)
	x.oldIgnores.Review([]*scan.Result{res}, scan.Options{Levels: x.levels, Ignore: ignore})
	return res
}

// tell writes every output.
func (x *comparer) tell(c *compare.Comparison) error {
	r := x.report()
	r.Targets, r.Failed = nil, nil
	var errs []error
	for _, o := range x.outputs {
		errs = append(errs, o.write(x.proc.stdout, func(w io.Writer) error {
			switch o.format {
			case "json":
				return report.CompareJSON(w, r, c)
			case "markdown":
				return report.CompareMarkdown(w, r, c)
			}
			opt := report.TextOptions{Color: x.colour(o)}
			if o.file == "" {
				opt.Width = width(x.proc.stdout)
			}
			return report.CompareText(w, r, c, report.CompareOptions{TextOptions: opt, All: x.all})
		}))
	}
	return errors.Join(errs...)
}

// conclude returns the exit code, and says why if it is not 0.
func (x *comparer) conclude(c *compare.Comparison) int {
	var results, now []*scan.Result
	var failed []string
	for _, s := range []compare.Side{c.Old, c.New} {
		switch {
		case s.Failure != "":
			failed = append(failed, s.Name)
		case s.Result != nil:
			results = append(results, s.Result)
		}
	}
	if c.New.Result != nil {
		now = append(now, c.New.Result)
	}
	code, reason := policy.Gate{}.Decide(results, failed)
	if code == policy.ExitClean {
		code, reason = x.gate.Decide(now, nil)
		reason = strings.Replace(reason, "at or over", "new, at or over", 1)
	}
	if reason != "" {
		complain(x.proc.stderr, errors.New(reason))
	}
	return code
}
