package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:     "explain RULE",
		Short:   "Show what a rule finds, why it matters and how to fix it",
		Example: "  sandbox-audit explain SBX201\n  sandbox-audit explain root-user",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return &hinted{errors.New("no rule is named"), allRules}
			case len(args) > 1:
				return &hinted{fmt.Errorf("explain takes one rule, and was given %d", len(args)), allRules}
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(ruleIDs(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := rules.Find(args[0])
			if r == nil {
				return noRule(args[0])
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), rules.Doc(r.ID).Markdown)
			return err
		},
	}
}

const allRules = "sandbox-audit rules lists them all"

func noRule(word string) error {
	words := ruleIDs()
	for _, r := range rules.All() {
		words = append(words, r.Name)
	}
	hint := allRules
	if near := suggest.Nearest(word, words); near != "" {
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
