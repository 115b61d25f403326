package manifest

import (
	"slices"
	"strings"
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
	for _, f := range s.get("environment").pairs() {
		v := Variable{Name: f.name, At: f.value.at}
		if f.value.given() {
			v.Raw = f.value.raw
		} else {
			v.From = "the shell"
		}
		c.Env = append(c.Env, v)
	}
	for _, e := range s.get("env_file").list() {
		file := e
		if e.kind == mapping {
			file = e.get("path")
		}
		c.EnvFiles = append(c.EnvFiles, file.setting(e.at))
	}
	c.composeMounts(s)
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
	return Build{Given: true, Context: v.get("context").str(), Dockerfile: v.get("dockerfile").str(), Target: v.get("target").str(), Args: v.get("args").labels(), At: v.at}
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
		}
		c.Mounts = append(c.Mounts, mount)
	}
	for _, t := range s.get("tmpfs").list() {
		target, _, _ := strings.Cut(t.str(), ":")
		c.Mounts = append(c.Mounts, Mount{Kind: Scratch, Target: target, At: t.at})
	}
	for _, list := range []string{"configs", "secrets"} {
		for _, e := range s.get(list).list() {
			src, target := e.str(), ""
			if e.kind == mapping {
				src, target = e.get("source").str(), e.get("target").str()
			}
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
func services(model *value, most int) []*Workload {
	var out []*Workload
	for _, f := range model.get("services").pairs() {
		if len(out) == most {
			break
		}
		if f.value.given() && f.value.kind == mapping {
			out = append(out, service(f.name, f.value))
		}
	}
	g := newGraph(model, out)
	for _, w := range out {
		w.Egress = g.egress(w.Name, nil)
	}
	return out
}

// named volumes that are bind mounts in other words: driver local with a device.
func bindVolumes(model *value, ws []*Workload) {
	for _, w := range ws {
		for _, c := range w.Containers {
			for i, m := range c.Mounts {
				opts := model.get("volumes", m.Source, "driver_opts")
				if dev := opts.get("device"); m.Kind == Volume && dev.given() && slices.Contains(strings.Split(opts.get("o").str(), ","), "bind") {
					c.Mounts[i].Kind, c.Mounts[i].Source, c.Mounts[i].Unknown = HostPath, dev.str(), dev.unknown
				}
			}
		}
	}
}
