package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

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
		Long:  "List all rules: id, level, name, and what each finds. More on one: sandbox-audit explain SBX201.",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return nil
			case rules.Find(args[0]) != nil:
				return &hinted{errors.New("rules lists all rules, and takes none"), "sandbox-audit explain " + args[0]}
			}
			return &hinted{errors.New("rules takes no arguments"), "see sandbox-audit rules --help"}
		},
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

// titleColumn is where titles start: behind the longest name.
const titleColumn = 50

// rulesText lists the rules by step, within the columns of a terminal.
func rulesText(w io.Writer) error {
	columns := width(w)
	if columns < titleColumn+20 {
		columns = math.MaxInt // of a file, or too narrow to be kept to
	}
	var b strings.Builder
	var step scan.Step
	for _, r := range rules.All() {
		if r.Step != step {
			if step != 0 {
				b.WriteByte('\n')
			}
			step = r.Step
			b.WriteString(rules.StepTitle(step) + "\n")
		}
		fmt.Fprintf(&b, "  %-8s%-9s%-*s%s", r.ID, r.Level, titleColumn-19, r.Name, wrapped(r.Title, strings.Repeat(" ", titleColumn), columns))
	}
	_, err := io.WriteString(w, b.String())
	return err
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
