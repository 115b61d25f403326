package report

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compile reads a JSON Schema. A change makes it stricter for the test.
func compile(t *testing.T, path string, draft *jsonschema.Draft, change func(any)) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := decode(t, string(text))
	change(doc)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource(path, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func decode(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// closed lets objects have no members but those that the schema describes, so
// that none is written and not documented.
func closed(schema any) {
	root := schema.(map[string]any)
	root["unevaluatedProperties"] = false
	for name, def := range root["$defs"].(map[string]any) {
		if name != "place" { // is part of others
			def.(map[string]any)["unevaluatedProperties"] = false
		}
	}
}

func TestJSONFollowsItsSchema(t *testing.T) {
	schema := compile(t, "../../docs/result.schema.json", jsonschema.Draft2020, closed)
	check := func(name string, r *Report) {
		if err := schema.Validate(decode(t, formats()["json"](t, r))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, r := range reports() {
		check(name, r)
	}
	for _, s := range hostile {
		check(s, hostileReport(s))
	}
	check("no target", newReport())
	check("accepted", acceptedReport())
	for _, bad := range []string{`{}`, `{"schema":"sandbox-audit/2"}`} {
		if schema.Validate(decode(t, bad)) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
}

// I3: a path that is not what it prints as can still be told exactly.
func TestJSONPathBytes(t *testing.T) {
	for path, exact := range map[string]bool{"/a b/ü": true, "/a\xff": false, "/a\nb": false, "/" + strings.Repeat("x", 600): false} {
		var d document
		if err := json.Unmarshal([]byte(formats()["json"](t, hostileReport(path))), &d); err != nil {
			t.Fatal(err)
		}
		at := d.Targets[0].Findings[0].jsonPlace
		if exact {
			if at.Path != path || at.PathBytes != "" {
				t.Errorf("%q: got path %q, bytes %q", path, at.Path, at.PathBytes)
			}
			continue
		}
		if b, err := base64.StdEncoding.DecodeString(at.PathBytes); string(b) != path {
			t.Errorf("%q: got bytes %q, %v", path, b, err)
		}
	}
}

func TestJSONDoesNotEscapeHTML(t *testing.T) {
	r := newReport(imageResult())
	r.Targets[0].Result.Findings[0].Message = "a && b <c>"
	out := formats()["json"](t, r)
	if !strings.Contains(out, `"message": "a && b <c>"`) || !strings.HasSuffix(out, "}\n") {
		t.Error(out)
	}
}
