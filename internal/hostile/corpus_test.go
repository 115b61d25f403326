package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// TestCorpus audits every row and expects of each what the row says, whichever
// way it comes in. With -v it prints the table.
func TestCorpus(t *testing.T) {
	var table strings.Builder
	var rows, good, known, evading, caught int
	var most int64
	var longest time.Duration
	ids := map[string]bool{}
	for _, c := range Cases() {
		if ids[c.ID] {
			t.Fatalf("two rows are called %s", c.ID)
		}
		ids[c.ID] = true
		if c.Evades && c.Tree == "" && c.Class > Partial && c.Input().Dockerfile == nil {
			t.Errorf("%s does not say what runtimes see", c.ID)
		}
		t.Run(c.ID, func(t *testing.T) {
			before := resetPeak()
			start := time.Now()
			got, wrong := attempt(t, c)
			took, peak := time.Since(start), max(0, peakMemory()-before)
			result := "as expected"
			switch {
			case c.Known != "" && wrong == "":
				t.Errorf("known to be wrong (%s), and is right: strike that out", c.Known)
			case c.Known != "":
				result = "known: " + c.Known
			case wrong != "":
				result = "WRONG"
				t.Errorf("%s: %s", c.What, wrong)
			default:
				good++
				if c.Evades {
					caught++
				}
			}
			if peak > 512<<20 {
				t.Errorf("takes %d MiB of memory", peak>>20)
			}
			if rows++; c.Known != "" {
				known++
			}
			if c.Evades {
				evading++
			}
			most, longest = max(most, peak), max(longest, took)
			fmt.Fprintf(&table, "%-18s %-8s %d %6.1f MiB %7.1f ms  %s: %s\n", c.ID, got, c.Class.Exit(), float64(peak)/(1<<20), float64(took.Microseconds())/1000, c.What, result)
		})
	}
	fmt.Fprintf(&table, "\n%d rows, %d as expected, %d known to be wrong\n%d rows would evade some reader: %d told or refused\n", rows, good, known, evading, caught)
	fmt.Fprintf(&table, "most memory for one row %d MiB, longest %d ms\n", most>>20, longest.Milliseconds())
	table.WriteString("covered elsewhere:\n")
	for _, id := range slices.Sorted(maps.Keys(Elsewhere())) {
		fmt.Fprintf(&table, "  %-8s %s\n", id, Elsewhere()[id])
	}
	t.Log("\n" + table.String())
}

// attempt audits a row in every way it can come and returns what the audit did,
// and what is wrong with that.
func attempt(t *testing.T, c Case) (class Class, wrong string) {
	lim := limits.Default()
	if c.Limits != nil {
		c.Limits(&lim)
	}
	in := c.Input()
	ways := map[string]func() *outcome{}
	switch {
	case in.Archive != nil:
		ways["file"] = func() *outcome { return auditFile(t.Context(), write(t, in), lim) }
		ways["pipe"] = func() *outcome { return auditPipe(t.Context(), bytes.NewReader(in.Archive), lim) }
	case in.Layout != nil:
		if len(in.Pipes) > 0 && runtime.GOOS == "windows" {
			t.Skip("there are no named pipes")
		}
		ways["directory"] = func() *outcome { return auditFile(t.Context(), write(t, in), lim) }
	default:
		ways["text"] = func() *outcome { return auditDockerfile(t.Context(), in.Dockerfile, lim) }
	}
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		if class, wrong = judge(c, ways[way]()); wrong != "" {
			return class, way + ": " + wrong
		}
	}
	return class, ""
}

// judge returns the class of an outcome, and what is wrong with it; empty if
// nothing is.
func judge(c Case, o *outcome) (class Class, wrong string) {
	out := o.outputs()
	class = classOf(o, out["text"])
	if class != c.Class {
		return class, fmt.Sprintf("got %s, want %s:\n%s", class, c.Class, o.brief())
	}
	if code, _ := o.decide(); code != c.Class.Exit() {
		return class, fmt.Sprintf("got exit code %d, want %d", code, c.Class.Exit())
	}
	for _, part := range strings.Split(c.Want, " | ") {
		if !strings.Contains(out["text"]+out["reason"], part) {
			return class, fmt.Sprintf("%q is not told:\n%s", part, o.brief())
		}
	}
	if c.Tree != "" && o.tree != c.Tree {
		return class, fmt.Sprintf("got the files\n%s\nwant\n%s", o.tree, c.Tree)
	}
	return class, unfit(out)
}

var (
	command    = regexp.MustCompile(`(?im)^\s*::|##\[|##vso\[`)
	annotation = regexp.MustCompile(`(?m)^::(error|warning|notice) [^:\n]*::`) // the only commands that are ours
	foreignTag = regexp.MustCompile(`(?i)<(img|script[^>]|base|iframe|a href="[^#h])|<script>alert`)
)

// unfit says what no output may hold; empty if none does.
func unfit(outputs map[string]string) string {
	for format, out := range outputs {
		if format == "github" {
			out = annotation.ReplaceAllString(out, "")
		}
		if (format == "html" || format == "markdown") && foreignTag.MatchString(out) {
			return format + " has a tag that is not ours: " + foreignTag.FindString(out)
		}
		if !utf8.ValidString(out) {
			return format + " is no valid UTF-8"
		}
		for i, r := range out {
			if r != '\n' && (!unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)) {
				return fmt.Sprintf("%s prints %U: %q", format, r, out[max(0, i-20):min(len(out), i+20)])
			}
		}
		if m := command.FindString(out); m != "" {
			return fmt.Sprintf("%s opens a command: %q", format, m)
		}
		if (format == "json" || format == "sarif" || format == "gitlab") && !json.Valid([]byte(out)) {
			return format + " is no JSON: " + out
		}
	}
	return ""
}

// resetPeak makes peakMemory count from now, where the system can, and returns
// what is in use. Both are coarse: in bytes of the whole process.
func resetPeak() int64 {
	debug.FreeOSMemory()
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil { // proc(5)
		return 0
	}
	return peakMemory()
}

// peakMemory is the most memory that was in use; 0 if nobody can tell.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	return kib << 10
}
