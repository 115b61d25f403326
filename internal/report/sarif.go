package report

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// SARIF writes r as a SARIF 2.1.0 log with one run. It holds what code scanning
// services take: one result per rule and instruction, the worst first, each with one
// location that is relative to the repository; every rule, found or not; and nothing
// that changes from build to build outside of messages and properties. There is one
// run whatever the number of targets, and it has no automationDetails: GitHub refuses
// a file with two runs of one tool and id, and an id in the file would replace the
// category that a workflow gives it. A message names the image instead.
func SARIF(w io.Writer, r *Report) error {
	rules := slices.SortedFunc(slices.Values(r.Rules), func(a, b *scan.Rule) int { return cmp.Compare(a.ID, b.ID) })
	driver := sarif.NewToolComponent().WithName(r.Tool.Name).WithFullName(r.Tool.Name).
		WithSemanticVersion(r.Tool.Version)
	if r.Tool.URI != "" {
		driver.WithInformationURI(r.Tool.URI)
	}
	index := map[string]int{}
	for i, rule := range rules {
		index[rule.ID] = i
		driver.AddRule(r.descriptor(rule))
	}
	groups := r.groups()
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.level(), a.level()) })
	hashes := r.hashes()
	for most := min(len(groups), maxResults); ; most /= 2 {
		run := sarif.NewRun().WithTool(sarif.NewTool().WithDriver(driver)).WithColumnKind("utf16CodeUnits").
			AddInvocation(r.invocation(len(groups) - most))
		for _, g := range groups[:most] {
			i, ok := index[g.rule.ID]
			if !ok {
				i = -1
			}
			run.AddResult(r.sarifResult(g, hashes).WithRuleIndex(i))
		}
		text, err := encodeSARIF(run)
		if err != nil {
			return err
		}
		if most > 0 && tooLarge(text) {
			continue
		}
		_, err = w.Write(text)
		return err
	}
}

// maxResults is how many results code scanning services show; they drop the rest,
// or refuse the file.
const maxResults = 5000

// maxCompressed is how many bytes of gzip code scanning services take.
const maxCompressed = 10_000_000

// tooLarge reports whether services would refuse a log for its size.
func tooLarge(text []byte) bool {
	if len(text) <= maxCompressed {
		return false
	}
	var n counter
	gz := gzip.NewWriter(&n)
	if _, err := gz.Write(text); err != nil || gz.Close() != nil {
		return true
	}
	return n > maxCompressed
}

// A counter counts the bytes written to it.
type counter int

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

// A group is what makes one result: the findings of one rule at one physical
// location, since services tell two results there apart by nothing else.
type group struct {
	rule    *scan.Rule
	uri     string
	line    int
	ignored *scan.Ignore // why all of it is accepted or old; nil if it is neither
	members []member
}

type member struct {
	target      *scan.Target
	finding     *scan.Finding
	fingerprint string
}

func (g *group) level() scan.Level {
	return slices.MaxFunc(g.members, func(a, b member) int { return cmp.Compare(a.finding.Level, b.finding.Level) }).finding.Level
}

// groups returns the groups of all targets in the order of their first finding.
func (r *Report) groups() []*group {
	type key struct {
		rule, uri string
		line      int
		ignored   *scan.Ignore
	}
	byKey := map[key]*group{}
	var out []*group
	for _, t := range r.Targets {
		names, ignored := r.names(t.Result)
		all := t.Result.Findings
		if r.ShowIgnored {
			all, names = slices.Concat(all, t.Result.Ignored), slices.Concat(names, ignored)
		}
		for i, f := range all {
			uri, line := r.physical(&t.Result.Target, f.At)
			k := key{f.Rule.ID, uri, line, f.Ignored}
			if byKey[k] == nil {
				byKey[k] = &group{rule: f.Rule, uri: uri, line: line, ignored: f.Ignored}
				out = append(out, byKey[k])
			}
			byKey[k].members = append(byKey[k].members, member{&t.Result.Target, f, names[i]})
		}
	}
	return out
}

// invocation says whether the audit was complete, and what is missing. Left is
// how many results were left out of the file.
func (r *Report) invocation(left int) *sarif.Invocation {
	inv := sarif.NewInvocation().WithExecutionSuccessful(r.Complete())
	add := func(level, text string) *sarif.Notification {
		n := sarif.NewNotification().WithLevel(level).WithMessage(sarif.NewTextMessage(noLinks(text)))
		inv.AddToolExecutionNotification(n)
		return n
	}
	for _, f := range r.Failed {
		add("error", join(r.clean(f.Name)+" was not audited: "+r.sentence(f.Message), r.sentence(f.Hint)))
	}
	for _, t := range r.Targets {
		for _, g := range r.notAudited(t.Result) {
			n := add("error", join(r.clean(t.Result.Target.Name)+": "+r.tell(g), g.Hint))
			if g.Rule != nil {
				n.WithAssociatedRule(sarif.NewReportingDescriptorReference().WithID(g.Rule.ID))
			}
		}
	}
	if more := r.leftOut(); more != "" {
		add("note", "beside the findings there are "+more)
	}
	if left > 0 {
		add("warning", fmt.Sprintf("%s of the lowest level left out: services take no more than %d, and no more than 10 MB", plural(left, "result"), maxResults))
	}
	return inv
}

func join(text, hint string) string {
	if hint == "" {
		return text
	}
	return text + "; " + hint
}

// noLinks keeps foreign text from reading as an embedded link (SARIF 2.1.0, 3.11.6).
func noLinks(s string) string { return strings.ReplaceAll(s, "](", "] (") }
