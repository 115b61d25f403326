package manifest

import (
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/tree"
	"github.com/compose-spec/compose-go/v2/types"
)

// normalized writes the short forms of a compose file in their long ones, so that
// files can be merged and read in one way.
func (p *project) normalized(doc *value) *value {
	doc = unset(doc)
	if inc := doc.get("include"); inc.given() {
		doc = doc.with("include", each(inc, func(e *value) *value { return p.long(e, "include", true) }))
	}
	services := doc.get("services")
	if services == nil || services.kind != mapping {
		return doc
	}
	out := *services
	out.fields = nil
	for _, s := range services.fields {
		out.fields = append(out.fields, field{s.name, p.normalService(s.value)})
	}
	return doc.with("services", &out)
}

// unset is a value without what stands behind a !reset: only the tag counts.
func unset(v *value) *value {
	switch {
	case v == nil:
		return nil
	case v.tag == "!reset":
		return &value{at: v.at, tag: v.tag}
	}
	for i, f := range v.fields {
		v.fields[i].value = unset(f.value)
	}
	for i, e := range v.items {
		v.items[i] = unset(e)
	}
	return v
}

func (p *project) normalService(s *value) *value {
	if s == nil || s.kind != mapping {
		return s
	}
	out := *s
	out.fields = slices.Clone(s.fields)
	for i, f := range out.fields {
		if f.value.given() {
			out.fields[i].value = p.normalField(f.name, f.value)
		}
	}
	return &out
}

func (p *project) normalField(name string, v *value) *value {
	at := tree.NewPath("services", "*", name)
	switch name {
	case "environment", "labels", "annotations", "sysctls":
		return keyed(v, "=")
	case "extra_hosts":
		return p.hosts(v)
	case "networks", "depends_on", "models":
		return keyed(v, "")
	case "extends", "build":
		v = p.long(v, at, false)
		if args := v.get("args"); args.given() {
			return v.with("args", keyed(args, "="))
		}
	case "ports":
		return each(v, portOf)
	case "env_file", "volumes", "devices", "secrets", "configs":
		return each(v, func(e *value) *value { return p.long(e, at, true) })
	}
	return v
}

// keyed makes a mapping of a list of names, or of "NAME=value" with a separator. The
// last of the same name counts.
func keyed(v *value, sep string) *value {
	if v.kind != sequence {
		return v
	}
	out := v.mapping()
	index := map[string]int{}
	for _, e := range v.items {
		name, text, has := e.str(), "", false
		if sep != "" {
			name, text, has = strings.Cut(e.str(), sep)
		}
		to := &value{at: e.at}
		if has {
			_, raw, _ := strings.Cut(e.raw, sep)
			to = e.part(text, raw)
		}
		if i, ok := index[name]; ok {
			out.fields[i].value = to
			continue
		}
		index[name] = len(out.fields)
		out.fields = append(out.fields, field{name, to})
	}
	return out
}

// hosts makes pairs of names and addresses of a list.
func (p *project) hosts(v *value) *value {
	if v.kind != sequence {
		return v
	}
	out := v.mapping()
	for _, e := range v.items {
		pairs, err := types.NewHostsList([]string{e.str()})
		if err != nil {
			p.unjudged(e, "extra_hosts")
		}
		for name, to := range pairs { // one
			out.fields = append(out.fields, field{name, e.part(strings.Join(to, ","), e.raw)})
		}
	}
	return out
}

// each is a list with the long form of each of its items; what is no list is one item.
func each(v *value, long func(*value) *value) *value {
	out := *v
	if v.kind != sequence {
		out = value{kind: sequence, at: v.at, tag: v.tag, items: []*value{v}}
	}
	items := out.items
	out.items = nil
	for _, e := range items {
		if e.kind == scalar {
			e = long(e)
		}
		out.items = append(out.items, e)
	}
	return &out
}

// portOf is the long form of a port: [[ADDRESS:]PUBLISHED:]TARGET[/PROTOCOL]. Compose
// makes one port of each number in a range, up to 65535 of one line, and takes no text
// with a variable that has no value; here a range stays one port.
func portOf(e *value) *value {
	s, proto, _ := strings.Cut(e.str(), "/")
	parts := splitOutside(s)
	var address, published, target string
	switch n := len(parts); n {
	case 1:
		target = parts[0]
	case 2:
		published, target = parts[0], parts[1]
	default: // an address of IPv6 has colons
		address, published, target = strings.Trim(strings.Join(parts[:n-2], ":"), "[]"), parts[n-2], parts[n-1]
	}
	var fields []field
	for _, f := range [][2]string{{"host_ip", address}, {"published", published}, {"target", target}, {"protocol", proto}} {
		if f[1] != "" {
			fields = append(fields, field{f[0], e.part(f[1], f[1])})
		}
	}
	return e.mapping(fields...)
}

// splitOutside splits at colons, but not at those inside of an expression that stays as
// it is, or of an address in brackets.
func splitOutside(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch {
		case s[i] == '{' || s[i] == '[':
			depth++
		case s[i] == '}' || s[i] == ']':
			depth--
		case s[i] == ':' && depth == 0:
			out, start = append(out, s[start:i]), i+1
		}
	}
	return append(out, s[start:])
}

// mapping is a mapping of fields at the place of v.
func (v *value) mapping(fields ...field) *value {
	return &value{kind: mapping, fields: fields, at: v.at, tag: v.tag}
}
