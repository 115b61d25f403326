package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/report"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

const explainLong = `Show what a rule finds, why it matters and how to fix it: laid out on a terminal, as
Markdown in a pipe.

With targets, they are audited, and what the rule makes of each is shown: what it found
and how it came to be, what it showed to be good, and what it can't tell. Findings do not
change the exit code: it is 0, 2 for wrong use, or 3 if a target could not be read in full.`

func newExplain(proc process, code *int) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "explain RULE [flags] [TARGET...]",
		Short:   "Show the page of a rule, or how the rule judged a target",
		Long:    explainLong,
		Example: "  sandbox-audit explain SBX201\n  sandbox-audit explain root-user\n  sandbox-audit explain SBX205 agent:1.4",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &hinted{errors.New("no rule is named"), allRules}
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault // files
			}
			return completeRule(cmd, args, begun)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r := rules.Find(args[0])
			if r == nil {
				return noRule(args[0])
			}
			targets := args[1:]
			if len(targets) == 0 {
				return o.writePage(proc, cmd.Flags(), r)
			}
			if err := oneRule(targets); err != nil {
				return err
			}
			o.outputs = nil
			a, err := newAudit(&o, cmd.Flags(), proc, targets)
			if err != nil {
				return err
			}
			*code, err = a.explain(cmd.Context(), r, targets)
			return err
		},
	}
	o.explainFlags(cmd)
	return cmd
}

// writePage writes a rule's page: laid out for a terminal, as Markdown for a file.
func (o *options) writePage(proc process, f *pflag.FlagSet, r *scan.Rule) error {
	if err := fromEnvironment(f, proc.getenv); err != nil {
		return err
	}
	a := &audit{options: *o, proc: proc}
	if err := o.checkColor(); err != nil {
		return err
	}
	return output{format: "text"}.write(proc.stdout, func(w io.Writer) error {
		_, err := io.WriteString(w, a.page(rules.Doc(r.ID).Markdown))
		return err
	})
}

// page is a page in Markdown as it is written to standard output.
func (a *audit) page(markdown string) string {
	color := a.colour(output{format: "text"})
	if !color && !isTerminal(a.proc.stdout) {
		return markdown
	}
	return onTerminal(markdown, width(a.proc.stdout), color)
}

// explainFlags are those of an audit, but for its outputs and its gate.
func (o *options) explainFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	o.lend(cmd, func(flag string) bool {
		return !slices.Contains([]string{"output", "fail-on", "require", "baseline", "show-ignored"}, flag)
	})
	completeFlags(cmd, nil)
}

// oneRule reports a second rule, which would be taken for the name of an image.
func oneRule(targets []string) error {
	for _, t := range targets {
		if _, err := os.Stat(t); err != nil && rules.Find(t) != nil {
			return &hinted{fmt.Errorf("explain takes one rule, and %s is another", t), "what follows the rule is what to audit"}
		}
	}
	return nil
}

// explain audits the targets and tells how one rule judged them.
func (a *audit) explain(ctx context.Context, r *scan.Rule, targets []string) (int, error) {
	if code, err := a.reviewed(ctx, targets); err != nil || code != exitOK {
		return code, err
	}
	if err := a.writeReasoning(r); err != nil {
		complain(a.proc.stderr, err)
		return exitIncomplete, nil
	}
	a.gate = policy.Gate{} // only what could not be read counts
	return a.decide(), nil
}

// writeReasoning writes the first section of a rule's page, then how it judged the
// targets, to standard output.
func (a *audit) writeReasoning(r *scan.Rule) error {
	text := output{format: "text"}
	return text.write(a.proc.stdout, func(w io.Writer) error {
		first, _, _ := strings.Cut(rules.Doc(r.ID).Markdown, "\n## "+rules.WhyItMatters)
		if _, err := fmt.Fprintln(w, a.page(first)); err != nil {
			return err
		}
		return report.Reasoning(w, a.report(), r, report.TextOptions{Color: a.colour(text), Width: width(a.proc.stdout)})
	})
}

const allRules = "sandbox-audit rules lists them all"

func noRule(word string) error {
	words := ruleIDs()
	for _, r := range rules.All() {
		words = append(words, r.Name)
	}
	hint := allRules
	if r := rules.Find("SBX" + word); r != nil { // by its number
		hint = fmt.Sprintf("did you mean %s?", r.ID)
	} else if near := suggest.Nearest(word, words); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return &hinted{fmt.Errorf("there is no rule %q", word), hint}
}

func ruleIDs() []string {
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.ID)
	}
	return ids
}
