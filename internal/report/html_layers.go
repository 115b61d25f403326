package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

type (
	// htmlLayers are the layers of an image, drawn to scale.
	htmlLayers struct {
		Predicted bool
		Total     string // bytes of all files
		Hidden    string // bytes of those that no container sees; empty if none
		Strip     []htmlSegment
		Rows      []htmlLayer
	}
	// An htmlSegment is a layer's part of the strip of all, in hundredths.
	htmlSegment struct {
		X, Width string
		Class    string
		Title    string
		Label    *htmlNumber // nil if there is no room for it
	}
	// An htmlNumber is the number of a layer, and where its middle is.
	htmlNumber struct {
		X      string
		Number int
	}
	htmlLayer struct {
		ID      string
		Number  int
		DiffID  string
		By      string
		Secret  bool   // By is not shown: a secret may stand in it
		Added   string // "12 files, 3.4 MiB"
		Hides   string // of lower layers; empty if nothing
		Live    string // width of the part that a container sees, in hundredths of the largest layer
		Buried  string // width of the part that later layers hide
		Worst   string // level of the worst finding; empty if none
		Found   []htmlMention
		Leaks   []htmlMention // findings on files that a later layer hides
		Nothing bool          // it stores no file's bytes
	}
	// An htmlMention names a finding elsewhere on the page.
	htmlMention struct{ ID, Rule, Name, Level string }
)

// A tally is what one layer does.
type tally struct {
	files, hides        int
	bytes, buried, hide int64 // of its files, of those hidden later, of those it hides
}

// tallies counts the files of each layer that have bytes of their own.
func tallies(img *image.Image) []tally {
	out := make([]tally, len(img.Layers))
	for _, l := range img.Layers {
		for _, f := range l.Files {
			if !f.Mode.IsRegular() || f.HardLink {
				continue
			}
			t := &out[l.Index]
			t.files, t.bytes = t.files+1, t.bytes+max(0, f.Size)
			if by := f.Fate.By; f.Buried() && by != nil && by.Index < len(out) {
				t.buried += max(0, f.Size)
				out[by.Index].hides++
				out[by.Index].hide += max(0, f.Size)
			}
		}
	}
	return out
}

// htmlLayers draws the layers of an image; nil if it has none.
func (r *Report) htmlLayers(id string, q *quoter, res *scan.Result) *htmlLayers {
	img := res.Target.Image
	if len(img.Layers) == 0 {
		return nil
	}
	counts := tallies(img)
	var total, hidden, most int64
	for _, c := range counts {
		total, hidden, most = total+c.bytes, hidden+c.buried, max(most, c.bytes)
	}
	out := &htmlLayers{Predicted: img.Predicted, Total: size(total)}
	if hidden > 0 {
		out.Hidden = size(hidden)
	}
	var before int64
	for i, l := range img.Layers {
		row := r.htmlLayer(id, q, l, counts[i], most)
		row.Found, row.Leaks, row.Worst = mentions(id, res, l)
		out.Rows = append(out.Rows, row)
		out.Strip = append(out.Strip, segments(row, counts[i], before, total)...)
		before += counts[i].bytes
	}
	return out
}

func (r *Report) htmlLayer(id string, q *quoter, l *image.Layer, c tally, most int64) htmlLayer {
	row := htmlLayer{
		ID: htmlID(id+"-l", l.Index+1), Number: l.Index + 1, DiffID: r.clean(shortDigest(l.DiffID)), By: q.createdBy(scan.Location{Layer: l}),
		Added: "no file", Live: part(c.bytes-c.buried, most), Buried: part(c.buried, most), Nothing: c.bytes == 0,
	}
	row.Secret = row.By == "" && q.steps[l.Step]
	if c.files > 0 {
		row.Added = plural(c.files, "file") + ", " + size(c.bytes)
	}
	if c.hides > 0 {
		row.Hides = plural(c.hides, "file") + ", " + size(c.hide)
	}
	return row
}

// segments are what a container sees of a layer, and what a later layer hides.
func segments(row htmlLayer, c tally, before, total int64) []htmlSegment {
	class := "even"
	if row.Number%2 == 0 {
		class = "odd"
	}
	title := fmt.Sprintf("layer %d: %s", row.Number, row.Added)
	var out []htmlSegment
	if live := c.bytes - c.buried; live > 0 {
		out = append(out, htmlSegment{part(before, total), part(live, total), class, title, label(row.Number, before, live, total)})
	}
	if c.buried > 0 {
		out = append(out, htmlSegment{part(before+c.bytes-c.buried, total), part(c.buried, total), "buried", title + ", of which " + size(c.buried) + " are hidden", nil})
	}
	return out
}

// label is the number of a layer if its segment is wide enough.
func label(number int, before, width, total int64) *htmlNumber {
	const least = 3 // hundredths
	if width*100 < least*total {
		return nil
	}
	return &htmlNumber{part(2*before+width, 2*total), number}
}

// mentions are the findings that have a place in a layer: those on files that a
// later layer hides apart from the others.
func mentions(id string, res *scan.Result, l *image.Layer) (found, leaks []htmlMention, worst string) {
	var level scan.Level
	for i, f := range res.Findings {
		here := func(at scan.Location) bool { return at.Layer == l }
		buried := func(at scan.Location) bool { return here(at) && at.File != nil && at.File.Buried() }
		m := htmlMention{htmlID(id+"-f", i+1), f.Rule.ID, f.Rule.Name, f.Level.String()}
		switch {
		case slices.ContainsFunc(places(f), buried):
			leaks = append(leaks, m)
		case slices.ContainsFunc(places(f), here):
			found = append(found, m)
		default:
			continue
		}
		level = max(level, f.Level)
	}
	if level == 0 {
		return found, leaks, ""
	}
	return found, leaks, level.String()
}

// part is n of total in hundredths, as SVG takes it.
func part(n, total int64) string {
	if total == 0 {
		return "0"
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", float64(n)*100/float64(total)), "0"), ".")
}

// size is a number of bytes for a reader.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return plural(int(n), "byte")
	}
	f := float64(n)
	for _, name := range []string{"KiB", "MiB", "GiB"} {
		if f /= unit; f < unit {
			return fmt.Sprintf("%.1f %s", f, name)
		}
	}
	return fmt.Sprintf("%.1f TiB", f/unit)
}
