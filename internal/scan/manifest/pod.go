package manifest

import (
	"path"
	"slices"
	"strings"
)

// workload makes a workload of a pod spec.
func (o *object) workload(p podSpec, c *cluster) *Workload {
	w := &Workload{
		Kind: o.kind, Name: o.name, Namespace: o.namespace, At: p.spec.at, Labels: p.meta.get("labels").labels(),
		Runtime: p.spec.get("runtimeClassName").setting(p.spec.at), Token: o.token(p.spec, c),
		Shared:    p.spec.get("shareProcessNamespace").setting(p.spec.at),
		HostUsers: p.spec.get("hostUsers").setting(p.spec.at),
	}
	if kind := o.root.get("kind"); kind != nil {
		w.At.Line, w.At.EndLine, w.At.Column, w.At.EndColumn = kind.at.Line, kind.at.EndLine, kind.at.Column, kind.at.EndColumn
	}
	for _, ns := range [][2]string{{"hostNetwork", "network"}, {"hostPID", "pid"}, {"hostIPC", "ipc"}} {
		if s := p.spec.get(ns[0]).setting(p.spec.at); s.True() || s.Unknown != "" {
			w.HostNamespaces = append(w.HostNamespaces, s.as(ns[1]))
		}
	}
	p.volumes = map[string]*value{}
	for _, v := range p.spec.get("volumes").list() {
		if name := v.get("name").str(); p.volumes[name] == nil {
			p.volumes[name] = v
		}
	}
	for _, list := range containerLists {
		for _, v := range p.spec.get(list).list() {
			if v.kind == mapping {
				w.Containers = append(w.Containers, p.container(v, list))
			}
		}
	}
	return w
}

// containerLists are those of a pod spec (Kubernetes, PodSpec).
var containerLists = []string{"initContainers", "containers", "ephemeralContainers"}

// token says whether the pod gets a token: as it says itself, or else the controller of
// agent-sandbox, which gives none to what it makes of a template, or else its service
// account.
func (o *object) token(spec *value, c *cluster) Setting {
	if v := spec.get("automountServiceAccountToken"); v.given() {
		return v.setting(spec.at)
	}
	if o.isTemplate() {
		return Setting{Value: "false", Given: true, At: spec.at}
	}
	name := first(spec.get("serviceAccountName"), spec.get("serviceAccount"))
	for _, sa := range c.accounts[orDefault(name.str())] {
		if v := sa.root.get("automountServiceAccountToken"); v.given() && c.together(sa.namespace, o.namespace) == Yes {
			return v.setting(spec.at)
		}
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

// agentSandbox reports whether the controller of kubernetes-sigs/agent-sandbox runs
// the object.
func (o *object) agentSandbox() bool {
	return o.group == "agents.x-k8s.io" || strings.HasSuffix(o.group, ".agents.x-k8s.io")
}

// isTemplate reports whether an object is what that controller makes sandboxes of.
func (o *object) isTemplate() bool { return o.agentSandbox() && o.kind == "SandboxTemplate" }

// container makes a container of a pod's. What the container does not say of its
// security and resources, the pod says (Kubernetes, PodSecurityContext; the limits of a
// pod since 1.32).
func (p podSpec) container(v *value, list string) *Container {
	sc, psc := v.get("securityContext"), p.spec.get("securityContext")
	holder := v.at
	either := func(keys ...string) Setting {
		if e := sc.get(keys...); e.given() {
			return e.setting(holder)
		}
		return psc.get(keys...).setting(holder)
	}
	limit := func(what string) Setting {
		return first(v.get("resources", "limits", what), p.spec.get("resources", "limits", what)).setting(holder)
	}
	c := &Container{
		Name: v.get("name").str(), At: holder, Image: v.get("image").setting(holder),
		User: either("runAsUser"), NonRoot: either("runAsNonRoot"),
		Privileged: sc.get("privileged").setting(holder), Escalation: sc.get("allowPrivilegeEscalation").setting(holder),
		HostProcess: either("windowsOptions", "hostProcess"), Seccomp: either("seccompProfile", "type"),
		CapAdd: sc.get("capabilities", "add").settings(), CapDrop: sc.get("capabilities", "drop").settings(),
		ReadOnly: sc.get("readOnlyRootFilesystem").setting(holder),
		Memory:   limit("memory"), CPU: limit("cpu"),
		Entry: v.get("command").settings(), Command: v.get("args").settings(),
	}
	// Pods have no limit of their own on processes; the kubelet has one for every pod.
	c.PIDs = Setting{Value: "kubelet", Given: true, At: holder}
	c.Unconfined = p.unconfined(c.Name, sc)
	c.variables(v)
	c.volumes(v, p)
	c.Execs = podExecs(v)
	c.reachable(v, p.spec)
	switch {
	case list == "ephemeralContainers":
		c.Aside = "it is an ephemeral container, for debugging"
	case list == "initContainers" && v.get("restartPolicy").str() == "Always":
		c.Aside = "it is a sidecar: an init container that keeps running"
	case list == "initContainers":
		c.Init, c.Aside = true, "it ends before the sandbox starts"
	}
	return c
}

// reachable adds the ports of the node that lead to the container, and the names that
// the pod gives to addresses.
func (c *Container) reachable(v, pod *value) {
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
}

// appArmor is the annotation that gave a container its AppArmor profile before
// Kubernetes 1.30, and still does where no field does.
const appArmor = "container.apparmor.security.beta.kubernetes.io/"

// unconfined lists the protections that a pod switches off for a container.
func (p podSpec) unconfined(name string, sc *value) []Setting {
	var out []Setting
	psc := p.spec.get("securityContext")
	add := func(what string, e *value, off ...string) {
		if e.given() && slices.ContainsFunc(off, func(s string) bool { return strings.EqualFold(e.str(), s) }) {
			out = append(out, e.setting(e.at).as(what))
		}
	}
	add("seccomp", first(sc.get("seccompProfile", "type"), psc.get("seccompProfile", "type")), "Unconfined")
	add("AppArmor", first(sc.get("appArmorProfile", "type"), psc.get("appArmorProfile", "type"), p.meta.get("annotations", appArmor+name)), "Unconfined")
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
func (c *Container) volumes(v *value, p podSpec) {
	for _, m := range v.get("volumeMounts").list() {
		name := m.get("name").str()
		mount := Mount{Source: name, Target: m.get("mountPath").str(), ReadOnly: m.get("readOnly").setting(m.at).True(), At: m.at}
		if e := m.get("mountPath"); e.given() {
			mount.At = e.at
		}
		vol := p.volumes[name]
		if vol == nil {
			mount.Kind = Volume // such as a claim template
			c.Mounts = append(c.Mounts, mount)
			continue
		}
		c.Mounts = append(c.Mounts, volume(mount, vol, m.get("subPath").str())...)
	}
	for _, d := range v.get("volumeDevices").list() {
		c.Mounts = append(c.Mounts, Mount{Kind: Device, Source: d.get("name").str(), Target: d.get("devicePath").str(), At: d.at})
	}
}

// volume is what a volume, or a path within it, brings.
func volume(m Mount, v *value, sub string) []Mount {
	switch {
	case v.get("hostPath").given():
		m.Kind, m.Source = HostPath, v.get("hostPath", "path").str()
		if sub != "" {
			m.Source = path.Join(m.Source, sub)
		}
		if e := v.get("hostPath", "path"); e.given() {
			m.At, m.Unknown = e.at, e.unknown
		}
	case v.get("configMap").given():
		m.Kind, m.Source = ConfigMount, "config map "+v.get("configMap", "name").str()
	case v.get("secret").given():
		m.Kind, m.Source = ConfigMount, "secret "+v.get("secret", "secretName").str()
	case v.get("downwardAPI") != nil:
		m.Kind, m.Source = ConfigMount, "the pod's own fields"
	case v.get("emptyDir") != nil:
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
		if t := s.get("serviceAccountToken"); t != nil {
			out = append(out, Mount{Kind: ClusterToken, Source: t.get("audience").str(), Target: m.Target, At: t.at})
		}
	}
	return out
}
