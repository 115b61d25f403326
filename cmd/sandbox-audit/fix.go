package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/report"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

const fixLong = `Mend what an audit of a Dockerfile finds, where a patch is certain.

Without --write nothing is changed: the patch is shown as a diff, with the values of
secrets hidden. Every patch is tried first: one that does not make its finding go away
is left out, and so is one that changes the same text as another; run fix again then.
Patches that may change what the image does beyond the finding, such as another user,
need --unsafe.

The exit code is that of an audit of the file as it then is: 0 if nothing is left at or
over --fail-on, 1 if something is, 2 for wrong use, 3 if a file could not be read or
written, or changed meanwhile.`

// A fixer mends one Dockerfile.
type fixer struct {
	*audit
	write, unsafe bool
	only          []string // rules, by id or name; all if empty
}

func newFix(proc process, code *int) *cobra.Command {
	var o options
	var x fixer
	cmd := &cobra.Command{
		Use:     "fix [flags] DOCKERFILE",
		Short:   "Mend what an audit of a Dockerfile finds",
		Long:    fixLong,
		Example: "  sandbox-audit fix Dockerfile\n  sandbox-audit fix --write --unsafe Dockerfile\n  sandbox-audit fix --rule SBX205 Dockerfile",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "-" || args[0] == "" {
				return &hinted{errors.New("fix takes one Dockerfile"), "see sandbox-audit fix --help"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range x.only {
				if rules.Find(name) == nil {
					return &hinted{fmt.Errorf("--rule %s: there is no such rule", name), "see sandbox-audit rules"}
				}
			}
			o.outputs = nil
			a, err := newAudit(&o, cmd.Flags(), proc, args)
			if err != nil {
				return err
			}
			x.audit = a
			*code, err = x.run(cmd.Context(), args[0])
			return err
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVarP(&x.write, "write", "w", false, "change the files")
	f.BoolVar(&x.unsafe, "unsafe", false, "also what may change more than the finding is about")
	f.StringSliceVar(&x.only, "rule", nil, "mend only findings of this `RULE`, by id or name; repeatable")
	_ = cmd.RegisterFlagCompletionFunc("rule", completeRule) // the flag is there
	o.lend(cmd, func(flag string) bool {
		return strings.HasPrefix(flag, "max-") || slices.Contains(fixFlags, flag)
	})
	completeFlags(cmd, nil)
	return cmd
}

// fixFlags are the flags of an audit that say how a Dockerfile is built and judged.
var fixFlags = []string{"context", "target", "build-arg", "base-image", "platform", "insecure", "fail-on", "require", "session-var", "sandbox-user", "first-party", "isolation", "config", "no-config", "no-ignores", "color", "quiet", "timeout"}

// A draft is what a patch makes of a Dockerfile and its ignore file.
type draft struct {
	text  []byte
	added []string // entries of the ignore file
}

func (d *draft) ignored() []string {
	if d == nil {
		return nil
	}
	return d.added
}

func (x *fixer) run(ctx context.Context, target string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, x.timeout)
	defer cancel()
	before, err := x.look(ctx, target, nil)
	if err != nil {
		return x.failed(err)
	}
	plan, changes, err := x.plan(ctx, target, before)
	if err != nil {
		return x.failed(err)
	}
	if len(plan.Fixed) > 0 {
		if err := x.show(before, plan); err != nil {
			return x.failed(err)
		}
	}
	x.tell(plan)
	final := before
	if x.write && len(plan.Fixed) > 0 {
		if err := commit(changes); err != nil {
			return x.failed(err)
		}
		if final, err = x.look(ctx, target, nil); err != nil {
			return x.failed(err)
		}
		if left := fix.Left(before, final, plan.Fixed); len(left) > 0 {
			return x.failed(fmt.Errorf("audited again: %d of the findings are still there", len(left)))
		}
		fmt.Fprintf(x.proc.stdout, "written and audited again: %s gone\n", count(len(plan.Fixed), "finding is", "findings are"))
	}
	x.results = []*scan.Result{final}
	return x.decide(), nil
}

// failed tells of an error and returns the exit code for it.
func (x *fixer) failed(err error) (int, error) {
	var wrong *usageError
	if errors.As(err, &wrong) {
		return exitUsage, err
	}
	complain(x.proc.stderr, err)
	return exitIncomplete, nil
}

// look audits the Dockerfile, or a draft of it.
func (x *fixer) look(ctx context.Context, target string, d *draft) (*scan.Result, error) {
	defer func(texts dockerfiles, quiet bool) { x.texts, x.quiet = texts, quiet }(x.texts, x.quiet)
	x.results = nil
	if d != nil {
		x.texts = dockerfiles{} // those of the files stay
		x.quiet = true          // what is to be said was said of the file
	}
	r := x.recipe(target, nil)
	r.draft = d
	if err := x.dockerfileTarget(ctx, r); err != nil {
		return nil, err
	}
	return x.results[0], nil
}

// plan chooses patches and tries them together. Those that do not make their findings
// go away are left out.
func (x *fixer) plan(ctx context.Context, target string, before *scan.Result) (*fix.Plan, []fix.Change, error) {
	var vain []*scan.Finding
	for {
		plan := fix.New(before, x.unsafe, func(f *scan.Finding) bool { return x.wants(f.Rule) && !slices.Contains(vain, f) })
		if len(plan.Fixed) == 0 {
			return plan, nil, nil
		}
		changes, err := x.changes(plan)
		if err != nil {
			return nil, nil, err
		}
		d := &draft{text: x.texts[target]}
		for _, c := range changes {
			if c.Path == target {
				d.text = c.After
			} else {
				d.added = strings.Fields(string(c.After[len(c.Before):]))
			}
		}
		after, err := x.look(ctx, target, d)
		if err == nil && len(after.Target.Unread()) > len(before.Target.Unread()) {
			err = errors.New("an instruction could not be understood")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("parsing what the patch makes of %s: %w; nothing was written", target, err)
		}
		left := fix.Left(before, after, plan.Fixed)
		if len(left) == 0 {
			return plan, changes, nil
		}
		vain = append(vain, left...)
	}
}

func (x *fixer) wants(r *scan.Rule) bool {
	return len(x.only) == 0 || slices.ContainsFunc(x.only, func(name string) bool { return rules.Find(name) == r })
}

// changes applies a plan to the text of its files, as they were when they were read.
func (x *fixer) changes(plan *fix.Plan) ([]fix.Change, error) {
	var out []fix.Change
	for _, path := range plan.Paths() {
		text, ok := x.texts[path]
		if !ok {
			var err error
			if text, err = os.ReadFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("reading %s: %w", path, cause(err))
			}
			x.texts[path] = text
		}
		after, err := fix.Apply(text, plan.Of(path))
		if err != nil {
			return nil, fmt.Errorf("patching %s: %w", path, err)
		}
		out = append(out, fix.Change{Path: path, Before: text, After: after})
	}
	return out, nil
}

// commit writes all files, or none if one of them is not what it was.
func commit(changes []fix.Change) error {
	for _, c := range changes {
		if err := c.Check(); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if err := c.Write(); err != nil {
			return err
		}
	}
	return nil
}

func (x *fixer) show(before *scan.Result, plan *fix.Plan) error {
	r := &report.Report{Snippet: x.texts.snippets(), Mask: secret.Mask, TextBytes: x.limits.TextBytes}
	return output{format: "diff"}.write(x.proc.stdout, func(w io.Writer) error {
		return report.Diff(w, r, before, plan.Edits, report.TextOptions{Color: x.colour(output{})})
	})
}

// tell says what the plan mends, and what it leaves.
func (x *fixer) tell(plan *fix.Plan) {
	say := func(f *scan.Finding, more string) {
		fmt.Fprintf(x.proc.stdout, "%s %s %s: %s%s\n", printable(place(f)), f.Rule.ID, f.Rule.Name, printable(f.Fix.Description), more)
	}
	for _, f := range plan.Fixed {
		say(f, "")
	}
	for _, f := range plan.Clashes {
		say(f, " (left out: it changes the same text as another; run fix again)")
	}
	for _, f := range plan.Unsafe {
		say(f, " (left out: it is not safe; --unsafe takes it)")
	}
	switch n := len(plan.Fixed); {
	case n == 0 && len(plan.Unsafe) == 0:
		fmt.Fprintln(x.proc.stdout, "there is nothing that a patch mends")
	case n > 0 && !x.write:
		fmt.Fprintf(x.proc.stdout, "%s; nothing was written: --write does it\n", count(n, "finding would be gone", "findings would be gone"))
	}
}

func place(f *scan.Finding) string {
	if f.At.Source == (dockerfile.Span{}) {
		return f.At.String()
	}
	return f.At.Lines().String()
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
