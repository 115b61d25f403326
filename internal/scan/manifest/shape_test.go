package manifest

import (
	"strings"
	"testing"
)

// TestWorkflow follows what a workflow says of its pods as a whole, and each template of
// its own.
func TestWorkflow(t *testing.T) {
	m := readCluster(t, `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: agent-}
spec:
  serviceAccountName: runner
  automountServiceAccountToken: false
  securityContext: {runAsUser: 7}
  podMetadata: {labels: {app: agent}}
  volumes: [{name: all, emptyDir: {}}]
  podSpecPatch: '{"runtimeClassName": "gvisor"}'
  templates:
    - name: run
      volumes: [{name: sock, hostPath: {path: /var/run/docker.sock}}]
      container:
        image: i
        securityContext: {privileged: true}
        volumeMounts: [{name: sock, mountPath: /s}, {name: all, mountPath: /a}]
      sidecars: [{name: side, image: envoy}]
    - name: code
      securityContext: {runAsUser: 8}
      metadata: {labels: {app: other}}
      script: {image: i, command: [python], source: "print()"}
`)
	run, code := m.Workloads[0], m.Workloads[1]
	c := run.Containers[0]
	switch {
	case !run.Token.False() || run.Labels["app"] != "agent" || run.Runtime.Unknown == "":
		t.Errorf("token %+v, labels %v, runtime %+v", run.Token, run.Labels, run.Runtime)
	case c.Name != "main" || c.User.Value != "7" || !c.Privileged.True() || c.Privileged.At.Line != 17:
		t.Errorf("%+v", c)
	case len(c.Mounts) != 2 || c.Mounts[0].Kind != HostPath || c.Mounts[1].Kind != Scratch:
		t.Errorf("mounts %+v", c.Mounts)
	case len(run.Containers) != 2 || run.Containers[1].Name != "side":
		t.Errorf("containers %+v", run.Containers)
	case code.Labels["app"] != "other" || code.Containers[0].User.Value != "8":
		t.Errorf("%v %+v", code.Labels, code.Containers[0].User)
	case len(m.Problems) > 0:
		t.Errorf("problems %+v", m.Problems)
	}
}

// TestTask takes steps with their template, and what a run says of the pod.
func TestTask(t *testing.T) {
	m := readCluster(t, `
apiVersion: tekton.dev/v1
kind: TaskRun
metadata: {name: agent, labels: {app: agent}}
spec:
  serviceAccountName: builder
  podTemplate: {runtimeClassName: kata, automountServiceAccountToken: false, securityContext: {runAsNonRoot: true}}
  taskSpec:
    stepTemplate: {image: base, securityContext: {allowPrivilegeEscalation: false}, computeResources: {limits: {memory: 1Gi}}}
    steps:
      - script: x
      - {name: own, image: i, securityContext: {privileged: true}}
    sidecars: [{name: proxy, image: envoy}]
`)
	w := m.Workloads[0]
	one, own := w.Containers[0], w.Containers[1]
	switch {
	case w.Tier() != MicroVM || !w.Token.False() || w.Labels["app"] != "agent":
		t.Errorf("tier %s, token %+v, labels %v", w.Tier(), w.Token, w.Labels)
	case one.Name != "step-1" || one.Image.Value != "base" || !one.Escalation.False() || one.Memory.Value != "1Gi" || !one.NonRoot.True():
		t.Errorf("%+v", one)
	case own.Image.Value != "i" || !own.Privileged.True() || own.Escalation.Given:
		t.Errorf("%+v", own)
	case len(w.Sandboxed()) != 2 || len(m.Problems) > 0:
		t.Errorf("judged %v, problems %+v", w.Sandboxed(), m.Problems)
	}
}

// TestRemarks tells what has no effect and what is not judged, and is quiet about fields
// of kinds that are not known.
func TestRemarks(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: m, image: i}]}\n---\n"
	for _, tt := range []struct{ name, text, want string }{
		{"a misspelled field", "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: m, image: i, securityContext: {priviledged: true}}]}\n", "priviledged is no field of the securityContext of a container"},
		{"seccomp of old", "apiVersion: v1\nkind: Pod\nmetadata: {annotations: {seccomp.security.alpha.kubernetes.io/pod: runtime/default}}\nspec: {containers: [{name: m, image: i}]}\n", "sets nothing since Kubernetes 1.27"},
		{"an AdminNetworkPolicy", pod + "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: x}\nspec: {egress: []}\n", "AdminNetworkPolicy x of policy.networking.k8s.io is not judged"},
		{"a mesh", pod + "apiVersion: networking.istio.io/v1\nkind: Sidecar\nmetadata: {name: x}\nspec: {}\n", "Sidecar x of networking.istio.io is not judged"},
		{"a claim without its template", "apiVersion: extensions.agents.x-k8s.io/v1alpha1\nkind: SandboxClaim\nmetadata: {name: x}\nspec: {sandboxTemplateRef: {name: python}}\n", "SandboxClaim x runs the template python, which is not among the manifests"},
		{"a claim with its template", "apiVersion: extensions.agents.x-k8s.io/v1alpha1\nkind: SandboxWarmPool\nmetadata: {name: x}\nspec: {sandboxTemplateRef: {name: t}}\n---\n" + strings.Replace(sandboxTemplate, "%s", "", 1), ""},
		{"another kind's own fields", "apiVersion: monitoring.example/v1\nkind: Watcher\nmetadata: {name: x}\nspec: {retention: 1d, containers: [{name: m, image: i, own: true}]}\n", ""},
		{"a kustomization alone", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", "and is none"},
		{"a kustomization beside manifests", pod + "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", "which are judged as they stand"},
		{"roles", pod + "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: x}\nrules: []\n", ""},
	} {
		m := readCluster(t, tt.text)
		switch {
		case tt.want == "" && len(m.Problems) > 0, tt.want != "" && (len(m.Problems) != 1 || !strings.HasPrefix(m.Problems[0].What, tt.want) && !strings.HasSuffix(m.Problems[0].What, tt.want)):
			t.Errorf("%s: %+v, want %q", tt.name, m.Problems, tt.want)
		case tt.want != "" && m.Problems[0].At.Line == 0:
			t.Errorf("%s: no line", tt.name)
		}
	}
}
