package manifest

import (
	"slices"
	"strings"
)

// merge puts one part of a compose model over another (Compose specification, "Merge
// and override"). Mappings are merged, lists are joined, scalars are replaced; the
// commands are replaced as a whole, and lists whose items have a key keep one item of
// each. Neither is changed. Path is that of the part, services by "*".
func merge(base, over *value, path string) *value {
	switch {
	case over == nil:
		return base
	case over.tag == "!reset":
		return &value{at: over.at}
	case base == nil || over.tag == "!override":
		return over
	case !over.given():
		return base
	case base.kind == mapping && over.kind == mapping:
		return mergeMappings(base, over, path)
	case base.kind == sequence && over.kind == sequence && !replaced(path):
		out := *over
		out.items = distinct(slices.Concat(base.items, over.items), path)
		return &out
	}
	return over
}

func replaced(path string) bool {
	return path == "services.*.command" || path == "services.*.entrypoint" || path == "services.*.healthcheck.test"
}

func mergeMappings(base, over *value, path string) *value {
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
		out.fields[i].value = merge(out.fields[i].value, f.value, below(path, f.name))
	}
	return &out
}

// below is the path of a field, with "*" for the name of a service, network or volume.
func below(path, name string) string {
	switch path {
	case "services", "networks", "volumes", "secrets", "configs":
		return path + ".*"
	}
	return join(path, name)
}

// distinct keeps the last of the items with the same key, where the first one stood.
func distinct(items []*value, path string) []*value {
	var out []*value
	index := map[string]int{}
	for _, e := range items {
		key := itemKey(e, path)
		if i, ok := index[key]; ok && key != "" {
			out[i] = e
			continue
		}
		index[key] = len(out)
		out = append(out, e)
	}
	return out
}

// itemKey is what makes an item of a list the same as another.
func itemKey(e *value, path string) string {
	if e.kind == scalar {
		return e.text
	}
	switch strings.TrimPrefix(path, "services.*.") {
	case "volumes", "devices":
		return e.get("target").str()
	case "ports":
		var key []string
		for _, k := range []string{"host_ip", "published", "target", "protocol"} {
			key = append(key, e.get(k).str())
		}
		return strings.Join(key, "\x00")
	case "secrets", "configs":
		return e.get("target").str() + "\x00" + e.get("source").str()
	}
	return ""
}
