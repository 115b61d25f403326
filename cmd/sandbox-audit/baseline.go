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
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

const baselineLong = `A baseline records what an audit found, so that with --baseline only what is new
fails the gate. It holds rules, fingerprints and the names of places; no secrets, and
nothing that changes when an image is built again, lines move or a tag is renamed.

Record and audit in the same way: a finding that --dockerfile places in a Dockerfile is
another one than without it.`

// baselineBytes is more than any baseline needs: some hundred thousand findings.
const baselineBytes = 64 << 20

func newBaseline(proc process, code *int) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "baseline",
		Short:   "Record findings, so that only new ones fail the gate",
		Long:    baselineLong,
		Example: "  sandbox-audit baseline write --file baseline.json agent:1.4\n  sandbox-audit agent:1.5 --baseline baseline.json\n  sandbox-audit agent:1.5 --baseline agent:1.4",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return didYouMean(fmt.Errorf("baseline has no command %s", args[0]), args[0], []string{"write", "show", "prune"})
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			return &hinted{errors.New("baseline needs a command"), "one of write, show, prune"}
		},
	}
	cmd.AddCommand(newBaselineAudit(proc, code, "write", "Record what an audit finds", (*audit).writeBaseline),
		newBaselineAudit(proc, code, "prune", "Take out of a baseline what is not found any more", (*audit).pruneBaseline), newBaselineShow())
	return cmd
}

// newBaselineAudit is a command that audits targets and then does something with a file.
func newBaselineAudit(proc process, code *int, name, short string, do func(*audit, string) error) *cobra.Command {
	var o options
	var file string
	cmd := &cobra.Command{
		Use:   name + " --file FILE [flags] TARGET...",
		Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case file == "":
				return &hinted{fmt.Errorf("baseline %s: no file is named", name), "name it with --file"}
			case len(args) == 0:
				return &hinted{errors.New("no target given"), "name what to audit; see sandbox-audit baseline " + name + " --help"}
			}
			o.outputs = nil
			a, err := newAudit(&o, cmd.Flags(), proc, args)
			if err != nil {
				return err
			}
			*code, err = a.record(cmd.Context(), args, file, do)
			return err
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&file, "file", "", "the baseline's `FILE`")
	o.lend(cmd, func(flag string) bool {
		return !slices.Contains([]string{"output", "fail-on", "require", "color", "baseline", "show-ignored"}, flag)
	})
	completeFlags(cmd, nil)
	return cmd
}

// record audits the targets and does something with the baseline's file. Of an audit
// that is not complete nothing is recorded.
func (a *audit) record(ctx context.Context, targets []string, file string, do func(*audit, string) error) (int, error) {
	if err := a.checkTargets(targets); err != nil {
		return exitUsage, err
	}
	if input := a.overwritten(file, targets); input != "" {
		return exitUsage, fmt.Errorf("--file %s: it would overwrite %s, which is to be read", file, input)
	}
	if code, err := a.all(ctx, targets); err != nil || code != exitOK {
		return code, err
	}
	a.review()
	var names []string
	for _, f := range a.failed {
		names = append(names, f.Name)
	}
	if code, why := (policy.Gate{}).Decide(a.results, names); code != policy.ExitClean {
		complain(a.proc.stderr, &hinted{errors.New(why), file + " was not written: what was not read would be missing in it"})
		return code, nil
	}
	if err := do(a, file); err != nil {
		complain(a.proc.stderr, err)
		return exitIncomplete, nil
	}
	return exitOK, nil
}

func (a *audit) writeBaseline(file string) error {
	b := policy.Record(file, a.results, repoPath)
	if err := save(b, file); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.proc.stdout, "recorded %s in %s\n", count(total(b), "finding", "findings"), file)
	return err
}

func (a *audit) pruneBaseline(file string) error {
	b, err := readBaseline(file)
	if err != nil {
		return err
	}
	gone := b.Prune(policy.Record(file, a.results, repoPath), policy.Origins(a.results, repoPath))
	if gone > 0 {
		if err := save(b, file); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(a.proc.stdout, "%s not there any more; %s left in %s\n", count(gone, "finding is", "findings are"), count(total(b), "is", "are"), file)
	return err
}

// sayStale tells what a baseline's file lists of the targets that is not found any more.
// Of an audit that is not complete that is not known.
func (a *audit) sayStale() {
	if a.quiet || a.recorded == nil || a.recorded.OfImage || len(a.failed) > 0 ||
		slices.ContainsFunc(a.results, func(r *scan.Result) bool { return !r.Complete() }) {
		return
	}
	origins, gone := policy.Origins(a.results, repoPath), 0
	for _, e := range a.recorded.Gone(policy.Record(a.baseline, a.results, repoPath)) {
		if slices.Contains(origins, e.Origin) {
			gone += e.Count
		}
	}
	if gone > 0 {
		complain(a.proc.stderr, &hinted{fmt.Errorf("%s: %s not there any more", a.baseline, count(gone, "finding that it lists is", "findings that it lists are")),
			"sandbox-audit baseline prune --file " + a.baseline + " TARGET takes them out"})
	}
}

func total(b *policy.Baseline) int {
	n := 0
	for _, e := range b.Entries {
		n += e.Count
	}
	return n
}

func save(b *policy.Baseline, file string) error {
	return output{format: "baseline", file: file}.write(nil, func(w io.Writer) error { return b.Write(w, printable) })
}

func readBaseline(file string) (*policy.Baseline, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading the baseline %s: %w", file, cause(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, baselineBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the baseline %s: %w", file, cause(err))
	case len(b) > baselineBytes:
		return nil, fmt.Errorf("reading the baseline %s: it is over %d bytes", file, baselineBytes)
	}
	return policy.ReadBaseline(file, b)
}

func newBaselineShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE",
		Short: "List what a baseline records",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &hinted{fmt.Errorf("baseline show takes one file, and was given %d", len(args)), "see sandbox-audit baseline show --help"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := readBaseline(args[0])
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			origin := ""
			for _, e := range b.Entries {
				if e.Origin != origin {
					origin = e.Origin
					fmt.Fprintln(w, printable(origin))
				}
				fmt.Fprintf(w, "  %s\t%d\t%s\t%s\n", printable(e.Rule), e.Count, printable(e.Fingerprint), strings.TrimSpace(printable(e.Place)))
			}
			return w.Flush()
		},
	}
}

// noBaseline tells why there is no baseline, and returns the exit code for that.
func (a *audit) noBaseline(ctx context.Context, err error) (int, error) {
	var wrong *usageError
	switch {
	case ctx.Err() != nil:
		complain(a.proc.stderr, errInterrupted)
	case errors.As(err, &wrong):
		return exitUsage, err
	default:
		complain(a.proc.stderr, err)
	}
	return exitIncomplete, nil
}

// openBaseline reads what --baseline names: a file, or another image, which is audited.
// What the latter can't tell is new, so an audit of it that is not complete is told.
func (a *audit) openBaseline(ctx context.Context) (*policy.Baseline, error) {
	head := make([]byte, 512)
	if f, err := os.Open(a.baseline); err == nil {
		n, _ := io.ReadFull(f, head) // a shorter file has a shorter head, a directory none
		f.Close()
		if head = head[:n]; policy.IsBaseline(bytes.TrimPrefix(head, []byte("\ufeff"))) {
			b, err := readBaseline(a.baseline)
			if err != nil {
				return nil, &usageError{err}
			}
			return b, nil
		}
	} else if strings.HasSuffix(a.baseline, ".json") {
		return nil, &usageError{&hinted{fmt.Errorf("reading the baseline %s: %w", a.baseline, cause(err)), "sandbox-audit baseline write --file " + a.baseline + " TARGET makes it"}}
	}
	from, ignores := a.from, a.ignores
	a.from, a.ignores = "", nil
	defer func() { a.from, a.ignores, a.results = from, ignores, nil }()
	if err := a.inTime(ctx, a.baseline, nil); err != nil {
		return nil, fmt.Errorf("reading the baseline: %w", err)
	}
	b := policy.Record(a.baseline, a.results, repoPath)
	b.OfImage = true
	if code, why := (policy.Gate{}).Decide(a.results, nil); code != policy.ExitClean {
		complain(a.proc.stderr, fmt.Errorf("the baseline: %s", strings.TrimPrefix(why, "exit 3: ")))
	}
	return b, nil
}
