package main

import (
	"bytes"
	"encoding/json"
	"path"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sandbox-audit/sandbox-audit/rules"
)

// TestRulesJSON holds the catalogue to its schema, to every rule and to its pages.
func TestRulesJSON(t *testing.T) {
	var out, again bytes.Buffer
	if err := rulesJSON(&out); err != nil {
		t.Fatal(err)
	}
	if err := rulesJSON(&again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("the same rules give other bytes")
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("../../docs/rules.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	var got jsonCatalogue
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := rules.All()
	if len(got.Rules) != len(want) {
		t.Fatalf("%d rules, want %d", len(got.Rules), len(want))
	}
	for i, r := range got.Rules {
		if r.ID != want[i].ID || r.Name != want[i].Name || r.Severity != want[i].Severity {
			t.Errorf("rule %d is %s %s, want %s %s", i, r.ID, r.Name, want[i].ID, want[i].Name)
		}
		if path.Base(r.Docs) != r.ID+".md" || rules.Doc(r.ID).Markdown == "" {
			t.Errorf("%s has no page at %s", r.ID, r.Docs)
		}
	}
}
