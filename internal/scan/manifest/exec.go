package manifest

import "slices"

// An Exec is a command that the runtime starts in a container while it runs, as the
// container's user and with the environment of its configuration: whatever its entrypoint
// has removed is there again (Kubernetes, "Probes" and "Container Lifecycle Hooks";
// Compose specification, "healthcheck").
type Exec struct {
	Kind string // as the manifest calls it: "livenessProbe", "postStart", "healthcheck"
	At   Place
}

// podExecs are the probes and hooks of a container that run a command.
func podExecs(c *value) []Exec {
	var out []Exec
	for _, path := range [][]string{{"livenessProbe"}, {"readinessProbe"}, {"startupProbe"}, {"lifecycle", "postStart"}, {"lifecycle", "preStop"}} {
		if e := c.get(append(path, "exec")...); e.get("command").given() {
			out = append(out, Exec{path[len(path)-1], e.at})
		}
	}
	return out
}

// serviceExecs are the health check and the hooks of a service.
func serviceExecs(s *value) []Exec {
	var out []Exec
	if t := s.get("healthcheck", "test"); t.given() && !slices.ContainsFunc(t.list(), func(e *value) bool { return e.str() == "NONE" }) &&
		!s.get("healthcheck", "disable").setting(s.at).True() {
		out = append(out, Exec{"healthcheck", t.at})
	}
	for _, kind := range []string{"post_start", "pre_stop"} {
		for _, h := range s.get(kind).list() {
			if !h.get("user").given() { // else as another one
				out = append(out, Exec{kind, h.where()})
			}
		}
	}
	return out
}
