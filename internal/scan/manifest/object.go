package manifest

import (
	"slices"
	"strings"
)

// An object is one Kubernetes object.
type object struct {
	group     string // of the API: "apps", "networking.k8s.io", "" for the core
	kind      string
	name      string
	namespace string
	root      *value
}

// String names the object: "Deployment agent".
func (o *object) String() string { return brief(strings.TrimSpace(o.kind + " " + o.name)) }

// isObject reports whether a document is a Kubernetes object: it has both of what
// every one has (Kubernetes API conventions, "Types (Kinds)").
func isObject(v *value) bool { return v.get("apiVersion").given() && v.get("kind").given() }

// isCompose reports whether a document is a compose file. Other programs have services
// too, in lists or with fields of their own.
func isCompose(v *value) bool {
	if isObject(v) {
		return false
	}
	s := v.get("services")
	return s.given() && s.kind == mapping && (len(s.fields) == 0 || slices.ContainsFunc(s.fields, isService)) ||
		v.get("include").given() && v.kind == mapping
}

// isService reports whether a mapping is a service: what it runs is said, or all that it
// says is of a service.
func isService(f field) bool {
	for _, what := range []string{"image", "build", "extends", "provider"} {
		if f.value.get(what).given() {
			return true
		}
	}
	return f.value.given() && f.value.kind == mapping && len(unknownFields(f.value, "", serviceFields)) == 0
}

// objects are those of a document; lists are taken apart.
func objects(v *value) []*object {
	kind := v.get("kind").str()
	if items := v.get("items"); strings.HasSuffix(kind, "List") && items.given() {
		var out []*object
		for _, e := range items.list() {
			if isObject(e) {
				out = append(out, objects(e)...)
			} else if e.kind == mapping { // items of a typed list have no kind of their own
				out = append(out, newObject(e, v.get("apiVersion").str(), strings.TrimSuffix(kind, "List")))
			}
		}
		return out
	}
	return []*object{newObject(v, v.get("apiVersion").str(), kind)}
}

func newObject(v *value, version, kind string) *object {
	group, _, grouped := strings.Cut(version, "/")
	if !grouped {
		group = ""
	}
	meta := v.get("metadata")
	name := meta.get("name").str()
	if name == "" {
		name = meta.get("generateName").str()
	}
	o := &object{group: group, kind: kind, name: name, namespace: meta.get("namespace").str(), root: v}
	named(v, o.String()+": ")
	return o
}

// named puts the name of the object before the path of each of its values.
func named(v *value, prefix string) {
	if v == nil || strings.HasPrefix(v.at.Field, prefix) {
		return
	}
	v.at.Field = prefix + v.at.Field
	for _, f := range v.fields {
		named(f.value, prefix)
	}
	for _, e := range v.items {
		named(e, prefix)
	}
}

// patterns are groups whose objects hold pod specs that are no pods: what policies ask
// of others, and schemas.
var patterns = []string{"kyverno.io", "gatekeeper.sh", "admissionregistration.k8s.io", "apiextensions.k8s.io", "policies.kubewarden.io"}

func (o *object) isPattern() bool {
	return slices.ContainsFunc(patterns, func(g string) bool { return o.group == g || strings.HasSuffix(o.group, "."+g) })
}
