package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/sandbox-audit/sandbox-audit/internal/settings"
)

var update = flag.Bool("update", false, "write docs/config.schema.json and the keys in docs/configuration.md")

const (
	schemaFile = "../../docs/config.schema.json"
	configDocs = "../../docs/configuration.md"
)

// TestConfigDocs keeps the schema and the documented keys what the type says.
func TestConfigDocs(t *testing.T) {
	schema, err := settings.Schema(words())
	if err != nil {
		t.Fatal(err)
	}
	same(t, schemaFile, string(schema))
	b, err := os.ReadFile(configDocs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), "-update -->\n")
	_, after, closed := strings.Cut(rest, "<!-- /keys -->")
	if !ok || !closed {
		t.Fatal("the marks of the keys are gone")
	}
	same(t, configDocs, before+"-update -->\n"+settings.Table()+"<!-- /keys -->"+after)
}

func same(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s is stale: run go test ./cmd/sandbox-audit -run TestConfigDocs -update (%v)", file, err)
	}
}

// TestConfigSchema checks that the schema takes what the program takes, and nothing else.
func TestConfigSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile(configDocs)
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(docs), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	for _, tt := range []struct {
		text string
		good bool
	}{
		{example, true},
		{"ignores: [{rule: SBX205, layer: 3}]", true},
		{"ignores: [{rule: SBX205, until: '2027-03-01'}]", true},
		{"ignores: [{rule: SBX205, until: soon}]", false},
		{"ignores: [{reason: x}]", false},
		{"ignores: [{rule: SBX999}]", false},
		{"rules: {SBX205: {}}", false},
		{"rules: {SBX999: {level: note}}", false},
		{"rules: {SBX205: {level: fatal}}", false},
		{"limits: {max-layers: 0}", false},
		{"fail-on: fatal", false},
		{"fail_on: error", false},
		{"require: [network, nothing]", false},
	} {
		if _, err := settings.Read("c.yaml", []byte(tt.text), words()); (err == nil) != tt.good {
			t.Errorf("%s: read: %v", tt.text, err)
		}
		if err := schema.Validate(value(t, tt.text)); (err == nil) != tt.good {
			t.Errorf("%s: schema: %v", tt.text, err)
		}
	}
}

// value is YAML as JSON has it; dates are text there.
func value(t *testing.T, text string) any {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	var undate func(*yaml.Node)
	undate = func(n *yaml.Node) {
		if n.Tag == "!!timestamp" {
			n.Tag = "!!str"
		}
		for _, c := range n.Content {
			undate(c)
		}
	}
	undate(&n)
	var v any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Every flag of an audit can be given by the environment.
func TestEnvironment(t *testing.T) {
	root := newRoot(process{}, new(int))
	root.InitDefaultVersionFlag()
	f := root.Flags()
	env := map[string]string{
		"SANDBOX_AUDIT_FAIL_ON": "note", "SANDBOX_AUDIT_SESSION_VAR": "A,B", "SANDBOX_AUDIT_BUILD_ARG": "A=1\nB=2", "SANDBOX_AUDIT_MAX_LAYERS": "7",
		"SANDBOX_AUDIT_VERSION": "true", // what CI may call the version to install
	}
	if err := f.Set("session-var", "GIVEN"); err != nil {
		t.Fatal(err)
	}
	if err := fromEnvironment(f, func(name string) string { return env[name] }); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"fail-on": "note", "session-var": "[GIVEN]", "build-arg": "[A=1,B=2]", "max-layers": "7", "version": "false"} {
		if got := f.Lookup(flag).Value.String(); got != want {
			t.Errorf("--%s is %s, want %s", flag, got, want)
		}
	}
	env = map[string]string{"SANDBOX_AUDIT_FAIL_ON": "warning\nnever\n", "SANDBOX_AUDIT_CONFIG": "c.yaml\n", "SANDBOX_AUDIT_REQUIRE": "privilege\nnetwork\n"}
	lines := newRoot(process{}, new(int)).Flags()
	if err := fromEnvironment(lines, func(name string) string { return env[name] }); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"fail-on": "warning\nnever", "config": "c.yaml", "require": "[privilege,network]"} {
		if got := lines.Lookup(flag).Value.String(); got != want { // no level of several lines is the last one
			t.Errorf("--%s is %q, want %q", flag, got, want)
		}
	}
	for variable, want := range map[string]string{ // without the value
		"SANDBOX_AUDIT_QUIET": "it takes true or false", "SANDBOX_AUDIT_TIMEOUT": "it takes a duration, such as 90s or 10m", "SANDBOX_AUDIT_MAX_LAYER_BYTES": "it takes a positive number",
	} {
		err := fromEnvironment(root.Flags(), func(name string) string {
			if name == variable {
				return "perhaps"
			}
			return ""
		})
		if err == nil || err.Error() != variable+": "+want {
			t.Errorf("%s: got %v", variable, err)
		}
	}
}

// The value of a secret is accepted by its identity, under a key that is in no file.
func TestIdentifier(t *testing.T) {
	if id, err := identifier(""); id != nil || err != nil {
		t.Error("an identity without a key")
	}
	if _, err := identifier("short"); err == nil || strings.Contains(err.Error(), "short\"") {
		t.Errorf("a short key: %v", err)
	}
	one, err := identifier(strings.Repeat("k", 32))
	if err != nil {
		t.Fatal(err)
	}
	other, err := identifier(strings.Repeat("o", 32))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := one([]byte("x")), one([]byte("y")); a == b || a != one([]byte("x")) || a == other([]byte("x")) || len(a) != 64 {
		t.Errorf("identities %s and %s", a, b)
	}
}

func TestFromFolder(t *testing.T) {
	dir := t.TempDir()
	if got := fromFolder(dir)(filepath.Join(dir, "a", "Dockerfile")); got != filepath.Join("a", "Dockerfile") {
		t.Errorf("got %s", got)
	}
}
