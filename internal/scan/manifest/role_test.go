package manifest

import (
	"strings"
	"testing"
)

func TestTellApart(t *testing.T) {
	for _, tt := range []struct {
		name, services, want string
		sandbox, usual       []string
	}{
		{name: "the only one", services: "{thing: {image: x}}", want: "thing"},
		{name: "by name", services: "{sandbox: {image: x}, sandbox-router: {image: x}, api: {image: x}, thing: {image: y}}", want: "sandbox"},
		{name: "the last word", services: "{router-sandbox: {image: x}, agent-gateway: {image: x}}", want: "router-sandbox"},
		{name: "by image", services: "{one: {image: 'reg.example:5000/org/postgres:16@sha256:00'}, two: {image: 'org/code-interpreter:1'}}", want: "two"},
		{name: "what is nothing else", services: "{app: {image: myapp}, cache: {image: redis}}", want: "app"},
		{name: "nothing", services: "{db: {image: postgres}, web: {image: nginx}}", want: ""},
		{name: "by label", services: "{web: {image: nginx, labels: {sandbox-audit/role: sandbox}}, agent: {image: x}}", want: "web"},
		{name: "by a label that says no", services: "{agent: {image: x, labels: [sandbox-audit/role=control-plane]}, thing: {image: y}}", want: "thing"},
		{name: "named", services: "{db: {image: postgres}, agent: {image: x}}", want: "db", sandbox: []string{"db"}},
		{name: "as the configuration has it", services: "{db: {image: postgres}, agent: {image: x}}", want: "db", usual: []string{"other", "db"}},
		{name: "the configuration means others", services: "{db: {image: postgres}, agent: {image: x}}", want: "agent", usual: []string{"other"}},
		{name: "a flag goes first", services: "{db: {image: postgres}, agent: {image: x}}", want: "agent", sandbox: []string{"agent"}, usual: []string{"db"}},
	} {
		opt := options()
		opt.Sandbox, opt.Usual = tt.sandbox, tt.usual
		m, err := ReadComposeText("c.yaml", []byte("services: "+tt.services), opt)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range m.Sandboxes() {
			got = append(got, w.Name)
			if w.Why == "" || len(w.Sandboxed()) != 1 {
				t.Errorf("%s: %s has the reason %q and containers %v", tt.name, w, w.Why, w.Sandboxed())
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: the sandboxes are %v, want %s", tt.name, got, tt.want)
		}
	}
}

func TestSidecars(t *testing.T) {
	const pod = "{apiVersion: v1, kind: Pod, metadata: {name: agent}, spec: {initContainers: [{name: main0, image: x}], containers: [{name: main, image: x}, {name: istio-proxy, image: y}, {name: b, image: 'envoy:1'}]}}"
	for _, tt := range []struct {
		want    string
		sandbox []string
	}{{want: "main"}, {"istio-proxy", []string{"istio-proxy"}}, {"main", []string{"Pod/agent"}}} {
		m := readCluster(t, pod, tt.sandbox...)
		var got []string
		for _, c := range m.Workloads[0].Sandboxed() {
			got = append(got, c.Name)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("--sandbox %v: %v, want %s", tt.sandbox, got, tt.want)
		}
	}
	m := readCluster(t, pod, "none")
	if len(m.Absent) != 1 || m.Absent[0] != "none" || len(m.Sandboxes()) != 0 {
		t.Errorf("absent %v, sandboxes %v", m.Absent, m.Sandboxes())
	}
}

func TestTier(t *testing.T) {
	for name, want := range map[string]Tier{
		"": ContainerTier, "runc": ContainerTier, "gvisor": GVisor, "runsc-kvm": GVisor, "kata-qemu": MicroVM, "io.containerd.kata.v2": MicroVM, "aws-firecracker": MicroVM, "custom": ContainerTier,
	} {
		w := Workload{Runtime: Setting{Value: name, Given: name != ""}}
		if got := w.Tier(); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	if (&Workload{Runtime: Setting{Value: "${X:-gvisor", Given: true, Unknown: "x"}}).Tier() != ContainerTier {
		t.Error("a runtime that is not known has a tier")
	}
}
