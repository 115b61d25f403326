package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/rules"
)

// helpColumns is what every terminal can show on one line.
const helpColumns = 80

// A flagGroup is a heading of help, and the flags below it.
type flagGroup struct {
	title string
	flags []string
}

func (g flagGroup) has(f *pflag.Flag) bool { return slices.Contains(g.flags, f.Name) }

// flagGroups are the flags of an audit by what they are about, in the order of help.
// What is in none, such as the flags that only one command has, comes first.
var flagGroups = []flagGroup{
	{"The target", []string{"from", "platform", "insecure", "dockerfile", "context", "target", "build-arg", "base-image"}},
	{"The sandbox", []string{"sandbox", "sandbox-user", "session-var", "first-party", "forbid", "isolation"}},
	{"What fails", []string{"fail-on", "require", "baseline", "config", "no-config", "no-ignores"}},
	{"What is shown", []string{"output", "show-ignored", "color", "quiet", "verbose"}},
	{"Time and space", []string{"timeout", "cache-dir", "no-cache"}},
	{"Other", []string{"help", "version"}},
}

const exitCodes = `
Exit codes:
  0  nothing at or over --fail-on, and every --require is pass or accepted
  1  findings at or over --fail-on, or a required verdict that is neither
  2  wrong use or configuration
  3  a target could not be found or read in full; what was read is reported

What is not given as a flag is taken from the environment, such as --fail-on
from SANDBOX_AUDIT_FAIL_ON, then from the configuration, .sandbox-audit.yaml.
What a target may cost is limited; an audit that meets a limit names the flag
that raises it.
`

// newHelp is the command that shows the help of another one.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			switch {
			case err == nil && len(rest) == 0:
				of.InitDefaultHelpFlag()
				return of.Help()
			case rules.Find(args[0]) != nil:
				return &hinted{fmt.Errorf("%s is a rule, not a command", args[0]), "sandbox-audit explain " + args[0]}
			}
			return didYouMean(fmt.Errorf("there is no command %q", strings.Join(args, " ")), args[len(args)-1], commandNames(cmd.Root()))
		},
	}
}

// writeHelp writes all that is known of a command.
func writeHelp(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(w, "%s\n\n%s", strings.TrimSpace(wrapped(text, "", helpColumns)), cmd.UsageString())
	if !cmd.HasParent() {
		fmt.Fprint(w, exitCodes)
	}
}

// writeUsage writes how a command is called, and its flags.
func writeUsage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	fmt.Fprintln(w, "Usage:")
	if cmd.Runnable() && (!cmd.HasAvailableSubCommands() || !cmd.HasParent()) {
		fmt.Fprintf(w, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND ...\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		writeCommands(w, cmd)
	}
	writeFlags(w, cmd.Flags())
	return nil
}

func writeCommands(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintln(w, "\nCommands:")
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(w, "  %-12s%s\n", c.Name(), strings.TrimSpace(wrapped(c.Short, strings.Repeat(" ", 14), helpColumns)))
		}
	}
	fmt.Fprintf(w, "\nMore on each: %s COMMAND --help\n", cmd.CommandPath())
}

// fewFlags need no groups.
const fewFlags = 8

// writeFlags writes flags by their groups.
func writeFlags(w io.Writer, all *pflag.FlagSet) {
	n := 0
	all.VisitAll(func(*pflag.Flag) { n++ })
	if n <= fewFlags {
		writeGroup(w, "Flags", all, func(*pflag.Flag) bool { return true })
		return
	}
	writeGroup(w, "Flags", all, func(f *pflag.Flag) bool {
		return !slices.ContainsFunc(flagGroups, func(g flagGroup) bool { return g.has(f) })
	})
	for _, g := range flagGroups {
		writeGroup(w, g.title, all, g.has)
	}
}

func writeGroup(w io.Writer, title string, all *pflag.FlagSet, of func(*pflag.Flag) bool) {
	group := pflag.NewFlagSet("", pflag.ContinueOnError)
	group.SortFlags = false
	all.VisitAll(func(f *pflag.Flag) {
		if of(f) {
			group.AddFlag(f)
		}
	})
	if group.HasAvailableFlags() {
		fmt.Fprintf(w, "\n%s:\n%s", title, group.FlagUsagesWrapped(helpColumns))
	}
}

// wrapped fits paragraphs into a number of columns, and leaves lines that are indented as
// they are. Lines after the first of a paragraph start with indent, which counts for the
// first one, too.
func wrapped(text, indent string, columns int) string {
	var b strings.Builder
	column := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			if column > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(line + "\n")
			column = 0
			continue
		}
		for word := range strings.FieldsSeq(line) {
			switch {
			case column == 0:
				column = len(indent)
			case column+1+len(word) > columns:
				b.WriteString("\n" + indent)
				column = len(indent)
			default:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += len(word)
		}
	}
	if column > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
