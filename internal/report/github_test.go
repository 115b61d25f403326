package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// A workflowCommand is a line of a log as GitHub's runner reads it.
type workflowCommand struct {
	name, data string
	props      map[string]string
}

// readCommand reads a line as the runner does (actions/runner, ActionCommand.cs);
// nil if it is no command.
func readCommand(t *testing.T, line string) *workflowCommand {
	t.Helper()
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "::")
	if !ok {
		return nil
	}
	head, data, ok := strings.Cut(rest, "::")
	if !ok {
		t.Fatalf("a command has no end: %q", line)
	}
	c := &workflowCommand{data: strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data), props: map[string]string{}}
	var list string
	c.name, list, _ = strings.Cut(head, " ")
	for _, p := range strings.Split(list, ",") {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			t.Fatalf("%q is no property in %q", p, line)
		}
		c.props[name] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(value)
	}
	return c
}

// I2: whatever stands in an image, the runner reads no command but annotations,
// and these have no property but those that place them.
func TestGitHubCommands(t *testing.T) {
	line := regexp.MustCompile(`^[1-9][0-9]*$`)
	for name, r := range allReports() {
		n := map[string]int{}
		for _, l := range strings.Split(formats()["github"](t, r), "\n") {
			c := readCommand(t, l)
			if c == nil {
				continue
			}
			n[c.name]++
			if !slices.Contains([]string{"error", "warning", "notice"}, c.name) {
				t.Errorf("%s: command %s", name, c.name)
			}
			for key, value := range c.props {
				switch {
				case key == "title" && value != "", key == "file" && value != "" && c.props["line"] != "":
				case (key == "line" || key == "endLine") && line.MatchString(value) && c.props["file"] != "":
				default:
					t.Errorf("%s: property %s=%q", name, key, value)
				}
			}
			if strings.ContainsAny(c.props["title"]+c.props["file"], "\r\n") || strings.Contains(c.data, "\r") || strings.Count(c.data, "\n") > 1 {
				t.Errorf("%s: line breaks in %q", name, l)
			}
		}
		for kind, n := range n {
			if n > annotationsPerKind {
				t.Errorf("%s: %d of %s, GitHub shows %d", name, n, kind, annotationsPerKind)
			}
		}
	}
}

func TestGitHubEscapes(t *testing.T) {
	got := annotation{level: scan.LevelError, title: "a:b,c", file: "100%/d,e:f", line: 3, end: 2, text: "50% off\nnow", hint: "x"}.command()
	if want := "::error file=100%25/d%2Ce%3Af,line=3,endLine=3,title=a%3Ab%2Cc::50%25 off%0Anow%0Ahelp: x\n"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// More findings than GitHub shows: the worst are annotations, all are in the log.
func TestGitHubShowsTheWorstFirst(t *testing.T) {
	res := imageResult()
	res.Findings = nil
	for i := range 40 {
		level := []scan.Level{scan.LevelNote, scan.LevelWarning, scan.LevelError, scan.LevelNote}[i%4]
		res.Findings = append(res.Findings, &scan.Finding{Rule: pythonSource, Level: level, Message: fmt.Sprintf("finding %d", i), At: scan.Location{Source: span(i+1, i+1)}})
	}
	res.Findings = append(res.Findings, &scan.Finding{Rule: rootUser, Level: scan.LevelError, Message: "one error too many"})
	out := formats()["github"](t, newReport(res))
	var kinds []string
	for _, l := range strings.Split(out, "\n") {
		if c := readCommand(t, l); c != nil {
			kinds = append(kinds, c.name)
		}
	}
	want := slices.Concat(slices.Repeat([]string{"error"}, 10), slices.Repeat([]string{"warning"}, 10), slices.Repeat([]string{"notice"}, 10))
	if !slices.Equal(kinds, want) {
		t.Errorf("got %q", kinds)
	}
	for _, part := range []string{"::notice title=sandbox-audit::12 more findings in the log of this step\n", "\nerror: SBX201 root-user one error too many, ", "\nnote: SBX101 python-source docker/Dockerfile:37 finding 36, in image localhost:5000/acme/agent:1.4\n"} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is not told in\n%s", part, out)
		}
	}
}

// D84: what was not audited comes before all findings.
func TestGitHubTellsWhatIsMissing(t *testing.T) {
	out := formats()["github"](t, incompleteReport())
	if !strings.HasPrefix(out, "::error title=not audited::gone.tar: opening gone.tar: no such file or directory%0Ahelp: did you mean cut.tar?\n::error title=not audited::cut.tar: rule SBX201") {
		t.Errorf("got\n%s", out)
	}
}
