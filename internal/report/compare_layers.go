package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/compare"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A layerLine is what a layer that only one side has, or that was rebuilt, did.
type layerLine struct {
	mark string // "+", "-" or "~"
	name string // "layer 3"
	size string // "1.2 MiB", or "1.2 MiB → 1.0 MiB"
	by   string // the instruction, as far as it can be quoted
	did  []string
}

// layerLines tells of the layers that are not shared, and how many bytes are.
func (r *Report) layerLines(c *compare.Comparison) (head string, out []layerLine) {
	var shared int
	var bytes int64
	counts := map[string]int{}
	for _, l := range c.Layers {
		if l.Shared() {
			shared, bytes = shared+1, bytes+compare.Bytes(l.New)
			continue
		}
		line := r.layerLine(c, l)
		counts[line.mark]++
		out = append(out, line)
	}
	parts := []string{fmt.Sprintf("%d shared (%s)", shared, size(bytes))}
	for _, k := range []struct{ mark, word string }{{"~", "rebuilt"}, {"-", "removed"}, {"+", "added"}} {
		if n := counts[k.mark]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k.word))
		}
	}
	return strings.Join(parts, ", "), out
}

func (r *Report) layerLine(c *compare.Comparison, l compare.Layer) layerLine {
	var line layerLine
	switch {
	case l.Rebuilt():
		line = layerLine{mark: "~", name: layerName(l.New), size: size(compare.Bytes(l.Old)) + " → " + size(compare.Bytes(l.New)), by: r.madeBy(c.New.Result, l.New)}
	case l.New != nil:
		line = layerLine{mark: "+", name: layerName(l.New), size: size(compare.Bytes(l.New)), by: r.madeBy(c.New.Result, l.New)}
	default:
		line = layerLine{mark: "-", name: layerName(l.Old), size: size(compare.Bytes(l.Old)), by: r.madeBy(c.Old.Result, l.Old)}
	}
	for _, d := range []struct {
		word    string
		changes []compare.Change
	}{{"brought", l.Brought}, {"took away", l.Took}, {"hid what is seen now", l.Uncovered}} {
		if len(d.changes) > 0 {
			line.did = append(line.did, d.word+": "+ruleList(d.changes))
		}
	}
	return line
}

// madeBy is the instruction that made a layer, as far as it can be quoted.
func (r *Report) madeBy(res *scan.Result, l *image.Layer) string {
	return r.quoter(res).createdBy(scan.Location{Layer: l})
}

// ruleList names the rules of findings, each once.
func ruleList(changes []compare.Change) string {
	var out []string
	for _, ch := range changes {
		if ch.Rule != nil && !slices.Contains(out, ch.Rule.ID) {
			out = append(out, ch.Rule.ID)
		}
	}
	return strings.Join(out, ", ")
}

func (r *Report) textCompareLayers(p *page, c *compare.Comparison) {
	if len(c.Layers) == 0 {
		return
	}
	head, lines := r.layerLines(c)
	p.blank()
	p.put("", 0, p.style(bold, "layers")+": "+head)
	color := map[string]string{"+": green, "-": red, "~": yellow}
	for _, l := range lines {
		text := strings.Join(nonEmpty(l.name, l.size, l.by), "  ")
		p.raw("  " + p.style(color[l.mark], l.mark) + " " + cut(text, p.width-4))
		for _, d := range l.did {
			p.put("    ", 4, p.style(dim, d))
		}
	}
}

func (r *Report) textSettings(p *page, c *compare.Comparison) {
	lines := r.settingLines(c)
	if len(lines) == 0 {
		return
	}
	p.blank()
	p.put("", 0, p.style(bold, "configuration"))
	for _, l := range lines {
		p.put(fmt.Sprintf("  %-12s", l[0]), 14, l[1])
	}
}

// settingLines are what differs in the config: the name, and how. Names of variables
// stand there, never their values.
func (r *Report) settingLines(c *compare.Comparison) [][2]string {
	var out [][2]string
	for _, s := range c.Settings {
		var text []string
		if s.Old != "" || s.New != "" {
			text = append(text, r.value(c, s, s.Old)+" → "+r.value(c, s, s.New))
		}
		for _, d := range []struct {
			mark  string
			names []string
		}{{"+", s.Added}, {"-", s.Removed}, {"~", s.Changed}} {
			for _, n := range d.names {
				text = append(text, d.mark+r.clean(n))
			}
		}
		out = append(out, [2]string{s.Name, strings.Join(text, " ")})
	}
	return out
}

// value is that of a setting, unless a secret stands in it on either side.
func (r *Report) value(c *compare.Comparison, s compare.Setting, value string) string {
	switch {
	case value == "":
		return "(none)"
	case r.Mask == nil || s.Field != "" && (secretIn(c.Old.Result, s.Field) || secretIn(c.New.Result, s.Field)):
		return "(not shown)"
	}
	return r.clean(value)
}

// secretIn reports whether a finding about a secret points to a setting.
func secretIn(res *scan.Result, field string) bool {
	for _, f := range slices.Concat(res.Findings, res.Ignored) {
		at := func(l scan.Location) bool { return strings.HasPrefix(l.Field, field) }
		if aboutSecret(f.Rule) && slices.ContainsFunc(places(f), at) {
			return true
		}
	}
	return false
}
