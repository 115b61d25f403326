package scan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// merge makes one finding of those of a rule that share an instruction, level
// and fate: what a reader can mend in one place is one finding. Consumers of
// SARIF tell findings of one rule on one line apart by nothing else.
func merge(fs []*Finding) []*Finding {
	type key struct {
		level   Level
		ignored *Ignore
		source  dockerfile.Span
		layer   *image.Layer
		step    int
		fate    image.How
	}
	slices.SortStableFunc(fs, byPlace)
	groups := map[key][]*Finding{}
	var order []key
	for _, f := range fs {
		k := key{level: f.Level, ignored: f.Ignored, source: f.At.Source, fate: f.At.fate()}
		if k.source.IsZero() {
			k.layer, k.step = f.At.Layer, f.At.Step
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], f)
	}
	var out []*Finding
	for _, k := range order {
		out = append(out, together(groups[k]))
	}
	return out
}

func byPlace(a, b *Finding) int { return cmp.Or(a.At.compare(b.At), cmp.Compare(a.Message, b.Message)) }

// shown is how many places and notes a merged finding names in words; all are in
// Places.
const shown = 3

func together(fs []*Finding) *Finding {
	if len(fs) == 1 {
		return fs[0]
	}
	f := *fs[0]
	f.Values = nil
	var subjects []string
	var messages, notes []Note
	for _, g := range fs {
		f.Places = append(f.Places, g.At)
		subjects = append(subjects, g.At.subject())
		if f.Rule.Each {
			messages = append(messages, Note{At: g.At, Message: g.Message})
		}
		notes = append(notes, g.Notes...)
		f.Lowered = f.Lowered || g.Lowered
		for _, v := range g.Values {
			if !slices.Contains(f.Values, v) {
				f.Values = append(f.Values, v)
			}
		}
	}
	f.Notes = append(few(messages), few(notes)...)
	f.Fix = mergeFixes(fs)
	subjects = slices.Compact(subjects)
	list := strings.Join(subjects[:min(shown, len(subjects))], ", ")
	if over := len(subjects) - shown; over > 0 {
		list += fmt.Sprintf(" and %d more", over)
	}
	if f.Rule.Many != "" {
		f.Message = fmt.Sprintf(f.Rule.Many, len(fs)) + ": " + list
	} else {
		f.Message += fmt.Sprintf(" (%d such here: %s)", len(fs), list)
	}
	return &f
}

// few are the first notes with different messages, and how many there are more.
func few(notes []Note) []Note {
	var out []Note
	seen := map[string]bool{}
	for _, n := range notes {
		if !seen[n.Message] {
			seen[n.Message] = true
			out = append(out, n)
		}
	}
	if over := len(out) - shown; over > 0 {
		out = append(out[:shown], Note{Message: fmt.Sprintf("and %d more like this", over)})
	}
	return out
}
