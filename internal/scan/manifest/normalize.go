package manifest

import (
	"slices"
	"strings"
)

// normalized writes the short forms of a compose file in their long ones, so that
// files can be merged and read in one way.
func normalized(doc *value) *value {
	services := doc.get("services")
	if services == nil || services.kind != mapping {
		return doc
	}
	out := *services
	out.fields = nil
	for _, s := range services.fields {
		out.fields = append(out.fields, field{s.name, normalService(s.value)})
	}
	return doc.with("services", &out)
}

func normalService(s *value) *value {
	if s == nil || s.kind != mapping {
		return s
	}
	out := *s
	out.fields = slices.Clone(s.fields)
	for i, f := range out.fields {
		if f.value == nil || f.value.tag == "!reset" {
			continue
		}
		out.fields[i].value = normalField(f.name, f.value)
	}
	return &out
}

func normalField(name string, v *value) *value {
	switch name {
	case "environment", "labels", "annotations", "sysctls":
		return keyed(v, "=")
	case "extra_hosts":
		return hosts(v)
	case "networks", "depends_on":
		return keyed(v, "")
	case "env_file", "tmpfs", "dns":
		return listed(v)
	case "build":
		if v.kind == scalar {
			return v.mapping(field{"context", v})
		}
		if args := v.get("args"); args.given() {
			return v.with("args", keyed(args, "="))
		}
	case "volumes":
		return each(v, mountOf)
	case "ports":
		return each(v, portOf)
	case "devices":
		return each(v, deviceOf)
	}
	return v
}

// mapping is a mapping of fields at the place of v.
func (v *value) mapping(fields ...field) *value {
	return &value{kind: mapping, fields: fields, at: v.at, tag: v.tag}
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

// hosts makes pairs of names and addresses, which stand in a list as "NAME:ADDRESS" or
// "NAME=ADDRESS".
func hosts(v *value) *value {
	if v.kind != sequence {
		return v
	}
	out := v.mapping()
	for _, e := range v.items {
		if i := strings.IndexAny(e.str(), ":="); i > 0 {
			out.fields = append(out.fields, field{e.str()[:i], e.part(e.str()[i+1:], e.raw)})
		}
	}
	return out
}

func listed(v *value) *value {
	if v.kind != scalar && v.kind != mapping {
		return v
	}
	return &value{kind: sequence, items: []*value{v}, at: v.at, tag: v.tag}
}

func each(v *value, long func(*value) *value) *value {
	if v.kind != sequence {
		return v
	}
	out := *v
	out.items = nil
	for _, e := range v.items {
		if e.kind == scalar {
			e = long(e)
		}
		out.items = append(out.items, e)
	}
	return &out
}

// mountOf is the short form of a volume: [SOURCE:]TARGET[:OPTIONS].
func mountOf(e *value) *value {
	parts := splitOutside(e.str())
	kind, source, target, mode := "volume", "", "", ""
	switch len(parts) {
	case 1:
		target = parts[0]
	case 2:
		source, target = parts[0], parts[1]
	default:
		source, target, mode = parts[0], parts[1], strings.Join(parts[2:], ":")
	}
	if isPath(source) {
		kind = "bind"
	}
	fields := []field{{"type", e.part(kind, kind)}, {"source", e.part(source, source)}, {"target", e.part(target, target)}}
	if slices.Contains(strings.Split(mode, ","), "ro") {
		fields = append(fields, field{"read_only", e.part("true", "true")})
	}
	return e.mapping(fields...)
}

// isPath tells a path on the host from the name of a volume.
func isPath(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "~") || strings.HasPrefix(s, "$") ||
		strings.HasPrefix(s, `\`) || len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}

// splitOutside splits at colons, but not at those inside of an expression that stays as
// it is, of a Windows drive, or of an address in brackets.
func splitOutside(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch {
		case s[i] == '{' || s[i] == '[':
			depth++
		case s[i] == '}' || s[i] == ']':
			depth--
		case s[i] != ':' || depth > 0:
		case i == 1 && isNameByte(s[0], true) && len(s) > 2 && (s[2] == '\\' || s[2] == '/'): // C:\ or c:/
		default:
			out, start = append(out, s[start:i]), i+1
		}
	}
	return append(out, s[start:])
}

// portOf is the short form of a port: [[ADDRESS:]PUBLISHED:]TARGET[/PROTOCOL]. A range
// stays one port.
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

func deviceOf(e *value) *value {
	parts := splitOutside(e.str())
	target := parts[0]
	if len(parts) > 1 {
		target = parts[1]
	}
	return e.mapping(field{"source", e.part(parts[0], parts[0])}, field{"target", e.part(target, target)})
}
