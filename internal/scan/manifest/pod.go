package manifest

import (
	"slices"
	"strings"
)

// workload makes a workload of a pod spec.
func (o *object) workload(p podSpec, all []*object) *Workload {
	w := &Workload{
		Kind: o.kind, Name: o.name, Namespace: o.namespace, At: p.spec.at, Labels: p.meta.get("labels").labels(),
		Runtime: p.spec.get("runtimeClassName").setting(p.spec.at), Token: o.token(p.spec, all),
	}
	if kind := o.root.get("kind"); kind != nil {
		w.At.Line, w.At.EndLine, w.At.Column, w.At.EndColumn = kind.at.Line, kind.at.EndLine, kind.at.Column, kind.at.EndColumn
	}
	for _, ns := range [][2]string{{"hostNetwork", "network"}, {"hostPID", "pid"}, {"hostIPC", "ipc"}} {
		if s := p.spec.get(ns[0]).setting(p.spec.at); s.True() || s.Unknown != "" {
			w.HostNamespaces = append(w.HostNamespaces, s.as(ns[1]))
		}
	}
	for _, list := range []string{"initContainers", "containers"} {
		for _, c := range p.spec.get(list).list() {
			if c.kind == mapping {
				w.Containers = append(w.Containers, container(c, p.spec, list == "initContainers"))
			}
		}
	}
	return w
}

// token says whether the pod gets a token: as it says itself, or else its service
// account, or else the controller of agent-sandbox, which gives none by default.
func (o *object) token(spec *value, all []*object) Setting {
	if v := spec.get("automountServiceAccountToken"); v.given() {
		return v.setting(spec.at)
	}
	name := spec.get("serviceAccountName")
	for _, sa := range all {
		if sa.kind == "ServiceAccount" && sa.group == "" && sa.name == orDefault(name.str()) && sameNamespace(sa.namespace, o.namespace) {
			if v := sa.root.get("automountServiceAccountToken"); v.given() {
				return v.setting(spec.at)
			}
		}
	}
	if o.agentSandbox() {
		return Setting{Value: "false", Given: true, At: spec.at}
	}
	if name.given() {
		return Setting{At: name.at}
	}
	return Setting{At: spec.at}
}

func orDefault(name string) string {
	if name == "" {
		return "default"
	}
	return name
}

// sameNamespace reports whether two objects are in one namespace. Objects that name
// none go where they are applied, which may be the same.
func sameNamespace(a, b string) bool { return a == b || a == "" || b == "" }

// agentSandbox reports whether the controller of kubernetes-sigs/agent-sandbox runs
// the object.
func (o *object) agentSandbox() bool {
	return o.group == "agents.x-k8s.io" || strings.HasSuffix(o.group, ".agents.x-k8s.io")
}

// container makes a container of a pod's. What the container does not say of its
// security, the pod says (Kubernetes, PodSecurityContext).
func container(v, pod *value, init bool) *Container {
	sc, psc := v.get("securityContext"), pod.get("securityContext")
	holder := v.at
	either := func(key string) Setting {
		if e := sc.get(key); e.given() {
			return e.setting(holder)
		}
		return psc.get(key).setting(holder)
	}
	c := &Container{
		Name: v.get("name").str(), At: holder, Init: init, Image: v.get("image").setting(holder),
		User: either("runAsUser"), NonRoot: either("runAsNonRoot"),
		Privileged: sc.get("privileged").setting(holder), Escalation: sc.get("allowPrivilegeEscalation").setting(holder),
		CapAdd: sc.get("capabilities", "add").settings(), CapDrop: sc.get("capabilities", "drop").settings(),
		ReadOnly: sc.get("readOnlyRootFilesystem").setting(holder),
		Memory:   v.get("resources", "limits", "memory").setting(holder), CPU: v.get("resources", "limits", "cpu").setting(holder),
		Entry: v.get("command").settings(), Command: v.get("args").settings(),
	}
	// Pods have no limit of their own on processes; the kubelet has one for every pod.
	c.PIDs = Setting{Value: "kubelet", Given: true, At: holder}
	c.Unconfined = unconfined(sc, psc)
	c.variables(v)
	c.volumes(v, pod)
	for _, p := range v.get("ports").list() {
		if hp := p.get("hostPort"); hp.given() && hp.str() != "0" {
			c.Ports = append(c.Ports, Port{Address: p.get("hostIP").str(), Published: hp.str(), Target: p.get("containerPort").str(), Unknown: p.get("hostIP").setting(hp.at).Unknown, At: hp.at})
		}
	}
	for _, h := range pod.get("hostAliases").list() {
		for _, n := range h.get("hostnames").list() {
			c.Hosts = append(c.Hosts, n.setting(h.at).as(n.str()+"="+h.get("ip").str()))
		}
	}
	if init { // a sidecar restarts always and runs beside the others
		c.Init = v.get("restartPolicy").str() != "Always"
	}
	return c
}

// unconfined lists the protections that a pod switches off for a container.
func unconfined(sc, psc *value) []Setting {
	var out []Setting
	add := func(what string, e *value, off ...string) {
		if e.given() && slices.ContainsFunc(off, func(s string) bool { return strings.EqualFold(e.str(), s) }) {
			out = append(out, e.setting(e.at).as(what))
		}
	}
	profile := func(key string) *value {
		if e := sc.get(key, "type"); e.given() {
			return e
		}
		return psc.get(key, "type")
	}
	add("seccomp", profile("seccompProfile"), "Unconfined")
	add("AppArmor", profile("appArmorProfile"), "Unconfined")
	add("masked paths", sc.get("procMount"), "Unmasked")
	for _, ctx := range []*value{sc, psc} {
		add("SELinux", ctx.get("seLinuxOptions", "type"), "spc_t", "unconfined_t")
	}
	return out
}

func (c *Container) variables(v *value) {
	for _, e := range v.get("env").list() {
		variable := Variable{Name: e.get("name").str(), At: e.at}
		val, from := e.get("value"), e.get("valueFrom")
		switch {
		case from.given():
			for _, f := range from.pairs() {
				variable.From = f.name
			}
		case val.given():
			variable.Raw, variable.At = val.raw, val.at
		}
		c.Env = append(c.Env, variable)
	}
	for _, e := range v.get("envFrom").list() {
		for _, f := range e.pairs() {
			if name := f.value.get("name"); name.given() {
				c.EnvFiles = append(c.EnvFiles, name.setting(e.at).as(f.name+" "+name.str()))
			}
		}
	}
}

// volumes are what the mounts of a container bring, by the volumes of its pod.
func (c *Container) volumes(v, pod *value) {
	for _, m := range v.get("volumeMounts").list() {
		name := m.get("name").str()
		mount := Mount{Source: name, Target: m.get("mountPath").str(), ReadOnly: m.get("readOnly").setting(m.at).True(), At: m.at}
		if e := m.get("mountPath"); e.given() {
			mount.At = e.at
		}
		vols := pod.get("volumes").list()
		i := slices.IndexFunc(vols, func(e *value) bool { return e.get("name").str() == name })
		if i < 0 {
			mount.Kind = Volume // such as a claim template
			c.Mounts = append(c.Mounts, mount)
			continue
		}
		c.Mounts = append(c.Mounts, volume(mount, vols[i])...)
	}
	for _, d := range v.get("volumeDevices").list() {
		c.Mounts = append(c.Mounts, Mount{Kind: Device, Source: d.get("name").str(), Target: d.get("devicePath").str(), At: d.at})
	}
}

func volume(m Mount, v *value) []Mount {
	switch {
	case v.get("hostPath").given():
		m.Kind, m.Source = HostPath, v.get("hostPath", "path").str()
		if e := v.get("hostPath", "path"); e.given() {
			m.At, m.Unknown = e.at, e.unknown
		}
	case v.get("configMap").given():
		m.Kind, m.Source = ConfigMount, "config map "+v.get("configMap", "name").str()
	case v.get("secret").given():
		m.Kind, m.Source = ConfigMount, "secret "+v.get("secret", "secretName").str()
	case v.get("emptyDir").given() || v.get("emptyDir") != nil:
		m.Kind = Scratch
	case v.get("projected").given():
		return projected(m, v.get("projected"))
	default:
		m.Kind = Volume
	}
	return []Mount{m}
}

func projected(m Mount, v *value) []Mount {
	m.Kind = ConfigMount
	out := []Mount{m}
	for _, s := range v.get("sources").list() {
		if t := s.get("serviceAccountToken"); t.given() || t != nil {
			out = append(out, Mount{Kind: ClusterToken, Source: t.get("audience").str(), Target: m.Target, At: t.at})
		}
	}
	return out
}
