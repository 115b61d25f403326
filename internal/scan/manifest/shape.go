package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// A podSpec is a pod spec and the metadata beside it.
type podSpec struct {
	spec, meta *value
	name       string // of what the object holds several of; empty if it is the object's
	loose      bool   // it has fields that are not a pod's
	volumes    map[string]*value
}

// podSpecs finds pod specs wherever an object holds them: a mapping "spec" with a list
// of containers, and the metadata beside it, or any other mapping with a list of
// containers that have names and images. That covers pods, everything with a pod
// template, and custom resources that nobody has told us of.
func (o *object) podSpecs() []podSpec {
	switch {
	case o.isPattern():
		return nil
	case o.group == "argoproj.io" && strings.Contains(o.kind, "Workflow"):
		return o.workflow()
	case o.group == "tekton.dev":
		return o.task()
	}
	var out []podSpec
	var visit func(v *value)
	visit = func(v *value) {
		if v == nil {
			return
		}
		for _, f := range v.fields {
			if isPodSpec(f.value, f.name != "spec") {
				own := f.name != "spec" || v == o.root && o.kind != "Pod"
				out = append(out, podSpec{spec: f.value, meta: v.get("metadata"), loose: own})
				continue
			}
			visit(f.value)
		}
		for _, e := range v.items {
			visit(e)
		}
	}
	visit(o.root)
	return out
}

// isPodSpec reports whether a mapping has containers. A strict look wants of each what
// only a container has.
func isPodSpec(v *value, strict bool) bool {
	cs := v.get("containers")
	if cs == nil || cs.kind != sequence || len(cs.items) == 0 {
		return false
	}
	if strict {
		return !slices.ContainsFunc(cs.items, func(c *value) bool { return !c.get("image").given() || !c.get("name").given() })
	}
	return slices.ContainsFunc(cs.items, func(c *value) bool { return c.get("image").given() || c.get("name").given() })
}

// workloads are those of an object.
func (o *object) workloads(c *cluster) []*Workload {
	var out []*Workload
	for i, p := range o.podSpecs() {
		w := o.workload(p, c)
		switch {
		case p.name != "":
			w.Name += "/" + p.name
		case i > 0:
			w.Name = fmt.Sprintf("%s (%d)", w.Name, i+1)
		}
		out = append(out, w)
	}
	return out
}

// assembled is a mapping that stands for what a controller makes of an object; it is where
// the object says it.
func assembled(at *value, fields ...field) *value {
	v := &value{kind: mapping, at: at.where()}
	for _, f := range fields {
		if f.value != nil {
			v.fields = append(v.fields, f)
		}
	}
	return v
}

func listOf(at *value, items ...*value) *value {
	return &value{kind: sequence, at: at.where(), items: items}
}

// first is the first of several values that is there.
func first(vs ...*value) *value {
	for _, v := range vs {
		if v.given() {
			return v
		}
	}
	return nil
}

// called is a mapping with a name: its own, or else the given one.
func (v *value) called(name string) *value {
	if v == nil || v.kind != mapping || v.get("name").given() {
		return v
	}
	return v.with("name", v.part(name, name))
}
