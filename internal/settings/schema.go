package settings

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// Schema is the JSON Schema of the file (draft 2020-12), made from the type.
func Schema(words Words) ([]byte, error) {
	root := schema(reflect.TypeFor[File](), "", words)
	doc := []member{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", "https://github.com/sandbox-audit/sandbox-audit/blob/main/docs/config.schema.json"},
		{"title", Name},
		{"description", "What sandbox-audit reads from " + Name + ". Made from the type by go test ./cmd/sandbox-audit -update."},
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(object(append(doc, root...)))
	return b.Bytes(), err
}

// A member of an object, whose members stay in order.
type member struct {
	key   string
	value any
}

type object []member

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func schema(t reflect.Type, enum string, words Words) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{{"type", "string"}, {"format", "date"}}
	case t.Kind() == reflect.Struct:
		return structSchema(t, words)
	case t.Kind() == reflect.Map:
		names := words.Rules
		if t.Elem().Kind() == reflect.Int64 {
			names = words.Limits
		}
		return object{{"type", "object"}, {"propertyNames", object{{"enum", names}}}, {"additionalProperties", schema(t.Elem(), "", words)}}
	case t.Kind() == reflect.Slice:
		return object{{"type", "array"}, {"items", schema(t.Elem(), enum, words)}}
	case t.Kind() == reflect.Bool:
		return object{{"type", "boolean"}}
	case t.Kind() == reflect.Int64:
		return object{{"type", "integer"}, {"minimum", 1}}
	case enum != "":
		return object{{"enum", strings.Fields(enum)}}
	}
	return object{{"type", "string"}, {"pattern", `\S`}}
}

func structSchema(t reflect.Type, words Words) object {
	var properties object
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("key")
		if key == "" || key == "-" {
			continue
		}
		s := object{{"description", f.Tag.Get("doc")}}
		if t == reflect.TypeFor[Ignore]() && key == "rule" {
			s = append(s, member{"enum", words.Rules})
		} else if t == reflect.TypeFor[Ignore]() && key == "layer" {
			s = append(s, member{"type", []string{"string", "integer"}})
		} else {
			s = append(s, schema(f.Type, f.Tag.Get("enum"), words)...)
		}
		properties = append(properties, member{key, s})
	}
	out := object{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}}
	switch t {
	case reflect.TypeFor[Ignore]():
		out = append(out, member{"required", []string{"rule"}})
	case reflect.TypeFor[Rule]():
		out = append(out, member{"minProperties", 1})
	}
	return out
}

// Table is a Markdown table of all keys and what they mean.
func Table() string {
	var b strings.Builder
	b.WriteString("| key | values | meaning |\n| --- | --- | --- |\n")
	rows(&b, "", reflect.TypeFor[File]())
	return b.String()
}

func rows(b *strings.Builder, prefix string, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("key")
		if key == "" || key == "-" {
			continue
		}
		values, inner := kinds(f)
		b.WriteString("| `" + prefix + key + "` | " + values + " | " + strings.ReplaceAll(f.Tag.Get("doc"), "|", `\|`) + " |\n")
		if inner != nil && f.Type.Kind() == reflect.Map {
			rows(b, prefix+key+".RULE.", inner)
		} else if inner != nil {
			rows(b, prefix+key+"[].", inner)
		}
	}
}

// kinds says what values a field takes, and of which struct it holds several.
func kinds(f reflect.StructField) (values string, inner reflect.Type) {
	enum := strings.Join(strings.Fields(f.Tag.Get("enum")), ", ")
	switch {
	case f.Type == reflect.TypeFor[time.Time]():
		return "date", nil
	case f.Type.Kind() == reflect.Bool:
		return "true, false", nil
	case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
		return "list", f.Type.Elem()
	case f.Type.Kind() == reflect.Slice && enum != "":
		return "list of " + enum, nil
	case f.Type.Kind() == reflect.Slice:
		return "list", nil
	case f.Type.Kind() == reflect.Map && f.Type.Elem().Kind() == reflect.Struct:
		return "by rule", f.Type.Elem()
	case f.Type.Kind() == reflect.Map:
		return "numbers", nil
	case enum != "":
		return enum, nil
	}
	return "text", nil
}
