package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

func newRules() *cobra.Command {
	var format string
	list := map[string]func(io.Writer) error{"text": rulesText, "json": rulesJSON}
	words := []string{"text", "json"}
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List all rules",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list[format] == nil {
				return didYouMean(fmt.Errorf("-o %s: there is no format %q", format, format), format, words)
			}
			return list[format](cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "text", "write `FORMAT`: "+strings.Join(words, ", "))
	// The only error is a flag that does not exist, which the tests would show.
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func rulesText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
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
}

type (
	jsonCatalogue struct {
		Schema  string     `json:"schema"`
		Version string     `json:"version"`
		Rules   []jsonRule `json:"rules"`
	}
	jsonRule struct {
		ID        string   `json:"id"`
		Name      string   `json:"name"`
		Title     string   `json:"title"`
		Step      string   `json:"step"`
		Level     string   `json:"level"`
		Severity  float64  `json:"severity"`
		Precision string   `json:"precision"`
		CWE       []int    `json:"cwe"`
		Where     []string `json:"where"`
		Docs      string   `json:"docs"`
	}
)

// rulesJSON writes all rules by id, as docs/rules.schema.json describes them.
func rulesJSON(w io.Writer) error {
	c := jsonCatalogue{Schema: "sandbox-audit-rules/1", Version: buildVersion()}
	for _, r := range rules.All() {
		c.Rules = append(c.Rules, jsonRule{
			ID: r.ID, Name: r.Name, Title: r.Title, Step: r.Step.String(), Level: r.Level.String(),
			Severity: r.Severity, Precision: r.Precision.String(), CWE: append([]int{}, r.CWE...),
			Where: kinds(r.Where), Docs: ruleDoc(r.ID).URI,
		})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(c)
}

// kinds are the kinds of target a rule judges, in words for programs.
func kinds(w scan.Where) []string {
	out := []string{}
	for _, k := range []struct {
		bit  scan.Where
		name string
	}{{scan.InImage, "image"}, {scan.InDockerfile, "dockerfile"}, {scan.InManifest, "manifest"}} {
		if w&k.bit != 0 {
			out = append(out, k.name)
		}
	}
	return out
}
