package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/transform"
	"github.com/compose-spec/compose-go/v2/tree"
)

// Compose's own code judges trees without places. What is asked of it here is small
// enough that each part of an answer is known to be of one part of the question: the
// long form of one short form, one list of two.

const (
	maxExpressions = 16 << 20 // of one text, in bytes: its length for each expression
	maxWork        = 64 << 20 // of one project, in such bytes
	question       = 4 << 10  // what one question to compose counts as
)

// spend reports whether a project may still ask so much.
func (p *project) spend(work int64) bool {
	p.spent += work
	return p.spent <= maxWork || p.tooMuch()
}

// count reports whether a project may have one more value, read or in its model: a few
// lines can put everything in one service into a thousand others.
func (p *project) count(values int) bool {
	p.values += values
	return p.values <= 3*p.lim.YAMLValues || p.tooMuch()
}

func (p *project) tooMuch() bool {
	if !p.over {
		p.over = true
		at := Place{File: p.base}
		if len(p.order) > 0 {
			at = Place{File: p.order[0].Name, Line: 1, EndLine: 1}
		}
		p.problems = append(p.problems, Problem{At: at, What: "the project costs more to read than is spent on one; parts of it are not judged", Fatal: true})
	}
	return false
}

// affords reports whether the expressions of a text may be replaced. For each, compose
// searches the rest of the text.
func (p *project) affords(s string) bool {
	work := int64(strings.Count(s, "$")) * int64(len(s))
	return work == 0 || work <= maxExpressions && p.spend(work)
}

// guarded asks compose's own code, which is made for files that are trusted; a panic
// there is an error here.
func guarded[T any](ask func() (T, error)) (answer T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("compose can't read it: %v", v)
		}
	}()
	return ask()
}

// long is the long form of a short one, at where that stands. Field is its field, of a
// service or, as "include", of the file; an item is the only one of its list.
func (p *project) long(e *value, field tree.Path, item bool) *value {
	if e == nil || e.kind != scalar || !p.spend(question) {
		return e
	}
	var short any = e.text
	if item {
		short = []any{e.text}
	}
	answer, err := guarded(func() (any, error) {
		t, err := transform.Canonical(wrapped(field, short), false)
		return unwrapped(field, t), err
	})
	if list, ok := answer.([]any); ok && len(list) == 1 && item {
		answer = list[0]
	}
	if _, ok := answer.(map[string]any); err != nil || !ok {
		p.unjudged(e, field.Last())
		return e
	}
	return made(answer, e)
}

// unjudged says that an item of a field is not judged.
func (p *project) unjudged(e *value, field string) {
	why := e.unknown
	if why == "" {
		why = "compose does not understand it"
	}
	p.problems = append(p.problems, Problem{At: e.at, What: fmt.Sprintf("an item of %s is not judged: %s", field, why), Fatal: true})
}

// wrapped is the file that has nothing but a value at a path.
func wrapped(at tree.Path, v any) map[string]any {
	for _, part := range slices.Backward(at.Parts()) {
		v = map[string]any{part: v}
	}
	return v.(map[string]any)
}

func unwrapped(at tree.Path, v any) any {
	for _, part := range at.Parts() {
		m, _ := v.(map[string]any)
		v = m[part]
	}
	return v
}

// made is what compose made of a scalar, at its place.
func made(t any, e *value) *value {
	switch t := t.(type) {
	case string:
		return e.part(t, t)
	case bool:
		return e.part(strconv.FormatBool(t), strconv.FormatBool(t))
	case map[string]any:
		out := e.mapping()
		for _, k := range slices.Sorted(maps.Keys(t)) {
			out.fields = append(out.fields, field{k, made(t[k], e)})
		}
		return out
	}
	return &value{at: e.at}
}

// settled is a model without what is reset, as far as the project may have values.
func (p *project) settled(v *value) *value {
	if !p.count(1) {
		return &value{at: v.at}
	}
	out := *v
	out.fields, out.items = nil, nil
	for _, f := range v.fields {
		if f.value.tag != "!reset" {
			out.fields = append(out.fields, field{f.name, p.settled(f.value)})
		}
	}
	for _, e := range v.items {
		out.items = append(out.items, p.settled(e))
	}
	return &out
}

// treeOf is a value as compose has it, without places.
func treeOf(v *value) any {
	switch {
	case !v.given():
		return nil
	case v.kind == scalar:
		return v.text
	case v.kind == sequence:
		return treesOf(v.items)
	}
	out := make(map[string]any, len(v.fields))
	for _, f := range v.fields {
		out[f.name] = treeOf(f.value)
	}
	return out
}

func treesOf(items []*value) []any {
	out := make([]any, len(items))
	for i, e := range items {
		out[i] = treeOf(e)
	}
	return out
}
