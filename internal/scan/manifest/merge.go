package manifest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/compose-spec/compose-go/v2/override"
	"github.com/compose-spec/compose-go/v2/tree"
)

// merge puts one part of a compose model over another (Compose specification, "Merge
// and override"): mappings are merged here, with the places of their fields; how two
// lists at a path become one, compose says. Neither is changed.
func (p *project) merge(base, over *value, at tree.Path) *value {
	switch {
	case over == nil:
		return base
	case base == nil || over.tag == "!override" || over.tag == "!reset":
		return over
	case !over.given():
		return base
	case base.kind == mapping && over.kind == mapping:
		return p.mergeMappings(base, over, at)
	case base.given() && (base.kind == sequence || over.kind == sequence):
		return p.mergeLists(base, over, at)
	}
	return over
}

func (p *project) mergeMappings(base, over *value, at tree.Path) *value {
	out := *base
	if over.at.Line > 0 {
		out.at = over.at
	}
	out.fields = slices.Clone(base.fields)
	index := map[string]int{}
	for i, f := range out.fields {
		index[f.name] = i
	}
	for _, f := range over.fields {
		i, ok := index[f.name]
		if !ok {
			index[f.name] = len(out.fields)
			out.fields = append(out.fields, f)
			continue
		}
		out.fields[i].value = p.merge(out.fields[i].value, f.value, at.Next(f.name))
	}
	return &out
}

// mergeLists is one list of two; one of them may be a text that stands for a list of
// one.
func (p *project) mergeLists(base, over *value, at tree.Path) *value {
	// compose looks for each item of the one in the other
	if !p.spend(question + int64(len(base.items))*int64(len(over.items))*16) {
		return over
	}
	merged, err := guarded(func() (any, error) { return override.MergeYaml(treeOf(base), treeOf(over), at) })
	list, ok := merged.([]any)
	switch {
	case err != nil:
		p.problems = append(p.problems, Problem{At: over.at, What: fmt.Sprintf("compose can't put this %s over the one before it: one is a list", at.Last()), Fatal: true})
		return over
	case !ok:
		return over
	}
	out := *over
	out.kind, out.items = sequence, placed(list, slices.Concat(over.list(), base.list()))
	return &out
}

// distinct leaves one of the items of a list that compose takes for the same.
func (p *project) distinct(v *value, at tree.Path) *value {
	if !v.given() || v.kind != sequence || len(v.items) < 2 || !p.spend(question/4) {
		return v
	}
	unique, err := guarded(func() (any, error) {
		t, err := override.EnforceUnicity(wrapped(at, treeOf(v)))
		return unwrapped(at, t), err
	})
	list, ok := unique.([]any)
	switch {
	case err != nil || !ok:
		p.problems = append(p.problems, Problem{At: v.at, What: fmt.Sprintf("compose does not understand an item of this list of %s", at.Last()), Fatal: true})
		return v
	case len(list) == len(v.items):
		return v
	}
	out := *v
	out.items = placed(list, v.items)
	return &out
}

// placed gives the items of a list their places: each is one of those it was made of,
// the first that is not taken yet.
func placed(list []any, of []*value) []*value {
	free := map[string][]*value{}
	for _, e := range of {
		k := identity(treeOf(e))
		free[k] = append(free[k], e)
	}
	var out []*value
	for _, t := range list {
		k := identity(t)
		if len(free[k]) == 0 {
			continue
		}
		out = append(out, free[k][0])
		free[k] = free[k][1:]
	}
	return out
}

// identity is the same for what compose takes for the same.
func identity(t any) string {
	text, err := json.Marshal(t)
	if err != nil { // of texts, lists and mappings, there is none
		return ""
	}
	return string(text)
}
