package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/tree"
)

// service makes a workload of a compose service: one container.
func service(name string, s *value) *Workload {
	at := s.at
	c := &Container{
		Name: name, At: at, Image: s.get("image").setting(at), Build: buildOf(s.get("build")),
		User: s.get("user").setting(at), NonRoot: Setting{At: at}, Privileged: s.get("privileged").setting(at),
		CapAdd: s.get("cap_add").settings(), CapDrop: s.get("cap_drop").settings(),
		ReadOnly: s.get("read_only").setting(at), Entry: s.get("entrypoint").settings(), Command: s.get("command").settings(),
	}
	c.securityOptions(s)
	limit := func(old, of string) Setting {
		if v := s.get(old); v.given() {
			return v.setting(at)
		}
		return s.get("deploy", "resources", "limits", of).setting(at)
	}
	c.Memory, c.CPU, c.PIDs = limit("mem_limit", "memory"), limit("cpus", "cpus"), limit("pids_limit", "pids")
	c.Env = variablesOf(s.get("environment"))
	for _, e := range s.get("env_file").list() {
		c.EnvFiles = append(c.EnvFiles, e.get("path").setting(e.at))
	}
	c.composeMounts(s)
	c.Execs = serviceExecs(s)
	for _, p := range s.get("ports").list() {
		if p.kind == mapping {
			ip := p.get("host_ip")
			c.Ports = append(c.Ports, Port{Address: ip.str(), Published: p.get("published").str(), Target: p.get("target").str(), Unknown: ip.setting(p.at).Unknown, At: p.at})
		}
	}
	for _, h := range s.get("extra_hosts").pairs() {
		c.Hosts = append(c.Hosts, h.value.setting(s.at).as(h.name+"="+h.value.str()))
	}
	return &Workload{
		Kind: "service", Name: name, At: at, Labels: s.get("labels").labels(), Containers: []*Container{c},
		Runtime: s.get("runtime").setting(at), HostNamespaces: hostNamespaces(s), Token: Setting{Value: "false", Given: true, At: at},
	}
}

func buildOf(v *value) Build {
	if !v.given() {
		return Build{}
	}
	inline := v.get("dockerfile_inline")
	return Build{
		Given: true, Context: v.get("context").str(), Dockerfile: v.get("dockerfile").str(), Target: v.get("target").str(),
		Args: v.get("args").labels(), Variables: variablesOf(v.get("args")),
		Inline: inline.given(), Text: inline.setting(v.at), At: v.at,
	}
}

// inlineBuilds says of which sandboxes the Dockerfile is not judged.
func inlineBuilds(sandboxes []*Workload) []Problem {
	var out []Problem
	for _, w := range sandboxes {
		for _, c := range w.Sandboxed() {
			if c.Build.Inline {
				out = append(out, Problem{
					At:   c.Build.Text.At,
					What: fmt.Sprintf("the Dockerfile of %s stands in the compose file and is not judged: give the image that it makes, or put it in a file", w),
				})
			}
		}
	}
	return out
}

// variablesOf are the variables of a mapping; those without a value come from the shell.
func variablesOf(v *value) []Variable {
	var out []Variable
	for _, f := range v.pairs() {
		one := Variable{Name: f.name, At: f.value.at}
		if f.value.given() {
			one.Raw = f.value.raw
		} else {
			one.From = "the shell"
		}
		out = append(out, one)
	}
	return out
}

// hostNamespaces lists the namespaces of the host that a service shares.
func hostNamespaces(s *value) []Setting {
	var out []Setting
	for _, ns := range [][2]string{{"network_mode", "network"}, {"pid", "pid"}, {"ipc", "ipc"}, {"uts", "uts"}, {"userns_mode", "user"}, {"cgroup", "cgroup"}} {
		if v := s.get(ns[0]); v.str() == "host" || v.given() && v.unknown != "" {
			out = append(out, v.setting(s.at).as(ns[1]))
		}
	}
	for _, f := range s.get("networks").pairs() {
		if f.name == "host" {
			out = append(out, Setting{Value: "network", Given: true, At: s.get("networks").at})
		}
	}
	return out
}

// securityOptions reads security_opt, whose items are KEY=VALUE or KEY:VALUE.
func (c *Container) securityOptions(s *value) {
	c.Escalation = Setting{At: c.At}
	for _, o := range s.get("security_opt").list() {
		key, val, _ := strings.Cut(strings.Replace(o.str(), "=", ":", 1), ":")
		set := o.setting(c.At)
		switch {
		case key == "no-new-privileges":
			c.Escalation = set.as("false")
			if val != "" && !isTrue(val) {
				c.Escalation = set.as("true")
			}
		case key == "seccomp" && val == "unconfined":
			c.Unconfined = append(c.Unconfined, set.as("seccomp"))
		case key == "apparmor" && val == "unconfined":
			c.Unconfined = append(c.Unconfined, set.as("AppArmor"))
		case key == "label" && (val == "disable" || val == "type:spc_t"):
			c.Unconfined = append(c.Unconfined, set.as("SELinux"))
		case key == "systempaths" && val == "unconfined":
			c.Unconfined = append(c.Unconfined, set.as("masked paths"))
		case set.Unknown != "" && c.Escalation.Unknown == "" && !c.Escalation.Given:
			c.Escalation.Unknown = set.Unknown
		}
	}
}

func (c *Container) composeMounts(s *value) {
	for _, m := range s.get("volumes").list() {
		if m.kind != mapping {
			continue
		}
		src := m.get("source")
		mount := Mount{Source: src.str(), Target: m.get("target").str(), ReadOnly: m.get("read_only").setting(m.at).True(), Unknown: src.setting(m.at).Unknown, At: m.at}
		switch m.get("type").str() {
		case "bind", "npipe":
			mount.Kind = HostPath
		case "tmpfs":
			mount.Kind = Scratch
		case "volume", "":
			mount.Kind = Volume
			if mount.Unknown != "" && strings.HasPrefix(mount.Source, "$") { // a name or a path
				mount.Kind = HostPath
			}
		}
		c.Mounts = append(c.Mounts, mount)
	}
	for _, t := range s.get("tmpfs").list() {
		target, _, _ := strings.Cut(t.str(), ":")
		c.Mounts = append(c.Mounts, Mount{Kind: Scratch, Target: target, At: t.at})
	}
	for _, list := range []string{"configs", "secrets"} {
		for _, e := range s.get(list).list() {
			src, target := e.get("source").str(), e.get("target").str()
			if target == "" && list == "configs" {
				target = "/" + src
			}
			if list == "secrets" && !strings.HasPrefix(target, "/") {
				target = "/run/secrets/" + src
			}
			c.Mounts = append(c.Mounts, Mount{Kind: ConfigMount, Source: strings.TrimSuffix(list, "s") + " " + src, Target: target, ReadOnly: true, At: e.at})
		}
	}
	for _, d := range s.get("devices").list() {
		if d.kind == mapping {
			c.Mounts = append(c.Mounts, Mount{Kind: Device, Source: d.get("source").str(), Target: d.get("target").str(), Unknown: d.get("source").setting(d.at).Unknown, At: d.at})
		}
	}
}

// services are the workloads of a compose model, profiles or not.
func (p *project) services(model *value) []*Workload {
	var out []*Workload
	for _, f := range model.get("services").pairs() {
		if len(out) == p.lim.YAMLWorkloads {
			break
		}
		if !f.value.given() || f.value.kind != mapping {
			continue
		}
		if by := f.value.get("provider"); by.given() {
			p.problems = append(p.problems, Problem{At: by.at, What: fmt.Sprintf("service %s is no container: a provider runs it, and it is not judged", f.name)})
			continue
		}
		w := service(f.name, p.distinctLists(f.value))
		defined(model, w.Containers[0])
		out = append(out, w)
	}
	g := newGraph(model, out)
	for _, w := range out {
		w.Egress = g.egress(w.Name, nil)
		w.HostNamespaces = append(w.HostNamespaces, g.hostNetwork(w)...)
	}
	return out
}

// defined completes the mounts of a container with what the model says elsewhere of
// volumes and configs.
func defined(model *value, c *Container) {
	for i, m := range c.Mounts {
		switch m.Kind {
		case Volume: // of driver local with a device, it is a bind mount in other words
			opts := model.get("volumes", m.Source, "driver_opts")
			if dev := opts.get("device"); dev.given() && slices.Contains(strings.Split(opts.get("o").str(), ","), "bind") {
				c.Mounts[i].Kind, c.Mounts[i].Source, c.Mounts[i].Unknown = HostPath, dev.str(), dev.unknown
			}
		case ConfigMount:
			name, ok := strings.CutPrefix(m.Source, "config ")
			if text := model.get("configs", name, "content"); ok && text.given() {
				c.Mounts[i].Content = Variable{Name: name, Raw: text.raw, At: text.at}
			}
		}
	}
}

// distinctLists leaves one of the items of each list that compose takes for the same.
func (p *project) distinctLists(s *value) *value {
	out := *s
	out.fields = slices.Clone(s.fields)
	for i, f := range out.fields {
		out.fields[i].value = p.distinct(f.value, tree.NewPath("services", "*").Next(f.name))
	}
	return &out
}
