package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// readCluster reads one file of Kubernetes manifests.
func readCluster(t testing.TB, text string, names ...string) *Manifest {
	t.Helper()
	opt := options()
	opt.Sandbox = names
	m, err := ReadKubernetes([]File{{"m.yaml", []byte(text)}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestShapes finds pod specs wherever objects hold them.
func TestShapes(t *testing.T) {
	const spec = "{containers: [{name: main, image: i}]}"
	for _, tt := range []struct{ text, want string }{
		{"{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: " + spec + "}", "Pod p"},
		{"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {template: {spec: " + spec + "}}}", "StatefulSet s"},
		{"{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {spec: {template: {spec: " + spec + "}}}}}", "CronJob c"},
		{"{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: k}, spec: {template: {spec: " + spec + "}}}", "Service k"},
		{"{apiVersion: agents.x-k8s.io/v1alpha1, kind: Sandbox, metadata: {name: x}, spec: {podTemplate: {spec: " + spec + "}}}", "Sandbox x"},
		{"{apiVersion: example.com/v1, kind: Runner, metadata: {generateName: r-}, spec: {deep: [{pod: {spec: " + spec + "}}]}}", "Runner r-"},
		{"{apiVersion: example.com/v1, kind: Pool, metadata: {name: o}, spec: {podSpec: {containers: [{name: main, image: i}]}}}", "Pool o"},
		{"{apiVersion: serving.knative.dev/v1, kind: Configuration, metadata: {name: k}, spec: {template: {spec: " + spec + "}}}", "Configuration k"},
		{"{apiVersion: example.com/v1, kind: Alert, metadata: {name: o}, spec: {route: {containers: [{name: main}, {image: i}], x: {containers: [a]}}}}", ""},
		{"{apiVersion: argoproj.io/v1alpha1, kind: WorkflowTemplate, metadata: {name: w}, spec: {templates: [{name: all, steps: [[{name: a, template: run}]]}, {name: run, container: {image: i}}, {name: code, script: {image: i, source: x}}, {name: set, containerSet: {containers: [{name: a, image: i}]}}]}}", "WorkflowTemplate w/run, WorkflowTemplate w/code, WorkflowTemplate w/set"},
		{"{apiVersion: argoproj.io/v1alpha1, kind: CronWorkflow, metadata: {name: w}, spec: {workflowSpec: {templates: [{name: run, container: {image: i}}]}}}", "CronWorkflow w/run"},
		{"{apiVersion: tekton.dev/v1, kind: Task, metadata: {name: t}, spec: {steps: [{image: i, script: x}, {name: b, image: j}]}}", "Task t"},
		{"{apiVersion: tekton.dev/v1, kind: TaskRun, metadata: {name: t}, spec: {taskSpec: {steps: [{image: i}]}}}", "TaskRun t"},
		{"{apiVersion: tekton.dev/v1, kind: Pipeline, metadata: {name: p}, spec: {tasks: [{name: a, taskSpec: {steps: [{image: i}]}}, {name: b, taskRef: {name: t}}]}}", "Pipeline p/a"},
		{"{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"json\"}, \"spec\": {\"containers\": [{\"name\": \"main\", \"image\": \"i\"}]}}\n", "Pod json"},
		{"apiVersion: v1\nkind: Pod\nmetadata: &m {name: anchored}\nspec: {containers: [&c {name: main, image: i}, {<<: *c, name: b}]}\n", "Pod anchored"},
		{"---\n\n---   # nothing\n--- \napiVersion: v1\nkind: Pod\nmetadata: {name: odd}\nspec: " + spec + "\n---\n# the end\n---\n", "Pod odd"},
		{"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: " + spec + "}, {apiVersion: v1, kind: Pod, metadata: {name: b}, spec: " + spec + "}]}", "Pod a, Pod b"},
		{"{apiVersion: apps/v1, kind: DeploymentList, items: [{metadata: {name: d}, spec: {template: {spec: " + spec + "}}}]}", "Deployment d"},
		{"{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {pod: '" + spec + "'}}", ""},
		{"{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: c}, spec: {rules: [{validate: {pattern: {spec: {containers: [{name: '*'}]}}}}]}}", ""},
		{"%YAML 1.1\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec: " + spec + "\n--- # next\napiVersion: v1\nkind: Pod\nmetadata: {name: two}\nspec: " + spec + "\n...\n", "Pod one, Pod two"},
	} {
		var got []string
		for _, w := range readCluster(t, tt.text).Workloads {
			got = append(got, w.String())
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s\nholds %v, want %s", tt.text, got, tt.want)
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		line       int
		want       string
	}{
		{"a tab", "apiVersion: v1\nkind: Pod\nmetadata:\n\tname: x\n", 4, "can't be read"},
		{"the second document", "apiVersion: v1\nkind: Pod\n---\na: b\n  c: d\n---\napiVersion: v1\nkind: Pod\n", 5, "can't be read"},
		{"a key twice", "apiVersion: v1\nkind: Pod\nkind: Pod\n", 3, "given twice"},
		{"an unknown field", "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: a\n      securityContext:\n        runAsNonroot: true\n", 7, "runAsNonroot is no field"},
		{"a kustomization", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", 2, "kustomization"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := readCluster(t, tt.text)
			if !slices.ContainsFunc(m.Problems, func(p Problem) bool { return p.At.Line == tt.line && strings.Contains(p.What, tt.want) }) {
				t.Errorf("problems %+v, want %q in line %d", m.Problems, tt.want, tt.line)
			}
		})
	}
	m := readCluster(t, "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, securitycontext: {}}]}\n")
	if m.Problems[0].Hint != "did you mean securityContext?" {
		t.Errorf("hint %q", m.Problems[0].Hint)
	}
}

func TestTemplates(t *testing.T) {
	for _, text := range []string{
		"apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\n",
		"{{- if .Values.on }}\napiVersion: v1\nkind: Pod\n{{- end }}\n",
		"apiVersion: v1\nkind: Pod\nspec:\n  {% if uid %}\n  runAsUser: {{ uid }}\n  {% endif %}\n",
	} {
		_, err := ReadKubernetes([]File{{"t.yaml", []byte(text)}}, options())
		var tmpl *TemplateError
		if !errors.As(err, &tmpl) || tmpl.Hint() == "" {
			t.Errorf("%q: %v, want that it is a template", text, err)
		}
	}
	m := readCluster(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  runtimeClassName: '{{ inputs.class }}'\n  containers: [{name: a, args: ['-f={{.State}}']}]\n")
	w := m.Workloads[0]
	if w.Runtime.Unknown == "" || w.Containers[0].Command[0].Unknown != "" {
		t.Errorf("runtime %+v, args %+v", w.Runtime, w.Containers[0].Command)
	}
	if _, err := ReadKubernetes([]File{{"x.yaml", []byte("a: b\n")}}, options()); !errors.Is(err, ErrNone) {
		t.Errorf("%v, want that it is no manifest", err)
	}
}

// TestLimits ends on what grows without bounds, and says where.
func TestLimits(t *testing.T) {
	bomb := "apiVersion: v1\nkind: Pod\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	small := options()
	small.Limits.YAMLDepth, small.Limits.YAMLDocuments, small.Limits.YAMLValues = 20, 3, 10_000
	for _, tt := range []struct{ name, text, want string }{
		{"aliases", bomb, "aliases repeat"},
		{"an alias of itself", "apiVersion: v1\nkind: Pod\na: &a [*a]\n", "nested deeper"},
		{"merge keys", "apiVersion: v1\nkind: Pod\na: &a {<<: *a}\n", ""},
		{"depth", "apiVersion: v1\nkind: Pod\na: " + strings.Repeat("[", 50) + strings.Repeat("]", 50) + "\n", "nested deeper than 20"},
		{"documents", strings.Repeat("apiVersion: v1\nkind: Pod\n---\n", 9), "more than 3 documents"},
	} {
		m, err := ReadKubernetes([]File{{"b.yaml", []byte(tt.text)}}, small)
		if err != nil || len(m.Problems) == 0 || !strings.Contains(m.Problems[0].What, tt.want) || !m.Problems[0].Fatal {
			t.Errorf("%s: %v, %+v", tt.name, err, m)
		}
	}
	if _, err := ReadText(strings.NewReader(strings.Repeat("a", 100)), func() (l Options) { l = small; l.Limits.YAMLBytes = 50; return }().Limits); err == nil {
		t.Error("a file over the limit was read")
	}
}

func TestColumns(t *testing.T) {
	m := readCluster(t, "apiVersion: v1\nkind: Pod\nspec:\n  containers: [{name: \"é😀\", image: \"a b\", securityContext: {privileged: true}}]\n")
	at := m.Workloads[0].Containers[0].Privileged.At
	if at.Line != 4 || at.Column != 74 || at.EndColumn != 78 {
		t.Errorf("privileged is at %+v, want columns 74 to 78 in UTF-16", at)
	}
	if at := m.Workloads[0].Containers[0].Image.At; at.EndColumn-at.Column != 5 {
		t.Errorf("the image with its quotes is at %+v", at)
	}
}

func TestPod(t *testing.T) {
	m := readCluster(t, `
apiVersion: v1
kind: ServiceAccount
metadata: {name: bare, namespace: n}
automountServiceAccountToken: false
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: n}
spec:
  serviceAccountName: bare
  securityContext: {runAsUser: 5, runAsNonRoot: true}
  volumes:
    - {name: conf, configMap: {name: c}}
    - {name: tok, projected: {sources: [{serviceAccountToken: {path: t}}]}}
    - {name: tmp, emptyDir: {}}
  initContainers: [{name: setup, image: i}, {name: side, image: i, restartPolicy: Always}]
  containers:
    - name: main
      image: i
      securityContext: {runAsUser: 6}
      volumeMounts: [{name: conf, mountPath: /c, readOnly: true}, {name: tok, mountPath: /t}, {name: tmp, mountPath: /tmp}, {name: claimed, mountPath: /d}]
`)
	w := m.Workloads[0]
	if !w.Token.False() {
		t.Errorf("token %+v, want that the service account forbids it", w.Token)
	}
	if side := w.Containers[1]; side.Role != Surroundings || !strings.Contains(side.Why, "sidecar") || w.Containers[2].Role != Sandbox {
		t.Errorf("an init container that keeps running has the role %d: %s", side.Role, side.Why)
	}
	c := w.Containers[2]
	if c.User.Value != "6" || !c.NonRoot.True() || !w.Containers[0].Init || w.Containers[1].Init {
		t.Errorf("%+v", c)
	}
	var kinds []MountKind
	for _, mount := range c.Mounts {
		kinds = append(kinds, mount.Kind)
	}
	if !slices.Equal(kinds, []MountKind{ConfigMount, ConfigMount, ClusterToken, Scratch, Volume}) {
		t.Errorf("mounts %+v", c.Mounts)
	}
}

// TestPodSecurity reads what is said of the pod, of the container, and in annotations.
func TestPodSecurity(t *testing.T) {
	m := readCluster(t, `
apiVersion: v1
kind: Pod
metadata:
  name: a
  annotations:
    container.apparmor.security.beta.kubernetes.io/old: unconfined
    container.apparmor.security.beta.kubernetes.io/new: unconfined
    container.apparmor.security.beta.kubernetes.io/fine: localhost/mine
spec:
  hostUsers: false
  serviceAccount: alias
  resources: {limits: {memory: 1Gi}}
  securityContext: {windowsOptions: {hostProcess: true}, seccompProfile: {type: Localhost}}
  volumes:
    - {name: host, hostPath: {path: /var}}
    - {name: self, downwardAPI: {items: []}}
  containers:
    - {name: old, image: i, securityContext: {procMount: Unmasked}, volumeMounts: [{name: host, mountPath: /v, subPath: run/docker.sock}, {name: self, mountPath: /d}]}
    - {name: new, image: i, securityContext: {appArmorProfile: {type: RuntimeDefault}, windowsOptions: {hostProcess: false}}, resources: {limits: {memory: 2Gi}}}
    - {name: fine, image: i}
  ephemeralContainers:
    - {name: debug, image: busybox, securityContext: {privileged: true}}
`)
	w := m.Workloads[0]
	var off []string
	for _, c := range w.Containers {
		for _, s := range c.Unconfined {
			off = append(off, c.Name+": "+s.Value)
		}
	}
	if got := strings.Join(off, ", "); got != "old: AppArmor, old: masked paths" {
		t.Errorf("switched off are %s", got)
	}
	old, second := w.Containers[0], w.Containers[1]
	switch {
	case !w.HostUsers.False() || w.Token.At.Line != 12:
		t.Errorf("hostUsers %+v, token %+v", w.HostUsers, w.Token)
	case !old.HostProcess.True() || second.HostProcess.True() || old.Seccomp.Value != "Localhost":
		t.Errorf("host process %+v, %+v; seccomp %+v", old.HostProcess, second.HostProcess, old.Seccomp)
	case old.Memory.Value != "1Gi" || second.Memory.Value != "2Gi":
		t.Errorf("memory %+v, %+v", old.Memory, second.Memory)
	case old.Mounts[0].Source != "/var/run/docker.sock" || old.Mounts[1].Kind != ConfigMount:
		t.Errorf("mounts %+v", old.Mounts)
	case w.Containers[3].Role != Surroundings || len(w.Sandboxed()) != 3:
		t.Errorf("judged are %v", w.Sandboxed())
	}
}
