package manifest

import (
	"slices"
	"strings"
)

// selects reports whether a label selector matches labels (Kubernetes, LabelSelector).
// That of Cilium writes the source of a label before it.
func selects(sel *value, labels map[string]string, cilium bool) Answer {
	if sel != nil && (sel.kind == scalar || sel.unknown != "") {
		return Undecided
	}
	answer := Yes
	for _, f := range sel.get("matchLabels").pairs() {
		have, ok := labels[labelName(f.name, cilium)]
		switch {
		case f.value.unknown != "" || !ok && addedLabel(labelName(f.name, cilium)):
			answer = Undecided
		case !ok || have != f.value.str():
			return No
		}
	}
	for _, e := range sel.get("matchExpressions").list() {
		switch matches(e, labels, cilium) {
		case No:
			return No
		case Undecided:
			answer = Undecided
		}
	}
	return answer
}

// matches follows one LabelSelectorRequirement.
func matches(e *value, labels map[string]string, cilium bool) Answer {
	name := labelName(e.get("key").str(), cilium)
	have, ok := labels[name]
	if !ok && addedLabel(name) {
		return Undecided
	}
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
	return Yes
}

// labelName is a label without the source that Cilium writes before it.
func labelName(key string, cilium bool) string {
	if cilium {
		key = strings.TrimPrefix(strings.TrimPrefix(key, "k8s:"), "any:")
	}
	return key
}

// adders are what controllers and networks begin the labels with that they add to the
// pods they make. A manifest does not show them.
var adders = []string{
	"agents.x-k8s.io/", "batch.kubernetes.io/", "controller-uid", "job-name", "pod-template-hash", "controller-revision-hash",
	"statefulset.kubernetes.io/", "apps.kubernetes.io/", "serving.knative.dev/", "tekton.dev/", "workflows.argoproj.io/",
	"io.kubernetes.pod.namespace", "io.cilium.k8s.", "security.istio.io/", "service.istio.io/",
}

func addedLabel(name string) bool {
	return slices.ContainsFunc(adders, func(a string) bool {
		return strings.HasPrefix(name, a) || strings.HasSuffix(a, "/") && strings.Contains(name, "."+a)
	})
}

// selectorText is a selector in words: "app=router".
func selectorText(sel *value) string {
	var out []string
	for _, f := range sel.get("matchLabels").pairs() {
		out = append(out, f.name+"="+f.value.str())
		if len(out) > 3 {
			break
		}
	}
	for _, e := range sel.get("matchExpressions").list() {
		if len(out) > 3 {
			break
		}
		var values []string
		for _, v := range e.get("values").list() {
			if len(values) == 3 {
				values = append(values, "...")
				break
			}
			values = append(values, v.str())
		}
		out = append(out, strings.TrimSpace(e.get("key").str()+" "+e.get("operator").str()+" "+strings.Join(values, ",")))
	}
	if len(out) > 3 {
		out = append(out[:3], "...")
	}
	return strings.Join(out, ", ")
}
