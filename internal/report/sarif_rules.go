package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// descriptor tells of a rule what stays the same whatever it finds.
func (r *Report) descriptor(rule *scan.Rule) *sarif.ReportingDescriptor {
	doc := r.doc(rule.ID)
	short := capital(rule.Title) + "."
	help := strings.Join(nonEmpty(plain(doc.Why), plain(doc.Fix)), "\n\n")
	bag := sarif.NewPropertyBag().Add("security-severity", fmt.Sprintf("%.1f", rule.Severity)).
		Add("precision", rule.Precision.String()).Add("problem.severity", problemSeverity(rule.Level)).
		WithTags([]string{"security", "container"})
	for _, n := range rule.CWE {
		bag.AddTag(fmt.Sprintf("external/cwe/cwe-%03d", n))
	}
	d := sarif.NewRule(rule.ID).WithName(pascal(rule.Name)).
		WithShortDescription(sarif.NewMultiformatMessageString().WithText(short)).
		WithFullDescription(sarif.NewMultiformatMessageString().WithText(clip(cmp.Or(plain(doc.Finds), short)))).
		WithHelp(sarif.NewMultiformatMessageString().WithText(cmp.Or(help, short)).WithMarkdown(cmp.Or(doc.Markdown, short))).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(rule.Level.String())).
		WithProperties(bag)
	if doc.URI != "" {
		d.WithHelpURI(doc.URI)
	}
	return d
}

// problemSeverity is a level in the words of code scanning.
func problemSeverity(l scan.Level) string {
	if l == scan.LevelNote {
		return "recommendation"
	}
	return l.String()
}
