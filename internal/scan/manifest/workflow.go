package manifest

import (
	"slices"
	"strconv"
	"strings"
)

// ofWorkflow are the fields of a pod that a workflow sets for all of its templates, and
// each of these for itself (Argo Workflows, WorkflowSpec and Template).
var ofWorkflow = []string{"serviceAccountName", "automountServiceAccountToken", "securityContext", "hostNetwork", "hostAliases", "hostUsers", "dnsPolicy", "tolerations"}

// workflow are the pods of an Argo workflow: one for each template that has a container,
// a script or a set of containers.
func (o *object) workflow() []podSpec {
	spec := o.root.get("spec")
	if inner := spec.get("workflowSpec"); inner.given() { // a CronWorkflow
		spec = inner
	}
	var out []podSpec
	for _, t := range spec.get("templates").list() {
		containers := t.get("containerSet", "containers")
		if main := first(t.get("container"), t.get("script")); main != nil {
			containers = listOf(main, main.called("main"))
		}
		if !containers.given() {
			continue // steps and graphs run other templates
		}
		out = append(out, podSpec{
			spec: templatePod(spec, t, containers),
			meta: assembled(t, field{"labels", first(t.get("metadata", "labels"), spec.get("podMetadata", "labels"))}),
			name: t.get("name").str(), loose: true,
		})
	}
	return out
}

// templatePod is the pod that a template of a workflow makes.
func templatePod(spec, t, containers *value) *value {
	fields := []field{
		{"containers", listOf(containers, append(slices.Clone(containers.list()), t.get("sidecars").list()...)...)},
		{"initContainers", t.get("initContainers")},
		{"volumes", listOf(t, append(slices.Clone(spec.get("volumes").list()), t.get("volumes").list()...)...)},
	}
	for _, name := range ofWorkflow {
		fields = append(fields, field{name, first(t.get(name), spec.get("templateDefaults", name), spec.get(name))})
	}
	if patch := first(t.get("podSpecPatch"), spec.get("podSpecPatch")); patch != nil {
		runtime := *patch
		runtime.unknown = "podSpecPatch may set it"
		fields = append(fields, field{"runtimeClassName", &runtime})
	}
	return assembled(t, fields...)
}

// task are the pods of Tekton: all steps of a task run in one (Tekton, TaskSpec). A run
// says more about the pod in its podTemplate; for a task or pipeline by itself that is
// not known.
func (o *object) task() []podSpec {
	spec := o.root.get("spec")
	run := first(spec.get("podTemplate"), spec.get("taskRunTemplate", "podTemplate"))
	account := first(spec.get("serviceAccountName"), spec.get("taskRunTemplate", "serviceAccountName"))
	if !strings.HasSuffix(o.kind, "Run") {
		open := &value{kind: scalar, unknown: "the run decides it", at: o.root.at}
		run = assembled(spec, field{"automountServiceAccountToken", open}, field{"runtimeClassName", open})
	}
	var out []podSpec
	add := func(task *value, name string) {
		if len(task.get("steps").list()) > 0 {
			out = append(out, podSpec{spec: stepsPod(task, run, account), meta: o.root.get("metadata"), name: name, loose: true})
		}
	}
	add(spec, "")
	add(spec.get("taskSpec"), "")
	pipeline := first(spec.get("pipelineSpec"), spec)
	for _, t := range append(slices.Clone(pipeline.get("tasks").list()), pipeline.get("finally").list()...) {
		add(t.get("taskSpec"), t.get("name").str())
	}
	return out
}

func stepsPod(task, run, account *value) *value {
	var steps []*value
	for i, s := range task.get("steps").list() {
		steps = append(steps, step(s, task.get("stepTemplate")).called("step-"+strconv.Itoa(i+1)))
	}
	return assembled(task,
		field{"containers", listOf(task.get("steps"), append(steps, task.get("sidecars").list()...)...)},
		field{"volumes", listOf(task, append(slices.Clone(task.get("volumes").list()), run.get("volumes").list()...)...)},
		field{"serviceAccountName", account},
		field{"securityContext", run.get("securityContext")},
		field{"automountServiceAccountToken", run.get("automountServiceAccountToken")},
		field{"runtimeClassName", run.get("runtimeClassName")},
		field{"hostNetwork", run.get("hostNetwork")},
		field{"hostAliases", run.get("hostAliases")})
}

// step is a step with what the template of all steps says where it says nothing.
func step(s, template *value) *value {
	for _, name := range []string{"image", "securityContext", "env", "envFrom", "volumeMounts"} {
		if t := template.get(name); t.given() && !s.get(name).given() && s.kind == mapping {
			s = s.with(name, t)
		}
	}
	if r := first(s.get("computeResources"), template.get("computeResources")); r != nil && s.kind == mapping {
		s = s.with("resources", r)
	}
	return s
}
