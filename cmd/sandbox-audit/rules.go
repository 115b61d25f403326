package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

func newRules() *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "List all rules",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			var step scan.Step
			for _, r := range rules.All() {
				if r.Step != step {
					if step != 0 {
						fmt.Fprintln(w)
					}
					step = r.Step
					fmt.Fprintln(w, rules.StepTitle(step))
				}
				fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", r.ID, r.Level, r.Name, r.Title)
			}
			return w.Flush()
		},
	}
}
