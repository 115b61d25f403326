package report

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// manifestReport is a compose file with one finding, one unknown field and one file that
// is not read.
func manifestReport(t *testing.T) *Report {
	t.Helper()
	text := "include: [../x.yaml]\nservices:\n  agent:\n    image: a\n    privileged: true\n    readonly: true\n  proxy: {image: p}\n"
	m, err := manifest.ReadComposeText("compose.yaml", []byte(text), manifest.Options{Limits: limits.Default()})
	if err != nil {
		t.Fatal(err)
	}
	rules := []*scan.Rule{
		{ID: "SBX501", Name: "privileged", Title: "t", Step: scan.Runtime, Level: scan.LevelError, Severity: 9.5, Where: scan.InManifest, Run: func(p *scan.Pass) {
			p.Reportf(scan.AtManifest(p.Workload.Sandboxed()[0].Privileged.At), "it is privileged")
		}},
		{ID: "SBX201", Name: "root-user", Title: "t", Step: scan.Privilege, Level: scan.LevelError, Severity: 8, Where: scan.InImage, Run: func(p *scan.Pass) {
			p.Reportf(scan.Location{}, "an image rule ran without an image")
		}},
	}
	res := scan.Run(scan.ManifestTarget("compose.yaml", m, m.Sandboxes()[0]), rules, scan.Options{}, limits.Default())
	return &Report{
		Tool: Tool{Name: "sandbox-audit"}, Rules: rules, Targets: []Target{{res, policy.Checklist(res)}},
		Snippet: func(_ string, first, last int) []string { return strings.Split(text, "\n")[first-1 : last] },
		Mask:    func(s string) string { return s },
	}
}

func TestManifestInText(t *testing.T) {
	text := formats()["txt"](t, manifestReport(t))
	for _, want := range []string{
		"compose.yaml (compose)", "SBX501 privileged  compose.yaml:5", "5 |     privileged: true",
		"compose.yaml:1: the file that is included is outside of the project's folder and is not read",
		"compose.yaml:3: service agent is judged as the sandbox: its name says agent; isolation tier container, egress open",
		"compose.yaml:7: service proxy is not judged: its name says proxy",
		"compose.yaml:6: readonly is no field of a service: it sets nothing", "did you mean read_only?",
		"the audit is incomplete",
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("the text does not say %q:\n%s", want, text)
		}
	}
}

func TestManifestInJSON(t *testing.T) {
	schema := compile(t, "../../docs/result.schema.json", jsonschema.Draft2020, closed)
	text := formats()["json"](t, manifestReport(t))
	if err := schema.Validate(decode(t, text)); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"manifest": {`, `"field": "services.agent.privileged"`, `"column": 17`, `"judges images and Dockerfiles only"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, `"dockerfile": {`) {
		t.Error("a line of a manifest is told as one of a Dockerfile")
	}
}

func TestManifestInSARIF(t *testing.T) {
	text := formats()["sarif"](t, manifestReport(t))
	for _, want := range []string{`"uri": "compose.yaml"`, `"startLine": 5`, `"startColumn": 17`, `"endColumn": 21`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "in image") {
		t.Error("a manifest is called an image")
	}
}
