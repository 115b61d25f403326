package report

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// The types below are the schema "sandbox-audit/1", described for its readers in
// docs/result.schema.json. Arrays are never null; what is not known is left out.
type (
	document struct {
		Schema   string       `json:"schema"`
		Tool     jsonTool     `json:"tool"`
		Complete bool         `json:"complete"`
		Totals   jsonTotals   `json:"totals"`
		Targets  []jsonTarget `json:"targets"`
		Failed   []jsonFailed `json:"failed"`
	}
	jsonTotals struct {
		Errors        int `json:"errors"`
		Warnings      int `json:"warnings"`
		Notes         int `json:"notes"`
		Ignored       int `json:"ignored"`
		Baseline      int `json:"baseline"`
		RulesDisabled int `json:"rulesDisabled"`
	}
	jsonTool struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		URI     string `json:"uri,omitempty"`
	}
	jsonFailed struct {
		Name    string `json:"name"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	}
	jsonTarget struct {
		Name       string        `json:"name"`
		Kind       string        `json:"kind"`
		Digest     string        `json:"digest,omitempty"`
		Platform   string        `json:"platform,omitempty"`
		Complete   bool          `json:"complete"`
		Checklist  []jsonVerdict `json:"checklist"`
		Findings   []jsonFinding `json:"findings"`
		Ignored    []jsonIgnored `json:"ignored"`
		NotAudited []jsonGap     `json:"notAudited"`
		Skipped    []jsonSkipped `json:"skipped"`
		Remarks    []jsonGap     `json:"remarks"`
	}
	jsonVerdict struct {
		Step     string         `json:"step"`
		Verdict  string         `json:"verdict"`
		Evidence []jsonEvidence `json:"evidence"`
	}
	jsonEvidence struct {
		Kind string `json:"kind"`
		Rule string `json:"rule,omitempty"`
		Text string `json:"text"`
		jsonPlace
		Flow []jsonNote `json:"flow,omitempty"`
	}
	jsonFinding struct {
		Rule        string `json:"rule"`
		Name        string `json:"name"`
		Step        string `json:"step"`
		Level       string `json:"level"`
		Message     string `json:"message"`
		Fingerprint string `json:"fingerprint"`
		jsonPlace
		Values []string    `json:"values,omitempty"`
		Count  int         `json:"count"`
		Places []jsonPlace `json:"places"`
		Notes  []jsonNote  `json:"notes"`
		Flow   []jsonNote  `json:"flow,omitempty"`
		Fix    *jsonFix    `json:"fix,omitempty"`
	}
	jsonNote struct {
		Message string `json:"message"`
		As      string `json:"as,omitempty"`
		jsonPlace
	}
	// jsonPlace is a scan.Location.
	jsonPlace struct {
		Path       string     `json:"path,omitempty"`
		PathBytes  string     `json:"path_bytes,omitempty"`
		Line       int        `json:"line,omitempty"`
		Field      string     `json:"field,omitempty"`
		State      string     `json:"state,omitempty"`
		EndedBy    *jsonLayer `json:"endedBy,omitempty"`
		Layer      *jsonLayer `json:"layer,omitempty"`
		Dockerfile *jsonSpan  `json:"dockerfile,omitempty"`
		Manifest   *jsonSpan  `json:"manifest,omitempty"`
	}
	jsonLayer struct {
		Index     int    `json:"index"`
		DiffID    string `json:"diffID,omitempty"`
		CreatedBy string `json:"createdBy,omitempty"`
	}
	jsonSpan struct {
		Path    string     `json:"path"`
		Line    int        `json:"line"`
		EndLine int        `json:"endLine"`
		Focus   *jsonRange `json:"focus,omitempty"`
	}
	jsonRange struct {
		Line      int `json:"line"`
		Column    int `json:"column"`
		EndLine   int `json:"endLine"`
		EndColumn int `json:"endColumn"`
	}
	jsonFix struct {
		Description string     `json:"description"`
		Safe        bool       `json:"safe"`
		Edits       []jsonEdit `json:"edits"`
	}
	jsonEdit struct {
		Path string `json:"path"`
		jsonRange
		New string `json:"new"`
	}
	jsonGap struct {
		Message    string     `json:"message"`
		Hint       string     `json:"hint,omitempty"`
		Rule       string     `json:"rule,omitempty"`
		Entry      string     `json:"entry,omitempty"`
		Layer      *jsonLayer `json:"layer,omitempty"`
		Dockerfile *jsonSpan  `json:"dockerfile,omitempty"`
		Manifest   *jsonSpan  `json:"manifest,omitempty"`
	}
	jsonSkipped struct {
		Rule   string `json:"rule"`
		Name   string `json:"name"`
		Reason string `json:"reason"`
	}
)

// Schema names the format that JSON writes. It changes when a reader must.
const Schema = "sandbox-audit/1"

// JSON writes r as one JSON document, as docs/result.schema.json describes it.
func JSON(w io.Writer, r *Report) error {
	c := r.count()
	d := document{
		Schema: Schema, Tool: jsonTool(r.Tool), Complete: r.Complete(),
		Totals:  jsonTotals{c.levels[scan.LevelError], c.levels[scan.LevelWarning], c.levels[scan.LevelNote], c.accepted, c.old, c.off},
		Targets: []jsonTarget{}, Failed: []jsonFailed{},
	}
	for _, t := range r.Targets {
		d.Targets = append(d.Targets, r.jsonTarget(t))
	}
	for _, f := range r.Failed {
		d.Failed = append(d.Failed, jsonFailed{r.clean(f.Name), r.sentence(f.Message), r.sentence(f.Hint)})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

func (r *Report) jsonTarget(t Target) jsonTarget {
	res := t.Result
	out := jsonTarget{
		Name: r.clean(res.Target.Name), Kind: r.clean(res.Target.Kind), Digest: r.clean(res.Target.Digest),
		Platform: r.clean(platform(res.Target.Image.Config)), Complete: res.Complete(),
		Checklist: []jsonVerdict{}, Findings: []jsonFinding{}, Skipped: r.skipped(res),
		NotAudited: r.jsonGaps(r.notAudited(res)), Remarks: r.jsonGaps(r.remarks(res)),
	}
	for _, v := range t.Checklist {
		out.Checklist = append(out.Checklist, r.jsonVerdict(v))
	}
	names, ignored := r.names(res)
	q := r.quoter(res)
	out.Ignored = r.jsonIgnored(q, res, ignored)
	for i, f := range res.Findings {
		out.Findings = append(out.Findings, r.jsonFinding(f, names[i], q))
	}
	return out
}

func (r *Report) jsonVerdict(v policy.Verdict) jsonVerdict {
	out := jsonVerdict{Step: v.Step.String(), Verdict: v.Answer.String(), Evidence: []jsonEvidence{}}
	for _, e := range v.Evidence {
		out.Evidence = append(out.Evidence, jsonEvidence{e.Kind.String(), e.Rule, r.sentence(e.Text), r.jsonPlace(e.At), r.jsonNotes(e.Flow)})
	}
	return out
}

func (r *Report) jsonFinding(f *scan.Finding, fingerprint string, q *quoter) jsonFinding {
	out := jsonFinding{
		Rule: f.Rule.ID, Name: f.Rule.Name, Step: f.Rule.Step.String(), Level: f.Level.String(),
		Message: r.sentence(f.Message), Fingerprint: fingerprint, jsonPlace: r.jsonPlace(f.At),
		Values: f.Values, Count: len(places(f)), Places: []jsonPlace{}, Notes: []jsonNote{}, Flow: r.jsonNotes(f.Flow),
	}
	if out.Layer != nil {
		out.Layer.CreatedBy = q.createdBy(f.At)
	}
	out.Fix = r.jsonFix(f.Fix)
	for _, at := range f.Places {
		out.Places = append(out.Places, r.jsonPlace(at))
	}
	out.Notes = append(out.Notes, r.jsonNotes(f.Notes)...)
	return out
}

func (r *Report) jsonNotes(notes []scan.Note) []jsonNote {
	var out []jsonNote
	for _, n := range notes {
		out = append(out, jsonNote{r.sentence(n.Message), r.clean(n.As), r.jsonPlace(n.At)})
	}
	return out
}

func (r *Report) jsonPlace(l scan.Location) jsonPlace {
	out := jsonPlace{
		Path: r.clean(l.Path), Line: l.Line, Field: r.clean(l.Field), State: state(l),
		Layer: r.jsonLayer(l.Layer), Dockerfile: r.jsonSpan(l.Source),
	}
	if path := r.masked(l.Path); out.Path != path {
		out.PathBytes = base64.StdEncoding.EncodeToString([]byte(path))
	}
	if out.Dockerfile != nil && !l.Focus.IsZero() {
		at := jsonRangeOf(l.Focus)
		out.Dockerfile.Focus = &at
	}
	if l.Manifest {
		out.Dockerfile, out.Manifest = nil, out.Dockerfile
	}
	if l.File != nil {
		out.EndedBy = r.jsonLayer(l.File.Fate.By)
	}
	return out
}

func (r *Report) jsonLayer(l *image.Layer) *jsonLayer {
	if l == nil {
		return nil
	}
	return &jsonLayer{Index: l.Index, DiffID: r.clean(l.DiffID)}
}

func (r *Report) jsonSpan(s dockerfile.Span) *jsonSpan {
	if s.IsZero() {
		return nil
	}
	return &jsonSpan{Path: r.clean(r.repoPath(s.Path)), Line: s.Start, EndLine: max(s.Start, s.End)}
}

func jsonRangeOf(x dockerfile.Range) jsonRange {
	return jsonRange{x.Start.Line, x.Start.Column, x.End.Line, x.End.Column}
}

func (r *Report) jsonFix(f *scan.Fix) *jsonFix {
	if f == nil {
		return nil
	}
	out := &jsonFix{Description: r.sentence(f.Description), Safe: f.Safe, Edits: []jsonEdit{}}
	for _, e := range f.Edits {
		out.Edits = append(out.Edits, jsonEdit{r.clean(r.repoPath(e.Path)), jsonRangeOf(e.At), r.inserted(e)})
	}
	return out
}

// inserted is the text that an edit adds, clean line by line.
func (r *Report) inserted(e scan.Edit) string {
	lines := strings.Split(e.New, "\n")
	for i, line := range lines {
		lines[i] = r.sentence(line)
	}
	return strings.Join(lines, "\n")
}

func (r *Report) jsonGaps(gaps []gap) []jsonGap {
	out := []jsonGap{}
	for _, g := range gaps {
		j := jsonGap{Message: g.What, Hint: g.Hint, Entry: g.Entry, Layer: r.jsonLayer(g.Layer), Dockerfile: r.jsonSpan(g.Source)}
		if g.Manifest {
			j.Dockerfile, j.Manifest = nil, j.Dockerfile
		}
		if g.Rule != nil {
			j.Rule = g.Rule.ID
		}
		out = append(out, j)
	}
	return out
}

// skipped lists the rules that can't judge this kind of target.
func (r *Report) skipped(res *scan.Result) []jsonSkipped {
	out := []jsonSkipped{}
	for _, d := range res.Disabled {
		out = append(out, jsonSkipped{d.Rule.ID, d.Rule.Name, "turned off by the configuration: " + r.sentence(d.Reason)})
	}
	for _, rule := range res.Rules {
		switch {
		case rule.Last:
		case res.Target.Manifest != nil && rule.Where&scan.InManifest != 0:
		case res.Target.NoImage:
			out = append(out, jsonSkipped{rule.ID, rule.Name, "judges images and Dockerfiles only"})
		case rule.Where&(scan.InImage|scan.InDockerfile) == 0:
			out = append(out, jsonSkipped{rule.ID, rule.Name, "judges manifests only"})
		case res.Target.Image.Predicted && rule.Where&scan.InDockerfile == 0:
			out = append(out, jsonSkipped{rule.ID, rule.Name, "judges images only"})
		}
	}
	return out
}
