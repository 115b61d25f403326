package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sandbox-audit/sandbox-audit/rules"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:               "explain RULE",
		Short:             "Show what a rule finds, why it matters and how to fix it",
		Example:           "  sandbox-audit explain SBX201\n  sandbox-audit explain root-user",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(ruleIDs(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := rules.Find(args[0])
			if r == nil {
				return didYouMean(fmt.Errorf("there is no rule %q", args[0]), args[0], ruleIDs())
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), rules.Doc(r.ID).Markdown)
			return err
		},
	}
}

func ruleIDs() []string {
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.ID)
	}
	return ids
}
