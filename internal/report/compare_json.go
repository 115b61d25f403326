package report

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/compare"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// The types below are the schema "sandbox-audit-compare/1", described for its readers
// in docs/compare.schema.json. Arrays are never null; what is not known is left out.
type (
	jsonComparison struct {
		Schema         string         `json:"schema"`
		Tool           jsonTool       `json:"tool"`
		Complete       bool           `json:"complete"`
		Identical      bool           `json:"identical"`
		Old            jsonSide       `json:"old"`
		New            jsonSide       `json:"new"`
		Checklist      []jsonChanged  `json:"checklist"`
		Brought        []jsonChange   `json:"brought"`
		PerhapsBrought []jsonChange   `json:"perhapsBrought"`
		Fixed          []jsonChange   `json:"fixed"`
		PerhapsFixed   []jsonChange   `json:"perhapsFixed"`
		Turned         []jsonChange   `json:"turned"`
		Remaining      []jsonChange   `json:"remaining"`
		Accepted       []jsonChange   `json:"accepted"`
		NotCompared    int            `json:"notCompared"`
		Layers         []jsonLayerOf  `json:"layers"`
		Configuration  []jsonSettings `json:"configuration"`
	}
	jsonSide struct {
		Name       string    `json:"name"`
		Kind       string    `json:"kind"`
		Digest     string    `json:"digest,omitempty"`
		Platform   string    `json:"platform,omitempty"`
		Complete   bool      `json:"complete"`
		Message    string    `json:"message,omitempty"`
		Hint       string    `json:"hint,omitempty"`
		NotAudited []jsonGap `json:"notAudited"`
	}
	jsonChanged struct {
		Step   string `json:"step"`
		Old    string `json:"old,omitempty"`
		New    string `json:"new,omitempty"`
		Change string `json:"change"`
	}
	jsonChange struct {
		Finding  *jsonFinding  `json:"finding,omitempty"`
		Recorded *jsonRecorded `json:"recorded,omitempty"`
		Was      string        `json:"was,omitempty"`
		Worse    bool          `json:"worse,omitempty"`
		Now      string        `json:"now,omitempty"`
		Doubt    string        `json:"doubt,omitempty"`
	}
	jsonRecorded struct {
		Fingerprint string `json:"fingerprint"`
		Rule        string `json:"rule"`
		Origin      string `json:"origin"`
		Place       string `json:"place"`
		Count       int    `json:"count"`
	}
	jsonLayerOf struct {
		Change    string     `json:"change"`
		Old       *jsonSized `json:"old,omitempty"`
		New       *jsonSized `json:"new,omitempty"`
		Brought   []string   `json:"brought"`
		Took      []string   `json:"took"`
		Uncovered []string   `json:"uncovered"`
	}
	jsonSized struct {
		jsonLayer
		Bytes int64 `json:"bytes"`
	}
	jsonSettings struct {
		Name    string   `json:"name"`
		Old     string   `json:"old,omitempty"`
		New     string   `json:"new,omitempty"`
		Added   []string `json:"added"`
		Removed []string `json:"removed"`
		Changed []string `json:"changed"`
	}
)

// CompareSchema names the format that CompareJSON writes. It changes when a reader must.
const CompareSchema = "sandbox-audit-compare/1"

// CompareJSON writes a comparison as one JSON document, as docs/compare.schema.json
// describes it.
func CompareJSON(w io.Writer, r *Report, c *compare.Comparison) error {
	before, after := r.changes(c.Old), r.changes(c.New)
	d := jsonComparison{
		Schema: CompareSchema, Tool: jsonTool(r.Tool), Complete: c.Old.Complete() && c.New.Complete(), Identical: c.Identical,
		Old: r.jsonSide(c.Old), New: r.jsonSide(c.New), Checklist: jsonChecklist(c),
		Brought: after(c.Brought), PerhapsBrought: after(c.PerhapsBrought), Remaining: after(c.Remaining), Accepted: after(c.Accepted),
		Fixed: before(c.Fixed), PerhapsFixed: before(c.PerhapsFixed), Turned: before(c.Turned),
		NotCompared: c.Elsewhere, Layers: r.jsonLayers(c), Configuration: r.jsonSettings(c),
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

func (r *Report) jsonSide(s compare.Side) jsonSide {
	out := jsonSide{Name: r.clean(s.Name), Complete: s.Complete(), Message: r.sentence(s.Failure), Hint: r.sentence(s.Hint), NotAudited: []jsonGap{}}
	switch {
	case s.Record != nil:
		out.Kind = "baseline"
	case s.Result == nil:
		out.Kind = "unknown"
	default:
		t := &s.Result.Target
		out.Kind, out.Digest, out.Platform = r.clean(t.Kind), r.clean(t.Digest), r.clean(platform(t.Image.Config))
		out.NotAudited = r.jsonGaps(r.notAudited(s.Result))
	}
	return out
}

func jsonChecklist(c *compare.Comparison) []jsonChanged {
	out := []jsonChanged{}
	for _, v := range c.Verdicts {
		j := jsonChanged{Step: v.Step.String(), Change: "none"}
		if v.OldKnown {
			j.Old = v.Old.String()
		}
		if v.NewKnown {
			j.New = v.New.String()
		}
		switch change := v.Change(); {
		case change > 0:
			j.Change = "better"
		case change < 0:
			j.Change = "worse"
		}
		out = append(out, j)
	}
	return out
}

// changes returns what makes JSON of the findings of one side.
func (r *Report) changes(s compare.Side) func([]compare.Change) []jsonChange {
	names := map[*scan.Finding]string{}
	var q *quoter
	if s.Result != nil {
		q = r.quoter(s.Result)
		open, ignored := r.names(s.Result)
		for i, f := range slices.Concat(s.Result.Findings, s.Result.Ignored) {
			names[f] = slices.Concat(open, ignored)[i]
		}
	}
	return func(changes []compare.Change) []jsonChange {
		out := []jsonChange{}
		for _, ch := range changes {
			j := jsonChange{Was: r.sentence(ch.Was), Worse: ch.Worse, Now: ch.Now, Doubt: r.sentence(ch.Doubt)}
			if ch.Finding == nil {
				e := ch.Recorded
				j.Recorded = &jsonRecorded{r.clean(e.Fingerprint), r.clean(e.Rule), r.clean(e.Origin), r.clean(e.Place), e.Count}
			} else {
				f := r.jsonFinding(ch.Finding, names[ch.Finding], q)
				j.Finding = &f
			}
			out = append(out, j)
		}
		return out
	}
}

func (r *Report) jsonLayers(c *compare.Comparison) []jsonLayerOf {
	out := []jsonLayerOf{}
	ids := func(changes []compare.Change) []string {
		all := []string{}
		for _, ch := range changes {
			if !slices.Contains(all, ch.Rule.ID) {
				all = append(all, ch.Rule.ID)
			}
		}
		return all
	}
	for _, l := range c.Layers {
		j := jsonLayerOf{Brought: ids(l.Brought), Took: ids(l.Took), Uncovered: ids(l.Uncovered)}
		j.Old, j.New = r.jsonSized(c.Old.Result, l.Old), r.jsonSized(c.New.Result, l.New)
		switch {
		case l.Shared():
			j.Change = "shared"
		case l.Rebuilt():
			j.Change = "rebuilt"
		case l.New != nil:
			j.Change = "added"
		default:
			j.Change = "removed"
		}
		out = append(out, j)
	}
	return out
}

func (r *Report) jsonSized(res *scan.Result, l *image.Layer) *jsonSized {
	if l == nil {
		return nil
	}
	out := &jsonSized{*r.jsonLayer(l), compare.Bytes(l)}
	out.CreatedBy = r.madeBy(res, l)
	return out
}

func (r *Report) jsonSettings(c *compare.Comparison) []jsonSettings {
	out := []jsonSettings{}
	all := func(names []string) []string {
		clean := []string{}
		for _, n := range names {
			clean = append(clean, r.clean(n))
		}
		return clean
	}
	for _, s := range c.Settings {
		j := jsonSettings{Name: s.Name, Added: all(s.Added), Removed: all(s.Removed), Changed: all(s.Changed)}
		if s.Old != "" || s.New != "" {
			j.Old, j.New = r.value(c, s, s.Old), r.value(c, s, s.New)
		}
		out = append(out, j)
	}
	return out
}
