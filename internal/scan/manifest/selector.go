package manifest

import (
	"slices"
	"strings"
)

// selects reports whether a label selector matches labels (Kubernetes, LabelSelector).
// Each key loses the prefix, such as the source that Cilium writes before a label.
func selects(sel *value, labels map[string]string, prefix string) Answer {
	name := func(key string) string {
		if prefix != "" {
			for _, p := range []string{"k8s:", "any:"} {
				key = strings.TrimPrefix(key, p)
			}
		}
		return key
	}
	if sel != nil && sel.kind == scalar {
		return Undecided
	}
	for _, f := range sel.get("matchLabels").pairs() {
		if f.value.unknown != "" {
			return Undecided
		}
		if have, ok := labels[name(f.name)]; !ok || have != f.value.str() {
			return No
		}
	}
	for _, e := range sel.get("matchExpressions").list() {
		have, ok := labels[name(e.get("key").str())]
		in := slices.ContainsFunc(e.get("values").list(), func(v *value) bool { return v.str() == have })
		var match bool
		switch e.get("operator").str() {
		case "In":
			match = ok && in
		case "NotIn":
			match = !ok || !in
		case "Exists":
			match = ok
		case "DoesNotExist":
			match = !ok
		default:
			return Undecided
		}
		if !match {
			return No
		}
	}
	return Yes
}

// selectorText is a selector in words: "app=router".
func selectorText(sel *value) string {
	var out []string
	for _, f := range sel.get("matchLabels").pairs() {
		out = append(out, f.name+"="+f.value.str())
	}
	for _, e := range sel.get("matchExpressions").list() {
		var values []string
		for _, v := range e.get("values").list() {
			values = append(values, v.str())
		}
		out = append(out, strings.TrimSpace(e.get("key").str()+" "+e.get("operator").str()+" "+strings.Join(values, ",")))
	}
	if len(out) > 3 {
		out = append(out[:3], "...")
	}
	return strings.Join(out, ", ")
}
