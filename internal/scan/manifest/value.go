package manifest

import (
	"slices"
	"strings"
)

// A value is a part of a document: anchors and merge keys are resolved, variables
// replaced, and every part knows where it stands. The nil value is what is not there.
type value struct {
	kind    valueKind
	text    string // of a scalar, variables replaced
	raw     string // of a scalar, as written
	unknown string // why text is not known; empty if it is
	at      Place
	fields  []field
	items   []*value
	tag     string // "!reset" and "!override" of compose
}

type field struct {
	name  string
	value *value
}

type valueKind uint8

const (
	null valueKind = iota
	scalar
	mapping
	sequence
)

// get follows keys through mappings; nil if there is no such value.
func (v *value) get(keys ...string) *value {
	for _, k := range keys {
		if v == nil || v.kind != mapping {
			return nil
		}
		i := slices.IndexFunc(v.fields, func(f field) bool { return f.name == k })
		if i < 0 {
			return nil
		}
		v = v.fields[i].value
	}
	return v
}

// given reports whether there is a value, and it is not null.
func (v *value) given() bool { return v != nil && v.kind != null }

// where is the place of a value; none if it is absent.
func (v *value) where() Place {
	if v == nil {
		return Place{}
	}
	return v.at
}

// str is the text of a scalar; empty for all else.
func (v *value) str() string {
	if v == nil || v.kind != scalar {
		return ""
	}
	return v.text
}

// list are the items of a sequence; a scalar is a list of one.
func (v *value) list() []*value {
	switch {
	case !v.given():
		return nil
	case v.kind == sequence:
		return v.items
	case v.kind == scalar:
		return []*value{v}
	}
	return nil
}

// pairs are the fields of a mapping.
func (v *value) pairs() []field {
	if v == nil {
		return nil
	}
	return v.fields
}

// setting is v as a setting, at where it would stand if it is not there.
func (v *value) setting(holder Place) Setting {
	if !v.given() {
		return Setting{At: holder}
	}
	return Setting{Value: v.str(), Given: true, Unknown: v.unknown, At: v.at}
}

func (v *value) settings() []Setting {
	var out []Setting
	if v.given() && v.kind == sequence {
		out = []Setting{} // a list without items is one
	}
	for _, e := range v.list() {
		s := e.setting(v.at)
		s.text = v.kind == scalar
		out = append(out, s)
	}
	return out
}

// as is a setting with another value, for what the manifest says in other words.
func (s Setting) as(value string) Setting { s.Value = value; return s }

// with returns a copy of a mapping where name has the value v, or none if v is nil.
func (v *value) with(name string, to *value) *value {
	out := *v
	out.fields = slices.Clone(v.fields)
	i := slices.IndexFunc(out.fields, func(f field) bool { return f.name == name })
	switch {
	case to == nil && i >= 0:
		out.fields = slices.Delete(out.fields, i, i+1)
	case to == nil:
	case i >= 0:
		out.fields[i].value = to
	default:
		out.fields = append(out.fields, field{name, to})
	}
	return &out
}

// text makes a scalar of a part of another.
func (v *value) part(text, raw string) *value {
	return &value{kind: scalar, text: text, raw: raw, unknown: v.unknown, at: v.at}
}

// labels are the texts of a mapping, without those that are not known.
func (v *value) labels() map[string]string {
	out := map[string]string{}
	for _, f := range v.pairs() {
		if f.value.unknown == "" {
			out[f.name] = f.value.str()
		}
	}
	return out
}

// templated reports whether a text is for another program to fill in.
func templated(s string) bool { return strings.Contains(s, "{{") || strings.Contains(s, "{%") }
