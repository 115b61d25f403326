package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

//go:embed html
var htmlFiles embed.FS

var (
	htmlPage   = template.Must(template.ParseFS(htmlFiles, "html/*.tmpl"))
	htmlStyle  = htmlFile("html/page.css")
	htmlScript = htmlFile("html/page.js")
)

// htmlFile is an embedded file, which is there or the program was not built.
func htmlFile(name string) string {
	b, err := htmlFiles.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// HTML writes r as one page that needs nothing else: no request leaves it, and its
// content security policy lets no script run but its own, which only filters and
// searches. All can be read without it, on paper and by a screen reader.
func HTML(w io.Writer, r *Report) error {
	return htmlPage.ExecuteTemplate(w, "page.tmpl", r.htmlReport())
}

// The types below are what the templates in the directory html draw. Their strings
// are clean, and the templates escape them.
type (
	htmlReport struct {
		Policy   string
		Style    template.CSS
		Script   template.JS
		Tool     Tool
		Title    string
		LeftOut  string // what is not told as a finding, in numbers; empty if nothing is
		Counts   []htmlCount
		Complete bool
		Failed   []jsonFailed
		Targets  []htmlTarget
		Levels   []string
		Steps    []string
		Rules    []htmlRule // those with findings
	}
	htmlCount struct {
		N     int
		Level string
	}
	htmlTarget struct {
		ID         string // prefix of the ids of all that is the target's
		Name       string
		About      []string
		Verdicts   []htmlVerdict
		Layers     *htmlLayers
		Launches   []htmlLaunch
		Steps      []htmlStep
		NotAudited []htmlGap
		Remarks    []htmlGap
		Ignored    []htmlGap
	}
	htmlVerdict struct {
		Number   int
		Step     string
		Answer   string
		Evidence []htmlEvidence
		More     []htmlEvidence // to unfold
		MoreText string         // what they are
	}
	htmlEvidence struct {
		Kind    string
		Rule    string
		Place   string
		Text    string
		Launch  string // id of the launch sequence that shows it; empty if none
		Finding string // id of the finding that it is; empty if it is none
	}
	htmlGap struct{ Text, Hint string }
)

func (r *Report) htmlReport() htmlReport {
	out := htmlReport{
		Policy: contentPolicy(), Style: template.CSS(htmlStyle), Script: template.JS(htmlScript),
		Tool: r.Tool, LeftOut: r.leftOut(), Counts: r.htmlCounts(), Complete: r.Complete(), Rules: r.htmlRules(),
		Levels: []string{"error", "warning", "note"},
	}
	names := []string{r.Tool.Name}
	for _, t := range r.Targets {
		names = append(names, r.targetName(t.Result.Target.Name))
		out.Targets = append(out.Targets, r.htmlTarget(len(out.Targets)+1, t))
		for _, s := range out.Targets[len(out.Targets)-1].Steps {
			if !slices.Contains(out.Steps, s.Name) {
				out.Steps = append(out.Steps, s.Name)
			}
		}
	}
	for _, f := range r.Failed {
		names = append(names, r.targetName(f.Name))
		out.Failed = append(out.Failed, jsonFailed{r.targetName(f.Name), r.sentence(f.Message), r.sentence(f.Hint)})
	}
	out.Title = strings.Join(names[:min(len(names), 4)], " · ")
	return out
}

// contentPolicy lets the page use its own style and its own script and nothing
// else (CSP Level 3, 2.3.1 and 6.7.3).
func contentPolicy() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(htmlStyle) + "; script-src " + hash(htmlScript) + "; base-uri 'none'; form-action 'none'"
}

func (r *Report) htmlCounts() []htmlCount {
	n := r.count().levels
	var out []htmlCount
	for l := scan.LevelError; l >= scan.LevelNote; l-- {
		out = append(out, htmlCount{n[l], l.String()})
	}
	return out
}

func (r *Report) htmlTarget(number int, t Target) htmlTarget {
	target := &t.Result.Target
	q := r.quoter(t.Result)
	out := htmlTarget{
		ID: htmlID("t", number), Name: r.targetName(target.Name),
		About:      r.about(target, target.Digest),
		NotAudited: htmlGaps(r, r.untold(t.Result)), Remarks: htmlGaps(r, r.remarks(t.Result)), Ignored: htmlGaps(r, r.ignored(t.Result)),
	}
	launches := r.htmlLaunches(out.ID, t)
	for i, v := range t.Checklist {
		out.Verdicts = append(out.Verdicts, r.htmlVerdict(i+1, v, out.ID, t.Result, launches))
	}
	out.Steps = r.htmlSteps(out.ID, q, t.Result, launches)
	out.Layers = r.htmlLayers(out.ID, q, t.Result)
	out.Launches = launches.drawn
	return out
}

func htmlGaps(r *Report, gaps []gap) []htmlGap {
	var out []htmlGap
	for _, g := range gaps {
		out = append(out, htmlGap{r.tell(g), g.Hint})
	}
	return out
}

// htmlVerdict shows what decided the answer, and the rest to unfold.
func (r *Report) htmlVerdict(number int, v policy.Verdict, id string, res *scan.Result, launches *launches) htmlVerdict {
	t := &res.Target
	out := htmlVerdict{Number: number, Step: v.Step.String(), Answer: v.Answer.String()}
	for _, e := range v.Evidence {
		told := htmlEvidence{Kind: e.Kind.String(), Rule: e.Rule, Place: r.htmlPlace(e.At, t), Text: r.sentence(e.Text), Launch: launches.id(r, t, e.Flow), Finding: findingID(id, res, e)}
		if e.Kind == v.Evidence[0].Kind && len(out.Evidence) < mostEvidence {
			out.Evidence = append(out.Evidence, told)
		} else {
			out.More = append(out.More, told)
		}
	}
	out.MoreText = fmt.Sprintf("%d more", len(out.More))
	if v.Answer != policy.Pass && !slices.ContainsFunc(out.More, func(e htmlEvidence) bool { return e.Kind != policy.Shown.String() }) {
		out.MoreText = fmt.Sprintf("%d shown to be good", len(out.More))
	}
	return out
}

// findingID is the id of the finding that a piece of evidence tells of; empty if it tells
// of none.
func findingID(id string, res *scan.Result, e policy.Evidence) string {
	for i, f := range res.Findings {
		if e.Kind == policy.Found && f.Rule.ID == e.Rule && f.At == e.At && f.Message == e.Text {
			return htmlID(id+"-f", i+1)
		}
	}
	return ""
}

// htmlPlace is the line of a Dockerfile, or else the place in the image.
func (r *Report) htmlPlace(at scan.Location, t *scan.Target) string {
	if !at.Source.IsZero() {
		return r.line(at.Lines())
	}
	return r.inImage(at, t)
}
