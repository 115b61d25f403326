package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// The elements of JUnit's XML, as CI servers read them. There is no standard; these
// are the ones that GitLab, Jenkins and Azure have in common.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Properties *junitProperties `xml:"properties"`
		Cases      []junitCase      `xml:"testcase"`
	}
	junitProperties struct {
		Properties []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		ClassName string        `xml:"classname,attr"`
		Name      string        `xml:"name,attr"`
		File      string        `xml:"file,attr,omitempty"`
		Skipped   *junitOutcome `xml:"skipped"`
		Error     *junitOutcome `xml:"error"`
		Failure   *junitOutcome `xml:"failure"`
		Out       *junitText    `xml:"system-out"`
	}
	junitOutcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",cdata"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
)

// JUnit writes r as test results: a suite for each target, with the verdicts among
// its properties, and in it a test for each rule. A finding at warning or above
// fails its test, as it fails its step of the checklist; a note does not; where all
// findings are accepted or old, the test is skipped and says by what. What was
// not audited is an error of the first test, "audited in full".
func JUnit(w io.Writer, r *Report) error {
	out := junitSuites{Name: r.Tool.Name}
	for _, t := range r.Targets {
		out.Suites = append(out.Suites, r.junitSuite(t))
	}
	for _, f := range r.Failed {
		c := junitCase{ClassName: className("audit"), Name: inFull, Error: &junitOutcome{Message: join(r.sentence(f.Message), r.sentence(f.Hint)), Type: "error"}}
		out.Suites = append(out.Suites, junitSuite{Name: r.targetName(f.Name), Cases: []junitCase{c}})
	}
	for i := range out.Suites {
		out.Suites[i].count()
		out.add(out.Suites[i].junitCounts)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

const inFull = "audited in full"

func className(step string) string { return "sandbox-audit." + step }

func (c *junitCounts) add(d junitCounts) {
	c.Tests += d.Tests
	c.Failures += d.Failures
	c.Errors += d.Errors
	c.Skipped += d.Skipped
}

func (s *junitSuite) count() {
	for _, c := range s.Cases {
		s.Tests++
		switch {
		case c.Error != nil:
			s.Errors++
		case c.Failure != nil:
			s.Failures++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
}

func (r *Report) junitSuite(t Target) junitSuite {
	s := junitSuite{Name: r.targetName(t.Result.Target.Name), Properties: &junitProperties{}}
	for _, v := range t.Checklist {
		s.Properties.Properties = append(s.Properties.Properties, junitProperty{v.Step.String(), v.Answer.String()})
	}
	if more := r.leftOut(); more != "" {
		s.Properties.Properties = append(s.Properties.Properties, junitProperty{"left out", more})
	}
	s.Cases = append(s.Cases, r.inFullCase(t.Result))
	reasons := map[string]string{}
	for _, skip := range r.skipped(t.Result) {
		reasons[skip.Rule] = skip.Reason
	}
	q := r.quoter(t.Result)
	rules := slices.SortedFunc(slices.Values(t.Result.Rules), func(a, b *scan.Rule) int { return cmp.Compare(a.ID, b.ID) })
	for _, rule := range rules {
		c := r.ruleCase(q, t.Result, rule)
		if reason := cmp.Or(reasons[rule.ID], r.why(t.Result, rule)); reason != "" && c.Failure == nil && c.Error == nil && c.Out == nil {
			c.Skipped = &junitOutcome{Message: reason, Text: r.ignoredText(t.Result, rule)}
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}

// inFullCase is the test of whether all was read.
func (r *Report) inFullCase(res *scan.Result) junitCase {
	c := junitCase{ClassName: className("audit"), Name: inFull}
	gaps := r.notAudited(res)
	if len(gaps) == 0 {
		return c
	}
	p := &page{width: 100}
	for _, g := range gaps {
		p.put("", 2, r.tell(g))
		r.textHint(p, 2, g.Hint)
	}
	c.Error = &junitOutcome{Message: r.tell(gaps[0]) + andMore(len(gaps)-1), Type: "error", Text: p.String()}
	return c
}

// ruleCase is the test of one rule.
func (r *Report) ruleCase(q *quoter, res *scan.Result, rule *scan.Rule) junitCase {
	c := junitCase{ClassName: className(rule.Step.String()), Name: rule.ID + " " + rule.Name}
	var worst *scan.Finding
	n := 0
	p := &page{width: 100}
	helped := map[*scan.Rule]bool{}
	for _, f := range res.Findings {
		if f.Rule != rule {
			continue
		}
		if n++; worst == nil || f.Level > worst.Level {
			worst = f
		}
		r.textFinding(p, q, f, helped)
	}
	p.WriteString(r.ignoredText(res, rule))
	if worst != nil {
		if s := worst.At.Source; !s.IsZero() {
			c.File = r.clean(r.repoPath(s.Path))
		}
		if worst.Level >= scan.LevelWarning {
			c.Failure = &junitOutcome{r.sentence(worst.Message) + andMore(n-1), worst.Level.String(), p.String()}
		} else {
			c.Out = &junitText{p.String()}
		}
	}
	for _, b := range res.Broken {
		if b.Rule == rule {
			c.Failure = nil
			c.Error = &junitOutcome{Message: "the rule broke, its findings are missing", Type: "error", Text: r.sentence(fmt.Sprint(b.Err)) + "\n" + strings.TrimRight(p.String(), "\n")}
		}
	}
	return c
}

// ignoredText lists the findings of a rule that are accepted or old, if that was asked
// for.
func (r *Report) ignoredText(res *scan.Result, rule *scan.Rule) string {
	p := &page{width: 100}
	for _, g := range r.ignored(res) {
		if g.Rule == rule {
			p.put("  ignored  ", margin, r.tell(g))
		}
	}
	return p.String()
}

// andMore says how many more there are; nothing if there are none.
func andMore(n int) string {
	if n < 1 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}
