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

const composeText = "include: [../x.yaml]\nservices:\n  agent:\n    image: a\n    privileged: true\n    readonly: true\n  proxy: {image: p}\n"

// manifestRules judge the privileges of a workload's container, and what only an image
// shows.
func manifestRules() []*scan.Rule {
	return []*scan.Rule{
		{ID: "SBX501", Name: "privileged", Title: "the container is privileged", Step: scan.Runtime, Level: scan.LevelError, Severity: 9.5, Where: scan.InManifest, Run: func(p *scan.Pass) {
			p.Reportf(scan.AtManifest(p.Workload.Sandboxed()[0].Privileged.At), "it is privileged")
		}},
		{ID: "SBX201", Name: "root-user", Title: "the container starts as root and no drop is shown", Step: scan.Privilege, Level: scan.LevelError, Severity: 8, Where: scan.InImage, Run: func(p *scan.Pass) {
			p.Reportf(p.AtField("User"), "an image rule ran")
		}},
	}
}

// reportOf is the report of one target that is or has a manifest.
func reportOf(t scan.Target, text string) *Report {
	res := scan.Run(t, manifestRules(), scan.Options{}, limits.Default())
	return &Report{
		Tool: Tool{Name: "sandbox-audit", Version: "1.2.3"}, Rules: manifestRules(), Targets: []Target{{res, policy.Checklist(res)}},
		Snippet: func(_ string, first, last int) []string { return strings.Split(text, "\n")[first-1 : last] },
		Source:  func(string) []byte { return []byte(text) },
		Mask:    func(s string) string { return s },
	}
}

func readCompose() *manifest.Manifest {
	m, err := manifest.ReadComposeText("compose.yaml", []byte(composeText), manifest.Options{Limits: limits.Default()})
	if err != nil {
		panic(err)
	}
	return m
}

// manifestReport is a compose file with one finding, one unknown field and one file that
// is not read.
func manifestReport() *Report {
	m := readCompose()
	return reportOf(scan.ManifestTarget("compose.yaml", m, m.Sandboxes()[0]), composeText)
}

// joinedReport is an image with the compose file that runs it.
func joinedReport() *Report {
	m := readCompose()
	w := m.Sandboxes()[0]
	target := imageResult().Target.RunBy(m, w, w.Sandboxed()[0])
	target.Match = "the service builds it"
	return reportOf(target, composeText)
}

// kubernetesReport is a pod whose name wants to be a command of a workflow.
func kubernetesReport() *Report {
	const text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: \"::error::x\"\nspec:\n  containers:\n  - name: agent\n    image: a\n    securityContext:\n      privileged: true\n"
	m, err := manifest.ReadKubernetes([]manifest.File{{Name: "k8s/pod 1.yaml", Text: []byte(text)}}, manifest.Options{Limits: limits.Default()})
	if err != nil {
		panic(err)
	}
	return reportOf(scan.ManifestTarget("k8s/pod 1.yaml", m, m.Sandboxes()[0]), text)
}

func TestManifestInText(t *testing.T) {
	text := formats()["txt"](t, manifestReport())
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
	text := formats()["json"](t, manifestReport())
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
	text := formats()["sarif"](t, manifestReport())
	for _, want := range []string{`"uri": "compose.yaml"`, `"startLine": 5`, `"startColumn": 17`, `"endColumn": 21`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "in image") {
		t.Error("a manifest is called an image")
	}
}

// TestManySandboxes says of a manifest as a whole once what it says of the whole, so that
// the report grows as the manifest does.
func TestManySandboxes(t *testing.T) {
	text := "services:\n  agent: {image: a, readonly: true}\n  worker: {image: b, memlimit: 1g}\n  proxy: {image: p}\n"
	m, err := manifest.ReadComposeText("compose.yaml", []byte(text), manifest.Options{Limits: limits.Default()})
	if err != nil || len(m.Sandboxes()) != 2 {
		t.Fatal(err, m)
	}
	r := manifestReport()
	r.Targets = nil
	for _, w := range m.Sandboxes() {
		res := scan.Run(scan.ManifestTarget("compose.yaml", m, w), r.Rules, scan.Options{}, limits.Default())
		r.Targets = append(r.Targets, Target{res, policy.Checklist(res)})
	}
	remarks := func(i int) string {
		var out []string
		for _, g := range r.remarks(r.Targets[i].Result) {
			out = append(out, g.What)
		}
		return strings.Join(out, "\n")
	}
	first, second := remarks(0), remarks(1)
	for _, want := range []string{"service agent is judged", "service proxy is not judged", "readonly is no field", "memlimit is no field"} {
		if !strings.Contains(first, want) {
			t.Errorf("the first page does not say %q:\n%s", want, first)
		}
	}
	if strings.Contains(second, "proxy") || strings.Contains(second, "readonly") || !strings.Contains(second, "memlimit is no field") || !strings.Contains(second, "is told with service agent") {
		t.Errorf("the second page says\n%s", second)
	}
}
