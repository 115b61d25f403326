package main

import (
	"bufio"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What the page tells besides the commands.
const manEnvironment = `
  SANDBOX_AUDIT_*          Every option of an audit that is not given, by its name in
                           capitals with _ for -, such as SANDBOX_AUDIT_FAIL_ON.
                           Values of one that can be repeated are on lines of their
                           own.
  SANDBOX_AUDIT_KEY        Key under which secrets are identified, at least 16 bytes,
                           so that one can be ignored wherever it lies.
  SANDBOX_AUDIT_CACHE_DIR  Directory of the cache.
  DOCKER_HOST              Docker engine to ask for an image; DOCKER_CONTEXT,
                           DOCKER_CERT_PATH and DOCKER_TLS_VERIFY are heeded too.
  CONTAINER_HOST           Podman engine to ask for an image.
  DOCKER_CONFIG            Directory of config.json.
  NO_COLOR                 No colours; FORCE_COLOR and CLICOLOR_FORCE ask for them.
  CI                       If set, no progress is shown.
`

const manFiles = `
  .sandbox-audit.yaml    Configuration, found upwards from the target.
  ~/.docker/config.json  Credentials of registries.
`

const manSeeAlso = homepage + ": what each rule finds, the configuration, and how we judge."

// newMan is the command that prints the manual page, for who packages the program.
func newMan(proc process) *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			date, err := sourceDate(proc.getenv)
			if err != nil {
				return err
			}
			m := manual{bufio.NewWriter(cmd.OutOrStdout())}
			m.write(cmd.Root(), date)
			return m.Flush()
		},
	}
}

// sourceDate is the day of SOURCE_DATE_EPOCH, the seconds since 1970 that a build
// which can be repeated takes for its time (reproducible-builds.org); else none.
func sourceDate(getenv func(string) string) (string, error) {
	text := getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return "", nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return "", fmt.Errorf("SOURCE_DATE_EPOCH %q is no number of seconds", text)
	}
	return time.Unix(seconds, 0).UTC().Format(time.DateOnly), nil
}

// A manual writes a command with its subcommands as one page in the man macros of
// roff (man(7)). Errors come with Flush.
type manual struct{ *bufio.Writer }

func (m manual) write(root *cobra.Command, date string) {
	// Words are not hyphenated and lines end where they do, so that options can be copied.
	fmt.Fprintf(m, ".TH SANDBOX\\-AUDIT 1 %q \"sandbox\\-audit %s\"\n.nr HY 0\n.ad l\n", date, roff(buildVersion()))
	m.section("NAME")
	fmt.Fprintf(m, "%s \\- %s\n", roff(root.Name()), roff(strings.ToLower(root.Short[:1])+root.Short[1:]))
	m.section("SYNOPSIS")
	commands := available(root)
	m.text("  " + strings.Join(synopses(commands), "\n  "))
	m.section("DESCRIPTION")
	m.text(root.Long)
	m.section("OPTIONS")
	for _, g := range flagGroups {
		m.options(g.title, root, g.has)
	}
	m.options("Limits", root, func(f *pflag.Flag) bool { return f.Hidden })
	m.section("COMMANDS")
	for _, c := range commands[1:] {
		m.command(c)
	}
	for _, s := range []struct{ title, text string }{
		{"EXIT STATUS", strings.TrimPrefix(exitCodes, "\nExit codes:\n")}, {"ENVIRONMENT", manEnvironment}, {"FILES", manFiles},
		{"EXAMPLES", examples}, {"SEE ALSO", manSeeAlso},
	} {
		m.section(s.title)
		m.text(s.text)
	}
}

// available are a command and what is below it, without what is hidden.
func available(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, available(sub)...)
		}
	}
	return all
}

func (m manual) section(title string) { fmt.Fprintf(m, ".SH %s\n", title) }

// synopses are the ways to use commands, as lines to show as they are. A command with
// commands of its own is used by these.
func synopses(commands []*cobra.Command) []string {
	var lines []string
	for _, c := range commands {
		if c.HasParent() && c.HasAvailableSubCommands() {
			continue
		}
		_, operands, _ := strings.Cut(c.Use, " ")
		lines = append(lines, strings.TrimSpace(c.CommandPath()+" "+operands))
	}
	return lines
}

// command describes a subcommand. Options that it shares with an audit are only named.
func (m manual) command(c *cobra.Command) {
	fmt.Fprintf(m, ".SS %s\n", roff(strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")))
	if c.Long != "" {
		m.text(c.Long)
	} else {
		m.text(c.Short + ".")
	}
	var shared []string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch same := c.Root().Flags().Lookup(f.Name); {
		case f.Hidden || f.Name == "help":
		case same != nil && same.Usage == f.Usage:
			shared = append(shared, "--"+f.Name)
		default:
			m.option(f)
		}
	})
	if len(shared) > 0 {
		fmt.Fprint(m, ".PP\n")
		m.text("It takes also these options of an audit: " + strings.Join(shared, ", ") + ".")
	}
}

func (m manual) options(title string, c *cobra.Command, of func(*pflag.Flag) bool) {
	fmt.Fprintf(m, ".SS %s\n", roff(title))
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if of(f) {
			m.option(f)
		}
	})
}

func (m manual) option(f *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(f)
	short := ""
	if f.Shorthand != "" {
		short = `\fB` + roff("-"+f.Shorthand) + `\fR, `
	}
	if value != "" {
		value = ` \fI` + roff(value) + `\fR`
	}
	if d := strings.Trim(f.DefValue, "[]"); d != "" && d != "false" {
		usage += " (default " + d + ")"
	}
	fmt.Fprintf(m, ".TP\n%s\\fB%s\\fR%s\n%s\n", short, roff("--"+f.Name), value, roff(usage))
}

// definition is the first line of a list: "  0  what it means".
var definition = regexp.MustCompile(`^  (\S.*?)  +(\S.*)$`)

// text writes paragraphs, lists, and other lines that are indented as they are. What a
// list defines starts in the same column on all its lines.
func (m manual) text(text string) {
	column, literal := 0, false
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		if at := definition.FindStringSubmatchIndex(line); !indented {
			column = 0
		} else if at != nil && !literal && column == 0 {
			column = at[4]
		}
		if asIs := indented && column == 0; asIs != literal {
			fmt.Fprintln(m, map[bool]string{true: ".EX", false: ".EE"}[asIs])
			literal = asIs
		}
		switch {
		case column > 0:
			m.item(line, column)
		case line == "":
			fmt.Fprintln(m, ".PP")
		default:
			fmt.Fprintln(m, roff(strings.TrimPrefix(line, "#### ")))
		}
	}
	if literal {
		fmt.Fprintln(m, ".EE")
	}
}

func (m manual) item(line string, column int) {
	column = min(column, len(line))
	if term := strings.TrimSpace(line[:column]); term != "" {
		fmt.Fprintf(m, ".TP\n.B %s\n", roff(term))
	}
	if meaning := line[column:]; meaning != "" {
		fmt.Fprintln(m, roff(meaning))
	}
}

// escapes are the characters that roff reads as its own, or shows as others
// (groff_char(7), mandoc_char(7)).
var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`)

// roff is text for roff to show as it is.
func roff(text string) string {
	text = escapes.Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
